import { namesThings, rolesOf } from '../../analysis/column-roles.ts';
import { InvalidResponseError, UsageError } from '../../errors/index.ts';
import type { ExportStats } from '../../export/export-audit.ts';
import { exportRows } from '../../export/export-rows.ts';
import type { RowSource } from '../../export/row-source.ts';
import { streamSink } from '../../export/sink.ts';
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
} from '../../json/index.ts';
import type { Conclusion } from '../../output/conclusion.ts';
import { presentationOf } from '../../output/presentation/index.ts';
import type { Column } from '../../output/view.ts';
import { groupDigits } from '../../terminal/numbers.ts';
import type { RequestedRows } from './requested-rows.ts';
import { type RowSupply, type RowWork, trackProgress } from './row-progress.ts';
import { comparedColumns, namedDimensions, presentedColumns, withOneUnit } from './shown-columns.ts';

/** Maximum number of values in memory: each requires up to a hundred bytes. */
const MAX_VALUES = 4_000_000;

/** Rows in memory. */
export interface CollectedRows {
  readonly rows: readonly Json[];
  readonly stats: ExportStats;
  /** Total number of matching rows; undefined if the API reports none. */
  readonly total: number | undefined;
}

/**
 * Collects all rows in memory. `onRow` gets the number of rows and bytes so far, and may throw to stop. `filter` selects the rows
 * to collect. Throws UsageError (`output_too_large`) and InvalidResponseError.
 */
export async function collectRows(
  { source, plan }: RowSupply,
  work: RowWork,
  onRow: (rows: number, bytes: number) => void,
  filter: (row: Json) => boolean = () => true,
): Promise<CollectedRows> {
  const line = trackProgress({ source, plan }, work);
  const rows: Json[] = [];
  let bytes = 0;
  let values = 0;
  const onChunk = async (chunk: Uint8Array) => {
    bytes += chunk.length;
    for (const text of new TextDecoder().decode(chunk).split('\n')) {
      if (text === '') continue;
      onRow(rows.length + 1, bytes);
      const row = parseRow(text);
      if (!filter(row)) continue;
      rows.push(row);
      values += countValues(text);
      if (values > MAX_VALUES)
        throw new UsageError(
          `the rows contain more than ${groupDigits(MAX_VALUES)} values, too many to collect in memory`,
          { code: 'output_too_large' },
        );
    }
  };
  const { stats, progress } = await exportRows({
    source,
    plan,
    encoding: { format: 'ndjson', dialect: 'rfc4180' },
    clock: work.clock,
    signal: work.signal,
    retries: work.retries,
    openSink: async () => streamSink(onChunk),
    onRows: line.onRows,
    onPage: async reached => line.onPage(reached),
  });
  line.finish();
  return { rows, stats, total: progress.reached.total };
}

/** The columns of a table, with numeric formatting for figures. Derived from the rows if the source names no columns. */
export function columnsOf(source: RowSource, figures: readonly string[], rows: readonly Json[]): Column[] {
  if (source.columns.length > 0) return toColumns(source.columns, figures);
  const records = rows.filter(isRecord);
  if (records.length < rows.length) return [];
  const roles = rolesOf(records, { dimensions: [], figures: [] }, { mayHaveOthers: true });
  const counted = roles.figures.filter(
    name => !namesThings(name) && records.some(row => isJsonNumber(fieldOf(row, name))),
  );
  return toColumns([...new Set(records.flatMap(row => Object.keys(row)))], [...figures, ...counted]);
}

function toColumns(columns: readonly string[], figures: readonly string[]): Column[] {
  return columns.map(key => ({
    key,
    presentation: presentationOf(key),
    ...(figures.includes(key) && { kind: 'number' as const }),
  }));
}

/** Rows as records; a row that is not an object gets its positions as names. */
export function recordsOf(rows: readonly Json[]): JsonRecord[] {
  return rows.map(row => {
    if (isRecord(row)) return row;
    const values = isList(row) ? row : [row];
    return Object.fromEntries(values.map((value, index) => [String(index + 1), value]));
  });
}

function parseRow(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    throw new InvalidResponseError(`cannot parse a row: ${error.message}`, {
      code: 'malformed_rows',
      cause: error,
    });
  }
}

/** The columns of requested rows as people read them, as `comparedColumns` has them where the rows are compared. */
export async function columnsForPeople(
  { source, figures, query, comparison }: RequestedRows,
  rows: readonly Json[],
  totals: readonly Conclusion[] = [],
): Promise<ReturnType<typeof comparedColumns>> {
  const listed = rows.length === 0 ? undefined : await query?.facts();
  const own = columnsOf(source, figures, rows);
  // Only a query has dimensions.
  const presented = presentedColumns(query === undefined ? own : namedDimensions(own), listed);
  const columns = withOneUnit(presented, rows, totals);
  return comparison === undefined ? { columns, secondary: [] } : comparedColumns(columns, rows);
}
