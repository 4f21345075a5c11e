import { listProducts } from '../../apis/subscriptions/holdings.ts';
import { BUILT_IN_LANGUAGES } from '../../apis/subscriptions/languages.ts';
import type { Reader } from '../../apis/subscriptions/reader.ts';
import { cannotCombine, invalidUsage } from '../../errors/usage.ts';
import type { Json } from '../../json/index.ts';
import { answerRecord } from '../../operations/access/answer-records.ts';
import type { Reply } from '../../operations/access/explain-reader.ts';
import { nearestTemplate } from '../../operations/access/reply-templates.ts';
import { ENGLISH } from '../../operations/access/words/english.ts';
import { wordsIn } from '../../operations/access/words/in-language.ts';
import type { Words } from '../../operations/access/words/words.ts';
import { FORMATS, isForPeople } from '../../output/view.ts';
import { isOnTerminal } from '../../terminal/io.ts';
import type { Context, Globals } from '../framework/context.ts';
import {
  boolean,
  defineCommand,
  inGroup,
  list,
  outputFile,
  string,
  type ValuesOf,
} from '../framework/define-command.ts';
import { assertDistinctFiles, listSource } from '../framework/file-arguments.ts';
import { LIST_FLAGS } from '../framework/list-flags.ts';
import { Modes } from '../framework/modes.ts';
import { object } from '../framework/output-schema.ts';
import {
  EMAILS_ARGUMENT,
  listOfReaders,
  maskedIf,
  oneText,
  READER_FLAGS,
  type ReaderFlags,
  readersFromFlags,
  shownReader,
} from '../framework/reader-flags.ts';
import { COLUMNS_FLAG, concurrencyFlag } from '../framework/shared-flags.ts';
import { answerSections } from './answer-sections.ts';
import { languageFor, SupportDesk } from './support-desk.ts';

const FLAGS = {
  ...inGroup('Result', {
    product: list('--product <handles>', 'also check these products: a,b (repeatable)', { isPasted: true }),
    item: list(
      '--item <key>',
      'also check this one-time item, for an article the URL of its page (repeatable)',
      {
        isPasted: true,
      },
    ),
    language: string(
      '--language <code>',
      'language of the answer and the reply: en, de, es, fr (fr_FR: fr); of the reply also one with custom templates',
      { completes: BUILT_IN_LANGUAGES },
    ),
    ...READER_FLAGS,
  }),
  reply: boolean('--reply', 'print only the reply to paste'),
  web: boolean('--web', 'serve the prompt as a page on this machine'),
  products: boolean('--products', 'only add the products that each reader holds'),
  ...LIST_FLAGS,
  out: outputFile(
    '--out <file>',
    'write the list with the results to this file: .csv, .tsv, .xlsx, .md, .html, .json or .ndjson',
  ),
  failedFile: outputFile('--failed-file <file>', 'write readers that could not be looked up, for @FILE'),
  concurrency: concurrencyFlag(),
  ...COLUMNS_FLAG,
};

const MODES = new Modes(
  {
    one: { label: 'one reader', group: 'One reader' },
    list: { label: 'a list of readers', group: 'A list of readers' },
    work: { label: 'the prompt', group: 'Prompt' },
  },
  FLAGS,
  {
    email: ['one'],
    readerToken: ['one'],
    readerTokenStdin: ['one'],
    reply: ['one'],
    web: ['work'],
    products: ['list'],
    emailColumn: ['list'],
    encoding: ['list'],
    skipInvalid: ['list'],
    out: ['list'],
    failedFile: ['list'],
    concurrency: ['list'],
    columns: ['list'],
  },
);

type ReaderCommandFlags = ValuesOf<typeof FLAGS>;

