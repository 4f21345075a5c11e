import { Readable } from 'node:stream';
import type { Reader } from '../../apis/subscriptions/reader.ts';
import { readReaders } from '../../apis/subscriptions/readers-file.ts';
import { PartialError } from '../../errors/index.ts';
import { openAtomic } from '../../files/atomic-file.ts';
import type { TextSource } from '../../files/text-source.ts';
import type { Json } from '../../json/index.ts';
import { type CheckedReader, checkReaders } from '../../operations/access/check-readers.ts';
import { type AddedColumns, ListSummary, listRows } from '../../operations/access/list-rows.ts';
import { ENGLISH } from '../../operations/access/words/english.ts';
import type { Words } from '../../operations/access/words/words.ts';
import { type Column, isForPeople } from '../../output/view.ts';
import type { Context } from './context.ts';
import type { ValuesOf } from './define-command.ts';
import { type LIST_FLAGS, reportList } from './list-flags.ts';
import { maskedIf } from './reader-flags.ts';

/** The values of the flags of a list; `fromFile` is a path, or `-` for stdin. */
export interface ReaderListFlags extends ValuesOf<typeof LIST_FLAGS> {
  readonly fromFile: string;
  /** The list itself, instead of a file. */
  readonly content?: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  readonly mask: boolean;
  readonly concurrency: number | undefined;
  readonly failedFile: string | undefined;
  readonly out: string | undefined;
  readonly columns: readonly string[] | undefined;
}

/** What is asked about each reader of a list, and how it is shown. */
interface ReaderQuestion<Found> {
  /** What it is said in; English by default. */
  readonly words?: Words;
  readonly heading: string;
  readonly look: (reader: Reader, list: { readonly size: number }) => Promise<Found>;
  /** What is added to a list; `isTable` if the list has columns of its own. */
  readonly added: (isTable: boolean) => AddedColumns<Found>;
  /** What the summary counts. */
  readonly decisions: (found: Found) => Parameters<ListSummary['add']>[0];
}

interface ListOutcome {
  /** Whether all readers were checked; a closed pipe of the output ends the checks early. */
  readonly isComplete: boolean;
}

/**
 * Asks about every reader of a list and prints or writes the list with what was found, in its order. A reader that cannot be checked is a
 * row with an error. Throws UsageError for a list that cannot be used, and PartialError.
 */
export async function printReaderList<Found>(
  flags: ReaderListFlags,
  question: ReaderQuestion<Found>,
  context: Context,
  wait: (written: Promise<void>) => Promise<void> = written => written,
): Promise<ListOutcome> {
  const list = await lookUpList(flags, question, context);
  await wait(print(list, flags, context));
  return await list.finish();
}

/** Asks about every reader of a list. Its rows come as they are read; `finish` throws PartialError for readers that could not be checked. */
export async function lookUpList<Found>(
  flags: ReaderListFlags,
  question: ReaderQuestion<Found>,
  context: Context,
): Promise<LookedUpList> {
  const { words = ENGLISH } = question;
  const notes: string[] = [];
  const { emails, table, problems, duplicates, repaired } = await readReaders(sourceOf(flags, context), {
    signal: context.signal,
    encoding: flags.encoding,
    column: flags.emailColumn,
    isInMemory: flags.content !== undefined,
    onOpened(note) {
      notes.push(words.list.opened(note));
      context.log.note(words.list.opened(note), words.note);
    },
  });
  const size = emails.size;
  reportList({ problems, duplicates: table === undefined ? duplicates : 0, repaired, size }, flags, context);
  const sender = await context.gateway();
  const masked = await maskedIf(flags.mask, context);
  const progress = context.log.progress(size, 'readers');
  const summary = new ListSummary();
  let failed = 0;
  let checked = 0;
  const readers = checkReaders(emails, reader => question.look(reader, { size }), {
    ...{ sender, most: flags.concurrency, redactor: context.redactor },
    onChecked(reader) {
      const isChecked = 'found' in reader;
      if (isChecked) {
        checked += 1;
        summary.add(question.decisions(reader.found));
      } else {
        failed += 1;
        summary.addFailure();
      }
      progress.advance(1, isChecked ? 0 : 1);
    },
  });
  const { columns, rows } = listRows(
    table,
    noted(readers, flags.failedFile),
    question.added(table !== undefined),
    words,
  );
  const lines = table?.rows.length ?? size;
  return {
    notes,
    heading: masked(question.heading),
    columns: masked(columns),
    rows: mapped(rows, masked),
    words,
    sentences: said =>
      masked(summary.sentences({ lines, invalid: table === undefined ? 0 : problems.count }, said)),
    async finish() {
      progress.finish();
      if (failed > 0) {
        throw new PartialError(`${failed} of ${size} readers could not be checked`, {
          code: 'partial_failure',
        });
      }
      return { isComplete: checked === size };
    },
  };
}

