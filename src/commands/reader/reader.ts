import type { Reader } from '../../apis/subscriptions/reader.ts';
import type { Site } from '../../apis/subscriptions/requests.ts';
import { cannotCombine, missingArgument } from '../../errors/usage.ts';
import type { Json } from '../../json/index.ts';
import type { Changes, Reply } from '../../operations/access/explain-reader.ts';
import {
  lookUpReader,
  productRecords,
  type SupportView,
  supportRecord,
} from '../../operations/access/look-up-reader.ts';
import { isOnTerminal } from '../../terminal/io.ts';
import type { Context, OutputSection } from '../framework/context.ts';
import { boolean, defineCommand, inGroup, list, type ValuesOf } from '../framework/define-command.ts';
import { gatewayName, lockMachine } from '../framework/lock-machine.ts';
import { object } from '../framework/output-schema.ts';
import {
  EMAIL_ARGUMENT,
  handlesIn,
  LANGUAGE_FLAG,
  languageNamed,
  maskedIf,
  PURCHASE_COLUMNS,
  READER_FLAGS,
  readerFromFlags,
  shownReader,
  siteFrom,
} from '../framework/reader-flags.ts';

const { mask: MASK, ...WHO } = READER_FLAGS;

const OPTIONS = {
  ...inGroup('Reader', {
    ...WHO,
    product: list('--product <handles>', 'also check these products: a,b (repeatable)', {
      isPasted: true,
    }),
  }),
  ...inGroup('Output', {
    why: boolean(
      '--why',
      'also show what changed since the last --why, and a reply to paste; hides the address',
    ),
    reply: boolean('--reply', 'print only the reply to paste'),
    language: LANGUAGE_FLAG,
    mask: MASK,
    unmask: boolean('--unmask', 'show e-mail addresses with --why'),
  }),
};
type Flags = ValuesOf<typeof OPTIONS>;

export const reader = defineCommand({
  name: 'reader',
  effect: 'read',
  summary: "show a reader's access, products and purchases",
  description:
    'Shows the products, the purchases and the access decisions of a reader, with the meaning of each decision and what to do next. Use -o md for a ticket, --mask to hide the address, and --product to check products that the reader does not hold. On a terminal without arguments, it prompts for one address after the other, which leaves no trace in the history of the shell.',
  arguments: { reader: EMAIL_ARGUMENT },
  options: OPTIONS,
  examples: {
    'gatectl reader reader@example.com --product premium': 'the support view',
    'gatectl reader reader@example.com --mask -o md': 'for a ticket, with the address hidden',
    'gatectl reader reader@example.com --why --language de': 'what changed, what to do and what to answer',
    'gatectl reader': 'one reader after the other, on the phone',
  },
  output: object({
    reader: ['string', 'the address, or (session token)'],
    domain: ['string', 'the domain of the request'],
    products: ['string[]', 'the product handles that the reader holds'],
    purchases: ['object[]', 'see gatectl purchases'],
    decisions: [
      '{product, decision, reasonCode, allowed, meaning, next, nearest}[]',
      'see gatectl access, for each product, with what to do next; nearest only with --why',
    ],
    since: ['string?', 'with --why: when the decisions were last explained'],
    changes: [
      '{product, change, from, to}[]|null?',
      'with --why: decisions that differ since then; null if there is nothing to compare with',
    ],
    added: ['string[]|null?', 'with --why: products that were not checked then'],
    reply: ['{about, product, language, text}?', 'with --why: a reply to paste'],
  }),
  async run(flags, context) {
    checkFlags(flags);
    if (isPrompting(flags, context)) {
      const { promptForReaders } = await import('./prompt-for-readers.ts');
      return await promptForReaders(async who => await show(who, flags, context), context);
    }
    await show(await readerFromFlags(flags, context), flags, context);
  },
});

function checkFlags({ why, reply, language, mask, unmask }: Flags): void {
  const conflict = (one: string, other: string) => cannotCombine(`${one} and ${other}`, 'use one of them');
  if (why && reply) throw conflict('--why', '--reply');
  if (mask && unmask) throw conflict('--mask', '--unmask');
  const idle = unmask && !why ? '--unmask requires --why' : undefined;
  const unused = language !== undefined && !why && !reply ? '--language requires --why or --reply' : idle;
  if (unused !== undefined) throw missingArgument(unused, 'add it, or remove the option');
}

/** Whether to prompt for addresses: none is given, and there is a terminal. */
function isPrompting(
  flags: Flags & { readonly reader: string | undefined },
  { io, prompt }: Context,
): boolean {
  const isNamed =
    flags.reader !== undefined ||
    flags.email !== undefined ||
    flags.readerToken !== undefined ||
    flags.readerTokenStdin;
  return !isNamed && prompt !== undefined && isOnTerminal(io);
}