export const reader = defineCommand({
  name: 'reader',
  effect: 'read',
  summary: "show a reader's access, and what to do",
  description:
    "Shows a reader's access decisions in plain words, the purchases, what changed since the last check, what to do next, and a reply to paste. The reader is an address or pasted text that contains it, such as an e-mail; a page in the text is checked as an item, and +HANDLE as a product. @FILE, or - for stdin, reads an e-mail or a list (CSV or a workbook), which keeps its columns. On a terminal without arguments, gatectl prompts for one reader at a time. Decisions are stored under a hash of the address, to show changes the next time.",
  arguments: { words: EMAILS_ARGUMENT },
  options: MODES.options,
  examples: {
    'gatectl reader reader@example.com --product premium': 'one reader',
    'gatectl reader reader@example.com --mask -o md': 'for a ticket, with the address hidden',
    'gatectl reader reader@example.com --reply --language de': 'only the reply, in German',
    'gatectl reader @tickets.xlsx --out answers.xlsx': 'a list of tickets',
    'gatectl reader': 'a prompt for one reader after another',
    'gatectl reader --web': 'the same as a page in the browser',
  },
  output: object({
    reader: ['string', 'the address, or (session token)'],
    domain: ['string', 'the domain of the request'],
    known: ['boolean', 'whether the site knows the reader'],
    products: ['string[]', 'the product handles that the reader holds'],
    purchases: ['object[]', 'see gatectl purchases'],
    decisions: [
      '{product, item, decision, reasonCode, allowed, meaning, next, boughtAs, nearest}[]',
      'see gatectl access, for each product and item, with what to do next',
    ],
    since: ['string|null', 'when the decisions were last checked'],
    changes: [
      '{product, change, from, to}[]|null',
      'decisions that differ since then, or are not listed now; product is null if the site did not know the reader then, or does not now; null if there is nothing to compare with',
    ],
    added: ['string[]|null', 'products that were not checked then'],
    next: ['string[]', 'what to do next'],
    reply: ['{about, product, language, text}', 'a reply to paste; only its members with --reply'],
    '(column)': ['any?', 'for a list: an object for each line, with its columns and the results'],
  }),
  async run({ words, ...typed }, context) {
    if (typed.reply) rejectLanguage(words);
    const text = await oneText(words);
    const source = text === undefined ? undefined : listSource(text);
    const { mail, content } =
      source === undefined ? {} : await (await import('./mail-source.ts')).mailIn(source, context);
    const flags = { ...typed, reader: mail ?? text };
    if (source !== undefined && mail === undefined) return await showList(source, flags, context, content);
    const isPrompting = !isNamed(flags) && context.prompt !== undefined && isOnTerminal(context.io);
    if (flags.web && !isNamed(flags)) {
      MODES.assertApplies('work', flags, { label: '--web' });
      assertNoOutputFlags('--web', context.globals);
      const { serveWorkspace } = await import('./web/server.ts');
      return await serveWorkspace(await SupportDesk.open(flags, context), flags.mask, context);
    }
    if (isPrompting) {
      MODES.assertApplies('work', flags);
      assertNoOutputFlags('the prompt', context.globals);
      const { promptForReaders } = await import('./prompt-for-readers.ts');
      return await promptForReaders(await SupportDesk.open(flags, context), flags.mask, context);
    }
    const said = await wordsIn(await languageFor(flags.language, context));
    const { readers, ...asked } = await readersFromFlags(flags, context, said);
    const [who, ...others] = readers;
    if (others.length > 0) {
      return await showList('the text', flags, context, listOfReaders(readers));
    }
    MODES.assertApplies('one', flags);
    await show(who, asked, { ...flags, said }, context);
  },
});

/** Throws UsageError for flags of output that the page and the prompt do not have. */
function assertNoOutputFlags(mode: '--web' | 'the prompt', globals: Globals): void {
  const { fields, jq, curl, requiresCsv, flags } = globals;
  // The prompt can print Markdown.
  const isReadable =
    mode === 'the prompt' && FORMATS.some(each => each === flags.output && isForPeople(each));
  const hasFormat = flags.output !== undefined && !isReadable;
  const given = [
    fields !== undefined && '--fields',
    jq !== undefined && '--jq',
    requiresCsv && '--csv-dialect',
    hasFormat && `--output ${flags.output}`,
    curl && '--curl',
  ].find(flag => flag !== false);
  if (given !== undefined)
    throw cannotCombine(`${mode} and ${given}`, 'name a reader: gatectl reader EMAIL prints to stdout');
}