function sourceOf({ content, fromFile }: ReaderListFlags, { io }: Context): TextSource {
  if (content !== undefined)
    return Readable.from(content instanceof Uint8Array ? [Buffer.from(content)] : content);
  return fromFile === '-' ? io.stdin : fromFile;
}

interface LookedUpList extends PrintedList {
  /** What is said about how the list was read. */
  readonly notes: readonly string[];
  readonly finish: () => Promise<ListOutcome>;
}

interface PrintedList {
  readonly heading: string;
  readonly columns: readonly Column[];
  readonly rows: AsyncIterable<Json>;
  /** The summary, once the rows are there. */
  readonly sentences: (words: Words) => readonly string[];
  readonly words: Words;
}

async function print(
  { heading, columns, rows, sentences: sentencesIn, words }: PrintedList,
  { out, columns: chosen }: Pick<ReaderListFlags, 'out' | 'columns'>,
  context: Context,
): Promise<void> {
  // Before a reader is asked about.
  if (chosen !== undefined) (await import('../../output/choose-columns.ts')).chosenColumns(chosen, columns);
  const { value: format } = (await context.settings()).output;
  const isData = context.globals.jq !== undefined || !isForPeople(format);
  if (out === undefined && isData) return await context.out.printRows(rows, { columns, chosen });
  const all: Json[] = [];
  for await (const row of rows) all.push(row);
  const sentences = sentencesIn(words);
  const view = { heading, introduction: sentences, columns, chosen, language: words.tag };
  if (out === undefined) return await context.out.print(all, view);
  const { formatOf, writeRowsFile } = await import('./rows-file.ts');
  await writeRowsFile(out, formatOf(out), {
    around: undefined,
    lines: [heading, ...sentences],
    summaryName: words.list.sheets.summary,
    sheetName: words.list.sheets.readers,
    isForPeople: true,
    rows: () => all,
    columns,
    sections: () => [{ title: heading, data: all, view }],
    style: { ...(await context.out.style()), width: undefined, unicode: true },
    signal: context.signal,
  });
  const shown = { readers: all.length, summary: [...sentencesIn(ENGLISH)], out };
  await context.out.printResult(shown, [{ title: heading, data: sentences, view: { prose: true } }], [shown]);
  context.log.info(`wrote ${out}`);
}

/** Writes the addresses that could not be checked to a file, as they pass; it appears after the last reader. */
async function* noted<Found>(
  readers: AsyncIterable<CheckedReader<Found>>,
  path: string | undefined,
): AsyncGenerator<CheckedReader<Found>> {
  const file = path === undefined ? undefined : await openAtomic(path);
  try {
    for await (const reader of readers) {
      if ('error' in reader) await file?.write(`${reader.email}\n`);
      yield reader;
    }
    await file?.commit();
  } finally {
    await file?.discard();
  }
}

async function* mapped(rows: AsyncIterable<Json>, change: <T>(data: T) => T): AsyncGenerator<Json> {
  for await (const row of rows) yield change(row);
}
