import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KindOf } from '../apis/bda/filter-expression.ts';
import { queryRows } from '../apis/bda-v2/query-rows.ts';
import type { BdaV2Site } from '../apis/bda-v2/requests.ts';
import { InvalidResponseError } from '../errors/index.ts';
import { type ExportStats, warningsOf } from '../export/export-audit.ts';
import { exportRows } from '../export/export-rows.ts';
import { FileSink } from '../export/file-sink.ts';
import type { Plan } from '../export/plan.ts';
import { openAtomic } from '../files/atomic-file.ts';
import type { Clock } from '../http/clock.ts';
import type { Sender } from '../http/sender.ts';
import { QUERY_LIMIT_MAX } from '../wire/bda-v2.ts';
import { type Unit, unitsAfterPage } from './plan.ts';
import { type PartitionRows, splitRows } from './split-rows.ts';
import { tableQuery } from './table-query.ts';

export interface FetchOptions {
  readonly sender: Sender;
  readonly site: BdaV2Site;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Maximum retries of a page that broke off. */
  readonly retries: number;
  readonly kindOf: KindOf;
  /** Rows of a page. */
  readonly pageRows?: number;
  /** A folder of this unit alone, which the caller removes. */
  readonly folder: string;
  /** Called with each page. */
  readonly onPage: () => void;
}

export interface FetchedUnit {
  /** The rows of the complete partitions of the unit that have any, by key. */
  readonly rows: ReadonlyMap<string, PartitionRows>;
  /** How many of the unit's partitions are complete: the first ones. */
  readonly done: number;
  /** Units for the others. */
  readonly rest: readonly Unit[];
}

/** How often a unit is requested whose rows changed meanwhile. */
const ATTEMPTS = 3;

/**
 * Requests the rows of a unit. A unit of several partitions takes one page: if it has more rows, the partitions that are complete
 * are returned, with units for the rest. Throws the gateway's typed errors, InvalidResponseError for rows that do not add up, and
 * FileError.
 */
export async function fetchUnit(unit: Unit, options: FetchOptions): Promise<FetchedUnit> {
  for (let attempt = 1; ; attempt += 1) {
    await mkdir(options.folder, { recursive: true });
    const { rowsPath, stats } = await fetchRows(unit, options);
    const warnings = warningsOf(stats);
    if (warnings.length > 0) {
      if (attempt < ATTEMPTS && stats.otherTotal !== undefined) {
        await rm(options.folder, { recursive: true, force: true });
        continue;
      }
      throw new InvalidResponseError(warnings[0] ?? '', { code: 'malformed_rows' });
    }
    return await divide(unit, rowsPath, stats, options);
  }
}

async function fetchRows(
  unit: Unit,
  { sender, site, clock, signal, retries, kindOf, folder, onPage, pageRows = QUERY_LIMIT_MAX }: FetchOptions,
): Promise<{ readonly rowsPath: string; readonly stats: ExportStats }> {
  const query = tableQuery(unit.table, unit.domain.id, unit.days, kindOf);
  const rowsPath = join(folder, 'rows.json');
  const isOnePage = unit.partitions.length > 1;
  const plan: Plan = { start: 0, pageSize: pageRows, ...(isOnePage && { rowLimit: pageRows }) };
  // A run that was interrupted requests the rows again.
  const file = await openAtomic(rowsPath, { isDurable: false });
  try {
    const { stats } = await exportRows({
      source: queryRows(sender, site, query, { paged: true }),
      plan,
      encoding: { format: 'json', dialect: 'rfc4180' },
      openSink: async () => new FileSink(file, undefined, undefined),
      clock,
      signal,
      retries,
      onRows: () => {},
      onPage: async () => onPage(),
    });
    await file.commit();
    return { rowsPath, stats };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

async function divide(
  unit: Unit,
  rowsPath: string,
  { rows, lastTotal }: ExportStats,
  { folder, signal, pageRows = QUERY_LIMIT_MAX }: FetchOptions,
): Promise<FetchedUnit> {
  const { table, domain, partitions } = unit;
  const split = await splitRows({ rowsPath, folder, table, domain, signal });
  const known = new Set(partitions.map(({ key }) => key));
  for (const key of split.keys())
    if (!known.has(key))
      throw new InvalidResponseError(`${table.name} has rows of ${key}, which were not requested`, {
        code: 'unexpected_shape',
      });
  const total = lastTotal ?? rows;
  if (total <= rows) return { rows: split, done: partitions.length, rest: [] };
  // The last partition with rows may continue on the next page.
  const lastKey = [...split.keys()].at(-1);
  const done = partitions.findIndex(({ key }) => key === lastKey);
  const complete = new Map([...split].filter(([key]) => key !== lastKey));
  const doneRows = [...complete.values()].reduce((sum, part) => sum + part.rows, 0);
  return { rows: complete, done, rest: unitsAfterPage(unit, done, doneRows, total, pageRows) };
}
