import { BUILT_IN_LANGUAGES } from '../../apis/subscriptions/languages.ts';
import {
  isMailAddress,
  maskEmail,
  type Reader,
  readerByEmail,
  readerByToken,
} from '../../apis/subscriptions/reader.ts';
import type { AccessTarget, Site } from '../../apis/subscriptions/requests.ts';
import { requireValid } from '../../config/resolve.ts';
import { languageCode, subscriptionsDomain } from '../../config/values.ts';
import { cannotCombine, invalidValue, missingArgument } from '../../errors/usage.ts';
import { readText } from '../../files/text-source.ts';
import type { Words } from '../../operations/access/words/words.ts';
import type { Column } from '../../output/view.ts';
import { pasteNote, withoutPasteDamage } from '../../terminal/paste-damage.ts';
import { brandNames } from '../../wire/brand.ts';
import type { Context } from './context.ts';
import { boolean, list, optional, string, type ValuesOf, variadic } from './define-command.ts';
import type { EmailReaders, NamedReaders } from './pasted-readers.ts';

/** The argument that names one reader. A session token is not accepted there: shells and process lists would show it. */
export const EMAIL_ARGUMENT = optional('email', "the reader's e-mail address, or text that contains it");

/** The argument that names readers: addresses, or texts with addresses in them; or a list. */
export const EMAILS_ARGUMENT = variadic(
  'email',
  "the reader's e-mail address, or pasted text that contains it; @FILE for a list of readers, - for a list from stdin",
);

/** The flags that name one reader and one site. */
export const READER_FLAGS = {
  email: string('--email <address>', "the reader's e-mail address, instead of EMAIL", { isPasted: true }),
  readerToken: string(
    '--reader-token <token>',
    "the reader's session token, as getSessionToken() returned it",
    { isPasted: true },
  ),
  readerTokenStdin: boolean(
    '--reader-token-stdin',
    'read the session token from stdin, so that no process list shows it',
  ),
  domain: string('--domain <domain>', "one of the account's domains (default: the profile's)", {
    completes: 'domain',
  }),
  mask: boolean('--mask', 'hide e-mail addresses in the output'),
};

/** `reader` is the argument EMAIL. */
type EmailFlags = Pick<ValuesOf<typeof READER_FLAGS>, 'email'> & {
  readonly reader: string | undefined;
};

export type ReaderFlags = EmailFlags &
  Pick<ValuesOf<typeof READER_FLAGS>, 'readerToken' | 'readerTokenStdin'> & {
    /** That of the site, of which pasted pages are taken. */
    readonly domain?: string | undefined;
  };

/** The words of the argument EMAIL as one text; undefined for none. Throws UsageError for a word of several that names nothing. */
export async function oneText(words: readonly string[]): Promise<string | undefined> {
  if (words.length < 2) return words[0];
  return (await import('./pasted-readers.ts')).pastedWords(words);
}

const NOTHING_ELSE = {
  items: [],
  wrapped: new Map<string, string>(),
  products: [],
  orders: [],
  asksRefund: false,
};

/** The one reader that the command line names. Throws UsageError for none or several, and for a bad address or token. */
export async function readerFromFlags(flags: ReaderFlags, context: Context): Promise<Reader> {
  const { readers } = await readersFromFlags(flags, context);
  return onlyOne(readers);
}

/** The readers that the command line names. Notes are in English, or in `words`. Throws UsageError for none, and for a bad address or token. */
export async function readersFromFlags(
  flags: ReaderFlags,
  context: Context,
  words?: Words,
): Promise<NamedReaders> {
  const named = [
    flags.reader !== undefined && 'EMAIL',
    flags.email !== undefined && '--email',
    flags.readerToken !== undefined && '--reader-token',
    flags.readerTokenStdin && '--reader-token-stdin',
  ].filter(name => name !== false);
  if (named.length === 0) {
    throw missingArgument(
      'a reader is required',
      'type an e-mail address, @FILE for a list or an e-mail, or - for stdin',
      'for a session token: --reader-token-stdin',
    );
  }
  if (named.length > 1) {
    throw cannotCombine(named.join(' and '), 'name one reader');
  }
  if (flags.reader !== undefined) return await readersIn(flags.reader, flags.domain, context, words);
  const reader = await namedReader(flags, context);
  redactReader(reader, context);
  return { ...NOTHING_ELSE, readers: [reader] };
}

