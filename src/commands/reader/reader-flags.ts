import { maskEmail, type Reader, readerByEmail, readerByToken } from '../../apis/subscriptions/reader.ts';
import type { Site } from '../../apis/subscriptions/requests.ts';
import { requireValid } from '../../config/resolve.ts';
import { subscriptionsDomain } from '../../config/values.ts';
import { UsageError } from '../../errors/index.ts';
import { readText } from '../../files/text-source.ts';
import { brandNames } from '../../wire/brand.ts';
import type { Context } from '../framework/context.ts';
import { boolean, optional, string, type ValuesOf } from '../framework/define-command.ts';

/** The argument that names one reader. A session token is not accepted there: shells and process lists would show it. */
export const EMAIL_ARGUMENT = optional('email', "the reader's e-mail address", { isPasted: true });

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
    isPasted: true,
  }),
  mask: boolean('--mask', 'hide e-mail addresses in the output'),
};

/** `reader` is the argument EMAIL. */
type EmailFlags = Pick<ValuesOf<typeof READER_FLAGS>, 'email'> & {
  readonly reader: string | undefined;
};

export type ReaderFlags = EmailFlags &
  Pick<ValuesOf<typeof READER_FLAGS>, 'readerToken' | 'readerTokenStdin'>;

/** The one reader that the command line names. Throws UsageError for none or several, and for a bad address or token. */
export async function readerFromFlags(flags: ReaderFlags, context: Context): Promise<Reader> {
  const named = [
    flags.reader !== undefined && 'EMAIL',
    flags.email !== undefined && '--email',
    flags.readerToken !== undefined && '--reader-token',
    flags.readerTokenStdin && '--reader-token-stdin',
  ].filter(name => name !== false);
  if (named.length === 0) {
    throw new UsageError('a reader is required', {
      code: 'missing_argument',
      hints: ['type an e-mail address, or use --reader-token-stdin'],
    });
  }
  if (named.length > 1) {
    throw new UsageError(`${named.join(' and ')} cannot be combined`, {
      code: 'conflicting_options',
      hints: ['name one reader'],
    });
  }
  const reader = await namedReader(flags, context);
  redactReader(reader, context);
  return reader;
}

/** The address that the command line names. Throws UsageError for none, two, or a bad one. */
export function emailFromFlags({ reader: argument, email: flag }: EmailFlags, context: Context): string {
  if (argument !== undefined && flag !== undefined)
    throw new UsageError('EMAIL and --email cannot be combined', {
      code: 'conflicting_options',
      hints: ['name one reader'],
    });
  const email = argument ?? flag;
  if (email === undefined)
    throw new UsageError('an e-mail address is required', {
      code: 'missing_argument',
      hints: ['type gatectl token EMAIL'],
    });
  const reader = readerByEmail(email);
  redactReader(reader, context);
  return reader.email;
}

async function namedReader(flags: ReaderFlags, context: Context): Promise<Reader> {
  const email = flags.reader ?? flags.email;
  if (email !== undefined) return readerByEmail(email);
  if (flags.readerToken !== undefined) return readerByToken(flags.readerToken);
  return readerByToken(await readText(context.io.stdin));
}

/** Keeps the reader's identity out of every message, log line and URL from here on. */
export function redactReader(reader: Reader, context: Context): void {
  context.redactor.add(reader.kind === 'email' ? reader.email : reader.token);
}

/**
 * How responses are shown: unchanged, or with every e-mail address masked, because a server may repeat the reader's in another form,
 * or name another reader. From here on, messages show no address either.
 */
export async function maskedIf(
  isMasked: boolean,
  { redactor }: Pick<Context, 'redactor'>,
): Promise<<T>(data: T) => T> {
  if (!isMasked) return data => data;
  const { ADDRESS_IN_TEXT, maskAddresses } = await import('../../apis/subscriptions/mask-addresses.ts');
  redactor.redactMatches(ADDRESS_IN_TEXT);
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