/** Throws UsageError for `--reply de`. */
function rejectLanguage(words: readonly string[]): void {
  const language = words.find(word => /^[a-z]{2}(?:[-_][a-z]{2})?$/i.test(word));
  if (language !== undefined)
    throw invalidUsage(`--reply has no value '${language}'`, `type --reply --language ${language}`);
}

function isNamed({ reader: text, email, readerToken, readerTokenStdin }: ReaderFlags): boolean {
  return text !== undefined || email !== undefined || readerToken !== undefined || readerTokenStdin;
}

async function show(
  who: Reader,
  asked: Parameters<SupportDesk['answer']>[1],
  { said, ...flags }: ReaderCommandFlags & { readonly said: Words },
  context: Context,
): Promise<void> {
  const desk = await SupportDesk.open(flags, context);
  const masked = await maskedIf(flags.mask, context);
  const answer = masked(await desk.answer(who, asked));
  if (flags.reply) return await printReply(answer.reply, context);
  const shown = shownReader(who, flags.mask);
  const english = desk.speech(ENGLISH);
  const dates = { ...english.dates, locale: undefined };
  const record = answerRecord(answer, shown, { words: ENGLISH, dates });
  const sections = answerSections(answer, shown, desk.speech(said));
  await context.out.printSections(record, sections, record.decisions ?? null);
}

async function printReply(reply: Reply, context: Context): Promise<void> {
  const { value: format } = (await context.settings()).output;
  if (!isForPeople(format) || context.globals.jq !== undefined)
    return await context.out.print(reply as unknown as Json);
  if (format !== 'html') return await context.out.printText(reply.text);
  await context.out.print(reply.text.split(/\n{2,}/), {
    prose: true,
    paragraphs: true,
    language: reply.language,
  });
}

/** Whether a list is written for people, and not for programs, which read English. */
async function isListForPeople(out: string | undefined, context: Context): Promise<boolean> {
  const { globals } = context;
  if (out === undefined)
    return globals.jq === undefined && isForPeople((await context.settings()).output.value);
  const { formatOf } = await import('../framework/rows-file.ts');
  const format = formatOf(out);
  return format === 'xlsx' || isForPeople(format);
}

/** Looks up each reader of a list, or only the products that each holds. `content` is the list itself, instead of a file. */
async function showList(
  source: string,
  flags: ReaderCommandFlags & Pick<ReaderFlags, 'reader'>,
  context: Context,
  content?: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  MODES.assertApplies('list', flags);
  if (flags.products && flags.product.length + flags.item.length > 0)
    throw cannotCombine('--products and --product or --item', 'use one of them');
  assertDistinctFiles(
    [['EMAIL', content instanceof Uint8Array ? undefined : source]],
    [
      ['--failed-file', flags.failedFile],
      ['--out', flags.out],
    ],
    context.io,
  );
  const { printReaderList } = await import('../framework/reader-list.ts');
  const desk = await SupportDesk.open(flags, context);
  // As for one reader, whose reply it is also the language of.
  await nearestTemplate('allowed', desk.language, context.io);
  const list = { ...flags, fromFile: source, content };
  const { domain } = desk.site;
  const words = (await isListForPeople(flags.out, context)) ? await wordsIn(desk.language) : ENGLISH;
  if (!flags.products) {
    await printReaderList(list, desk.listQuestion(words), context);
    return;
  }
  await printReaderList(
    list,
    {
      words,
      heading: words.list.products(domain),
      look: reader => listProducts(desk.sender, desk.site, reader),
      added: () => ({
        columns: [{ key: 'products', title: words.labels.columns.products, kind: 'text' }],
        records: held => [{ products: held.join(', ') }],
      }),
      decisions: held => [{ name: null, reason: held.length > 0 ? undefined : 'no_product' }],
    },
    context,
  );
}