async function show(who: Reader, flags: Flags, context: Context): Promise<void> {
  const site = await siteFrom(flags.domain, context);
  const isMasked = flags.mask || (flags.why && !flags.unmask);
  const masked = await maskedIf(isMasked, context);
  const view = masked(await lookUpReader(await context.gateway(), site, who, handlesIn(flags.product)));
  if (flags.reply) return await printReply(await replyFor(view, site, flags, context), context);
  const shown = shownReader(who, isMasked);
  const { decisions, ...basics } = supportRecord(view, { reader: shown, domain: site.domain });
  const sections = parts(shown, site.domain, view, decisions);
  if (!flags.why) return await context.out.printSections({ ...basics, decisions }, sections, decisions);

  const { explainReader, noChangesText } = await import('../../operations/access/explain-reader.ts');
  const reply = await replyFor(view, site, flags, context);
  const { domain } = site;
  const explained = { reader: who, gateway: await gatewayName(context), domain, now: context.clock.now() };
  const changes = await explainReader(view, explained, lockMachine(context));
  const { notStored } = changes;
  if (notStored !== undefined)
    context.log.warn(
      `the decisions are not remembered: ${notStored.message}`,
      await context.hintsFor(notStored),
    );
  const rows = productRecords(view, true);
  await context.out.printSections(
    {
      ...basics,
      decisions: rows,
      ...(changes.since !== undefined && { since: changes.since }),
      // An empty list would say that nothing has changed.
      changes: changes.since === undefined ? null : (changes.changes as unknown as Json),
      added: changes.since === undefined ? null : [...changes.added],
      reply: reply as unknown as Json,
    },
    [...parts(shown, domain, view, rows), ...explanation(changes, noChangesText(changes), reply)],
    rows,
  );
}

async function replyFor(view: SupportView, site: Site, flags: Flags, context: Context): Promise<Reply> {
  const { replyTo } = await import('../../operations/access/explain-reader.ts');
  const language = languageNamed(flags.language);
  const requested = handlesIn(flags.product);
  return await replyTo(view, { domain: site.domain, requested, language }, lockMachine(context));
}

async function printReply(reply: Reply, context: Context): Promise<void> {
  const { value: format } = (await context.settings()).output;
  if (format === 'table' && context.globals.jq === undefined) await context.out.printText(reply.text);
  else await context.out.print(reply as unknown as Json);
}

function explanation(
  { since, changes }: Changes,
  nothing: string,
  { text, about, language }: Reply,
): OutputSection[] {
  return [
    {
      title: since === undefined ? 'Changes' : `Changes since ${since}`,
      data: changes as unknown as Json,
      view: {
        columns: [
          { key: 'product', title: 'Product', kind: 'text' },
          { key: 'change', title: 'Change', kind: 'text' },
          { key: 'from', title: 'From', kind: 'time' },
          { key: 'to', title: 'To', kind: 'time' },
        ],
        empty: nothing,
      },
    },
    {
      title: `Reply (${about}, ${language})`,
      data: text.split(/\n{2,}/).map(paragraph => paragraph.replaceAll('\n', ' ')),
      view: { prose: true, paragraphs: true },
    },
  ];
}
function parts(shown: string, domain: string, view: SupportView, decisions: Json): OutputSection[] {
  return [
    { title: `Reader ${shown} at ${domain}`, data: summary(view), view: { prose: true } },
    {
      title: 'Access by product',
      data: decisions,
      view: {
        columns: [
          { key: 'product', title: 'Product', kind: 'text' },
          { key: 'allowed', title: 'Access', kind: 'flag' },
          { key: 'decision', title: 'Decision', kind: 'text' },
          { key: 'reasonCode', title: 'Reason', kind: 'text' },
          { key: 'nearest', title: 'Nearest', kind: 'text', whenPresent: true },
        ],
        empty: 'no product to check: name one with --product',
      },
    },
    {
      title: 'What it means and what to do',
      data: view.decisions.map(({ product, access }) => `${product}: ${access.meaning}; ${access.next}`),
      view: { prose: true, empty: 'nothing to add' },
    },
    {
      title: 'Purchases',
      data: view.purchases,
      view: { columns: PURCHASE_COLUMNS, empty: 'none under this identity at this site' },
    },
  ];
}

/** A summary in one or two sentences. */
function summary({ products, purchases, decisions }: SupportView): string {
  if (decisions.some(({ access }) => access.decision === 'login_required')) {
    return 'Nobody is known under this identity at this site.';
  }
  if (products.length === 0 && purchases.length === 0) {
    return 'This reader has no products and no purchases, or is unknown.';
  }
  const held = products.length === 0 ? 'holds no product' : `holds ${products.join(', ')}`;
  const bought = purchases.length === 1 ? 'one purchase' : `${purchases.length} purchases`;
  return `This reader ${held}; ${bought} in all.`;
}