/** The address that the command line names. Throws UsageError for none, two, or a bad one. */
export async function emailFromFlags(
  { reader: argument, email: flag }: EmailFlags,
  context: Context,
): Promise<string> {
  if (argument !== undefined && flag !== undefined)
    throw cannotCombine('EMAIL and --email', 'name one reader');
  if (argument === undefined && flag === undefined)
    throw missingArgument('an e-mail address is required', 'type gatectl token EMAIL');
  const reader =
    argument === undefined
      ? readerByEmail(flag ?? '')
      : onlyOne((await readersIn(argument, undefined, context)).readers);
  redactReader(reader, context);
  return reader.email;
}

async function namedReader(flags: ReaderFlags, context: Context): Promise<Reader> {
  if (flags.email !== undefined) return readerByEmail(flags.email);
  if (flags.readerToken !== undefined) return readerByToken(flags.readerToken);
  return readerByToken(await readText(context.io.stdin));
}

function onlyOne<R extends Reader>([reader, ...others]: readonly [R, ...R[]]): R {
  if (others.length === 0) return reader;
  throw invalidValue(
    `the text has ${others.length + 1} addresses, and this command accepts one`,
    'gatectl reader and gatectl access accept several',
  );
}

/** The readers of the argument EMAIL: an address, or a text in which some are found. Throws UsageError where there is none. */
async function readersIn(
  text: string,
  domain: string | undefined,
  context: Context,
  words?: Words,
): Promise<NamedReaders & { readonly readers: EmailReaders }> {
  const pasted = withoutPasteDamage(text);
  if ('value' in pasted && isMailAddress(pasted.value)) {
    if (pasted.removed.length > 0) context.log.note(pasteNote('EMAIL', pasted.removed));
    const reader = readerByEmail(pasted.value);
    redactReader(reader, context);
    return { ...NOTHING_ELSE, readers: [reader] };
  }
  const { readersInText } = await import('./pasted-readers.ts');
  const hasLink = /https?:|www\.|^content-transfer-encoding:/im.test(text);
  const found = await readersInText(
    text,
    hasLink ? await queriedDomain(domain, context) : undefined,
    context,
    words,
  );
  for (const reader of found.readers) redactReader(reader, context);
  return found;
}

/** Several readers as the content of a list. */
export function listOfReaders(readers: readonly Reader[]): Uint8Array {
  return Buffer.from(readers.map(each => (each.kind === 'email' ? each.email : '')).join('\n'));
}

/** Keeps the reader's identity out of every message, log line and URL from here on. */
export function redactReader(reader: Reader, context: Context): void {
  context.redactor.add(reader.kind === 'email' ? reader.email : reader.token);
}

/**
 * How responses are shown: unchanged, or with every e-mail address masked, because a server may repeat the reader's in another form,
 * or name another reader. From here on, messages show no address either. Throws UsageError for --curl, which has to show it.
 */
export async function maskedIf(
  isMasked: boolean,
  { redactor, globals }: Pick<Context, 'redactor' | 'globals'>,
): Promise<<T>(data: T) => T> {
  if (!isMasked) return data => data;
  if (globals.curl)
    throw cannotCombine('--mask and --curl', 'without --mask, the printed request has the address in clear');
  const { ADDRESS_IN_TEXT, maskAddresses, withoutCodedAddresses } = await import(
    '../../apis/subscriptions/mask-addresses.ts'
  );
  redactor.redactMatches(ADDRESS_IN_TEXT, withoutCodedAddresses);
  return maskAddresses;
}

/** The reader's name in the output. */
export function shownReader(reader: Reader, mask: boolean): string {
  if (reader.kind === 'token') return '(session token)';
  return mask ? maskEmail(reader.email) : reader.email;
}

/** The site to query, from `--domain` and the settings. */
export async function siteFrom(domain: string | undefined, context: Context): Promise<Site> {
  const settings = await context.settings();
  return {
    domain: await queriedDomain(domain, context),
    prefix: settings.prefixSubscriptions.value,
    brand: brandNames(settings.brand.value),
    keyIn: settings.keyIn.value,
  };
}

