import { rolesOf } from '../../../analysis/column-roles.ts';
import { InvalidResponseError, UsageError } from '../../../errors/index.ts';
import type { ExportStats } from '../../../export/export-audit.ts';
import { exportRows } from '../../../export/export-rows.ts';
import type { RowSource } from '../../../export/row-source.ts';
import { streamSink } from '../../../export/sink.ts';
import {
  countValues,
  fieldOf,
  InvalidJsonError,
  isJsonNumber,
  isList,
  isRecord,
  type Json,
  type JsonRecord,
  parseJson,
} from '../../../json/index.ts';
import type { Column } from '../../../output/view.ts';
import { groupDigits } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { exportOptions, followed } from './export-options.ts';
import type { RowsOutput } from './rows-output.ts';

/** Values in all rows that are held: each costs up to a hundred bytes of memory, however short its text. */
const MOST_VALUES = 4_000_000;

/** Rows in memory. */
export interface CollectedRows {
  readonly rows: readonly Json[];
  readonly remarks: ExportStats;
  /** Rows that match in all; undefined where no answer said so. */
  readonly total: number | undefined;
}

/**
 * Brings all rows of a delivery here. `onRow` gets how many rows and bytes there are, and may throw where they are too many. With
 * `keeps`, only rows that it says true to are held.
 */
export async function collectRows(
  delivery: Pick<RowsOutput, 'source' | 'plan'>,
  context: Context,
  onRow: (rows: number, bytes: number) => void,
  keeps: (row: Json) => boolean = () => true,
): Promise<CollectedRows> {
  const line = followed(delivery, context);
  const rows: Json[] = [];
  let bytes = 0;
  let values = 0;
  const take = async (chunk: Uint8Array) => {
    bytes += chunk.length;
    for (const text of new TextDecoder().decode(chunk).split('\n')) {
      if (text === '') continue;
      onRow(rows.length + 1, bytes);
      const row = rowIn(text);
      if (!keeps(row)) continue;
      rows.push(row);
      values += countValues(text);
      if (values > MOST_VALUES)
        throw new UsageError(
          `these rows hold more than ${groupDigits(MOST_VALUES)} values, too many to hold at once`,
          { code: 'output_too_large', hints: ['write them row by row instead: -o ndjson, or --out FILE'] },
        );
    }
  };
  const { remarks, progress } = await exportRows({
    ...(await exportOptions(delivery, 'ndjson', context)),
    openSink: async () => streamSink(take),
    onRows: line.onRows,
    onPage: async reached => line.onPage(reached),
  });
  line.finish();
  return { rows, remarks, total: progress.reached.total };
}

/** The columns as people see them: figures by thousands. Where the source names none, those of the rows, by what they hold. */
export function columnsOf(source: RowSource, figures: readonly string[], rows: readonly Json[]): Column[] {
  if (source.columns.length > 0) return asShown(source.columns, figures);
  const records = rows.filter(isRecord);
  if (records.length < rows.length) return [];
  const roles = rolesOf(records, { dimensions: [], figures: [] }, { mayHaveOthers: true });
  const counted = roles.figures.filter(
    name => !YEAR.test(name) && records.some(row => isJsonNumber(fieldOf(row, name))),
  );
  return asShown([...new Set(records.flatMap(row => Object.keys(row)))], [...figures, ...counted]);
}

/** A number that nobody groups. */
const YEAR = /year/i;

function asShown(columns: readonly string[], figures: readonly string[]): Column[] {
  return columns.map(key => (figures.includes(key) ? { key, kind: 'number' } : { key }));
}

/** Rows by the names of their columns; what is no object has its places for names. */
export function recordsOf(rows: readonly Json[]): JsonRecord[] {
  return rows.map(row => {
    if (isRecord(row)) return row;
    const values = isList(row) ? row : [row];
    return Object.fromEntries(values.map((value, index) => [String(index + 1), value]));
  });
}

function rowIn(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    throw new InvalidResponseError(`a row can't be read: ${error.message}`, {
      code: 'malformed_rows',
      cause: error,
    });
  }
}
