import { pipeline, Readable } from 'node:stream';
import type { Day } from '../../apis/bda/days.ts';
import { chunksOf, eachStoredRow } from '../../export/stored-rows.ts';
import { isNumberText } from '../../json/index.ts';
import { DAY_COLUMN } from '../config.ts';
import { arrayIn } from '../rows/row-file.ts';
import { BrokenContractError, type Problem } from './broken-contract.ts';
import { valueText } from './row-tests.ts';

interface RowsFile {
  readonly path: string;
  /** The columns of its lines. */
  readonly columns: readonly string[];
  readonly signal: AbortSignal;
}

type Visit = (value: string, day: Day) => void;

/** The same error, with a row of the partition that shows each problem. Throws FileError and the signal's reason. */
export async function withExamples(error: BrokenContractError, file: RowsFile): Promise<BrokenContractError> {
  const problems: Problem[] = [];
  for (const problem of error.problems) {
    const { shownBy } = problem;
    let example: string | undefined;
    if (shownBy !== undefined)
      await eachValue(file, shownBy.column, (value, day) => {
        if (example === undefined && shownBy.matches(value)) example = shownBy.words(value, day);
      });
    problems.push({ ...problem, example });
  }
  return new BrokenContractError(problems, error.isKept);
}

/** Visits the values of a column as JSON texts, with the days of their rows. A number in quotes is one. */
async function eachValue(file: RowsFile, column: string, visit: Visit): Promise<void> {
  if (!file.path.endsWith('.json')) return await eachCell(file, column, visit);
  const rows = { rowsPath: () => arrayIn(file.path), signal: file.signal };
  await eachStoredRow([DAY_COLUMN, column], rows, (row, layout) => {
    const text = valueText(row, layout, 1);
    const digits = text.slice(1, -1);
    visit(
      text.startsWith('"') && isNumberText(digits) ? digits : text,
      JSON.parse(valueText(row, layout, 0)),
    );
  });
}

const ESCAPED: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' };

async function eachCell({ path, columns, signal }: RowsFile, column: string, visit: Visit): Promise<void> {
  const { parse } = await import('csv-parse');
  const isCsv = path.endsWith('.csv');
  const parser = parse({
    delimiter: isCsv ? ',' : '\t',
    quote: isCsv ? '"' : null,
    cast: (cell, { quoting }) => {
      if (isCsv ? cell === '' && !quoting : cell === '\\N') return 'null';
      if (isNumberText(cell)) return cell;
      const text = isCsv ? cell : cell.replace(/\\(.)/gs, (_, letter: string) => ESCAPED[letter] ?? letter);
      return JSON.stringify(text);
    },
  });
  // Errors are thrown by the loop over the records.
  pipeline(Readable.from(copies(path, signal)), parser, () => {});
  const [at, day] = [columns.indexOf(column), columns.indexOf(DAY_COLUMN)];
  for await (const record of parser) visit(record[at], JSON.parse(record[day]));
}

/** Pieces of a file that remain valid. */
async function* copies(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunksOf(path)) {
    signal.throwIfAborted();
    yield Buffer.from(chunk);
  }
}