async function queriedDomain(flag: string | undefined, context: Context): Promise<string> {
  if (flag === undefined) return await context.domain(undefined);
  const checked = subscriptionsDomain(flag);
  if ('note' in checked && checked.note !== undefined) context.log.note(checked.note);
  return requireValid(checked, `the domain ${flag}`);
}

/** Separates products; a handle that contains a comma has a backslash before it. */
const SEPARATOR = /(?<!\\),/;

/** The handles of `--product`: `premium,sports`, or `a\,b` for one with a comma. Throws UsageError for an empty one. */
export function handlesIn(texts: readonly string[]): string[] {
  const handles = texts
    .flatMap(text => text.split(SEPARATOR))
    .map(handle => handle.trim().replaceAll('\\,', ','));
  if (handles.includes(''))
    throw invalidValue(
      '--product has an empty handle',
      'separate handles with single commas: premium,sports',
    );
  return [...new Set(handles)];
}

/** The one handle of a command that checks one product. Throws UsageError for several. */
export function handleIn(text: string | undefined): string | undefined {
  if (!text?.trim()) return undefined;
  const [handle, ...others] = handlesIn([text]);
  if (others.length === 0) return handle;
  throw invalidValue(
    '--product names several products, and this command checks one',
    'run it for each product; a comma inside a handle is typed \\,',
  );
}

/** The flags that select what access is checked for: exactly one of them. */
export const TARGET_FLAGS = {
  product: string('--product <handle>', 'the product handle', { isPasted: true }),
  item: string('--item <key>', 'the key of a one-time item; for a single article, the URL of its page', {
    isPasted: true,
  }),
};

/** The same, with several products. */
export const TARGETS_FLAGS = {
  product: list('--product <handles>', 'product handles, separated by commas (repeatable)', {
    isPasted: true,
  }),
  item: TARGET_FLAGS.item,
};

/** The product or item of the command line. Throws UsageError for none, for both and for several. */
export function targetFrom({ product, item }: ValuesOf<typeof TARGET_FLAGS>): AccessTarget {
  const handle = handleIn(product);
  const [target] = targetsFrom({ product: handle === undefined ? [] : [escaped(handle)], item });
  return target;
}

function escaped(handle: string): string {
  return handle.replaceAll(',', '\\,');
}

/** The products or the item of the command line. Throws UsageError for none and for both. */
export function targetsFrom({
  product,
  item,
}: ValuesOf<typeof TARGETS_FLAGS>): readonly [AccessTarget, ...AccessTarget[]] {
  if (product.length > 0 && item !== undefined) {
    throw cannotCombine('--product and --item', 'use one of them');
  }
  const [first, ...others] = product.some(text => text.trim() !== '') ? handlesIn(product) : [];
  if (first !== undefined) return [{ product: first }, ...others.map(handle => ({ product: handle }))];
  if (item?.trim()) return [{ item: item.trim() }];
  throw missingArgument(
    '--product or --item is required',
    'type --product HANDLE, or --item KEY for a one-time purchase',
    'gatectl reader EMAIL checks the products that the reader holds or held',
  );
}

export const LANGUAGE_FLAG = string(
  '--language <code>',
  'language of the reply: en, de, es, fr, or one with custom templates (fr_FR: fr)',
  { completes: BUILT_IN_LANGUAGES },
);

/** A language code in lower case: `de`, `pt-br`; without one, English. Throws UsageError for anything else. */
export function languageNamed(language = 'en'): string {
  const code = languageCode(language);
  if (code !== undefined) return code;
  throw invalidValue(`--language cannot be '${language}'`, 'type a code such as de, es or pt-br');
}

/** The documented fields of a purchase entry. */
export const PURCHASE_COLUMNS: readonly Column[] = [
  { key: 'productKey', title: 'Product', kind: 'text' },
  { key: 'item', title: 'Item', kind: 'text', whenPresent: true },
  { key: 'status', title: 'Status', kind: 'text' },
  { key: 'expiresAt', title: 'Ends', kind: 'time' },
];
