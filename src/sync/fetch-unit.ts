import type { KindOf } from '../apis/bda/filter-expression.ts';
import { queryRows } from '../apis/bda-v2/query-rows.ts';
import type { BdaV2Site } from '../apis/bda-v2/requests.ts';
import { InvalidResponseError } from '../errors/index.ts';
import { type ExportStats, warningsOf } from '../export/export-audit.ts';
import { exportRows } from '../export/export-rows.ts';
import type { Plan } from '../export/plan.ts';
import { makeFolder, removeFolder } from '../files/folders.ts';
import type { Clock } from '../http/clock.ts';
import type { Sender } from '../http/sender.ts';
import { QUERY_LIMIT_MAX } from '../wire/bda-v2.ts';
import { fetchDayValues } from './control-totals.ts';
import type { DayValues } from './ledger.ts';
import { type Unit, unitsAfterPage } from './plan.ts';
import type { PartitionRows } from './rows/partition-rows.ts';
import { type DividerOptions, RowDivider } from './rows/row-divider.ts';
import { tableQuery } from './table-query.ts';

export interface FetchOptions
  extends Pick<DividerOptions, 'form' | 'kinds' | 'target' | 'rejectsNul' | 'omitsSite'> {
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

interface FetchedUnit {
  /** The rows of the complete partitions of the unit that have any, by key. */
  readonly rows: ReadonlyMap<string, PartitionRows>;
  /** How many of the unit's partitions are complete: the first ones. */
  readonly done: number;
  /** Units for the others. */
  readonly rest: readonly Unit[];
  /** The gateway's own values of the days of the unit, of the metrics that no sum of rows gives. */
  readonly dayValues: DayValues | undefined;
}

/** How often a unit is requested whose rows changed meanwhile. */
const ATTEMPTS = 3;

/**
 * Requests the rows of a unit. A unit of several partitions takes one page: if it has more rows, the partitions that are complete
 * are returned, with units for the rest. The values of its days come first: if figures change in between, they are those before the
 * rows, so that a sweep finds the change. Throws the gateway's typed errors, InvalidResponseError for rows that do not add up,
 * and FileError.
 */
export async function fetchUnit(unit: Unit, options: FetchOptions): Promise<FetchedUnit> {
  const { folder } = options;
  const dayValues = unit.dayValues ?? (await fetchDayValues(unit.table, unit.domain, unit.days, options));
  for (let attempt = 1; ; attempt += 1) {
    await makeFolder(folder);
    const divider = new RowDivider({ ...options, table: unit.table, domain: unit.domain, days: unit.days });
    try {
      const stats = await fetchRows(unit, divider, options);
      const [warning] = warningsOf(stats);
      if (warning === undefined)
        return complete({ ...unit, dayValues }, await divider.finish(), stats, options);
      if (attempt === ATTEMPTS || stats.otherTotal === undefined)
        throw new InvalidResponseError(warning, { code: 'malformed_rows' });
    } finally {
      await divider.close();
    }
    await removeFolder(folder);
  }
}

async function fetchRows(
  unit: Unit,
  divider: RowDivider,
  { sender, site, clock, signal, retries, kindOf, onPage, pageRows = QUERY_LIMIT_MAX }: FetchOptions,
): Promise<ExportStats> {
  const query = tableQuery(unit.table, unit.domain.id, unit.days, kindOf);
  const isOnePage = unit.partitions.length > 1;
  const plan: Plan = { start: 0, pageSize: pageRows, ...(isOnePage && { rowLimit: pageRows }) };
  const { stats } = await exportRows({
    source: queryRows(sender, site, query, { paged: true }),
    plan,
    encoding: { format: 'json', dialect: 'rfc4180' },
    openSink: async () => divider,
    clock,
    signal,
    retries,
    onRows: () => {},
    onPage: async () => onPage(),
  });
  return stats;
}

/** Leaves out the partitions whose rows may continue on a page that was not requested. */
function complete(
  unit: Unit,
  rowsOf: ReadonlyMap<string, PartitionRows>,
  { rows, lastTotal }: ExportStats,
  { pageRows = QUERY_LIMIT_MAX }: FetchOptions,
): FetchedUnit {
  const { partitions, dayValues } = unit;
  const total = lastTotal ?? rows;
  if (total <= rows) return { rows: rowsOf, done: partitions.length, rest: [], dayValues };
  // The last partition with rows may continue on the next page.
  const lastKey = [...rowsOf.keys()].at(-1);
  const done = partitions.findIndex(({ key }) => key === lastKey);
  const ready = new Map([...rowsOf].filter(([key]) => key !== lastKey));
  const doneRows = [...ready.values()].reduce((sum, part) => sum + part.rows, 0);
  const rest = unitsAfterPage(unit, done, doneRows, total, pageRows).map(left => ({ ...left, dayValues }));
  return { rows: ready, done, rest, dayValues };
}
