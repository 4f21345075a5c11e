import { createHash } from 'node:crypto';
import { knownMetricKind } from '../analysis/metric-kinds.ts';
import type { Day, DayRange } from '../apis/bda/days.ts';
import type { KindOf } from '../apis/bda/filter-expression.ts';
import { pageOf } from '../apis/bda-v2/query.ts';
import { fetchRows } from '../apis/bda-v2/query-rows.ts';
import type { BdaV2Site } from '../apis/bda-v2/requests.ts';
import { InvalidResponseError } from '../errors/index.ts';
import { afterPage, NO_PROGRESS, nextPage, type Plan } from '../export/plan.ts';
import { createReadStream } from '../files/disk.ts';
import { fileError } from '../files/file-error.ts';
import type { Sender } from '../http/sender.ts';
import { digitsOf, fieldOf, isJsonNumber, isNumberText, type JsonRecord } from '../json/index.ts';
import { QUERY_LIMIT_MAX } from '../wire/bda-v2.ts';
import { metricKindIn } from './additivity.ts';
import { DAY_COLUMN, type SyncTable } from './config.ts';
import { sumOf } from './exact-sum.ts';
import type { LedgerEntry } from './ledger.ts';
import type { SyncDomain } from './plan.ts';
import { tableQuery, totalsQuery } from './table-query.ts';

/** How to reach the gateway for totals. */
export interface TotalsOptions {
  readonly sender: Sender;
  readonly site: BdaV2Site;
  readonly kindOf: KindOf;
}

/** The exact sums of some metrics on each day with rows. */
type TotalsByDay = ReadonlyMap<Day, readonly (string | null)[]>;

/**
 * The metrics of a table whose values may be summed: the built-in ones, and those that the sync file names. None for a table
 * with a filter on a metric, which applies to its rows and not to the totals of a day.
 */
export function additiveMetrics(table: SyncTable): readonly string[] {
  const { metrics, filters } = table;
  if (filters.some(({ column }) => metrics.includes(column) || knownMetricKind(column) !== undefined))
    return [];
  return metrics.filter(metric => metricKindIn(table, metric)?.kind === 'additive');
}

/** How often the totals of a site are requested whose number changes meanwhile. */
const ATTEMPTS = 3;

/**
 * Requests the totals of each day of a site: in one request, unless the gateway has shorter pages. Throws InvalidResponseError and the
 * gateway's typed errors.
 */
export async function fetchTotals(
  table: SyncTable,
  domain: SyncDomain,
  days: DayRange,
  { sender, site, kindOf }: TotalsOptions,
): Promise<{ readonly totals: TotalsByDay; readonly requests: number }> {
  const metrics = additiveMetrics(table);
  const query = totalsQuery(table, metrics, domain.id, days, kindOf);
  let requests = 0;
  for (let attempt = 1; ; attempt += 1) {
    const { rows, total, pages, isChanged } = await fetchAllRows(query, { sender, site });
    requests += pages;
    if (isChanged && attempt < ATTEMPTS) continue;
    if (isChanged) throw invalid(`total_rows changed while the totals of ${table.name} were requested`);
    if (total !== undefined && total !== rows.length)
      throw invalid(`the totals of ${table.name} have ${rows.length} rows, but total_rows is ${total}`);
    return { totals: totalsIn(rows, table, metrics), requests };
  }
}

/** Requests all pages of a query; `isChanged` if their totals differ, so that rows may be missing or there twice. */
async function fetchAllRows(
  query: JsonRecord,
  { sender, site }: Pick<TotalsOptions, 'sender' | 'site'>,
): Promise<{
  readonly rows: readonly JsonRecord[];
  readonly total: number | undefined;
  readonly pages: number;
  readonly isChanged: boolean;
}> {
  const plan: Plan = { start: 0, pageSize: QUERY_LIMIT_MAX };
  const rows: JsonRecord[] = [];
  let reached = NO_PROGRESS;
  let isChanged = false;
  for (let page = nextPage(plan, reached); page !== undefined; page = nextPage(plan, reached)) {
    const { rows: found, total } = await fetchRows(sender, site, pageOf(query, page));
    if (reached.pages > 0 && total !== reached.total) isChanged = true;
    rows.push(...found);
    reached = afterPage(reached, found.length, total);
  }
  return { rows, total: reached.total, pages: reached.pages, isChanged };
}

function totalsIn(rows: readonly JsonRecord[], table: SyncTable, metrics: readonly string[]): TotalsByDay {
  const totals = new Map<Day, readonly (string | null)[]>();
  for (const row of rows) {
    const day = fieldOf(row, DAY_COLUMN);
    if (typeof day !== 'string' || totals.has(day))
      throw invalid(`the totals of ${table.name} are not one row for each ${DAY_COLUMN}`);
    totals.set(
      day,
      metrics.map(metric => {
        const value = fieldOf(row, metric);
        if (value === null) return '0';
        if (isJsonNumber(value)) return sumOf([digitsOf(value)]);
        if (typeof value === 'string' && isNumberText(value)) return sumOf([value]);
        throw invalid(
          value === undefined
            ? `the totals of ${table.name} on ${day} have no ${metric}`
            : `${metric} on ${day} is not a number in the totals of ${table.name}`,
        );
      }),
    );
  }
  return totals;
}

function invalid(message: string): InvalidResponseError {
  return new InvalidResponseError(message, { code: 'unexpected_shape' });
}

/** Requests how many rows a site has on some days. Throws InvalidResponseError for a response without total_rows. */
export async function fetchRowCount(
  table: SyncTable,
  domain: SyncDomain,
  days: DayRange,
  { sender, site, kindOf }: TotalsOptions,
): Promise<number> {
  const query = tableQuery(table, domain.id, days, kindOf);
  const { total } = await fetchRows(sender, site, pageOf(query, { offset: 0, limit: 1 }));
  if (total === undefined) throw invalid(`the response for ${table.name} has no total_rows`);
  return total;
}

/** A total of one day that differs from the ledger. */
interface Difference {
  readonly day: Day;
  readonly metric: string;
  readonly recorded: string;
  readonly found: string;
}

/** The first difference between a partition and the totals of its days; undefined if there is none. */
export function differenceIn(
  table: SyncTable,
  entry: LedgerEntry,
  totals: TotalsByDay,
): Difference | undefined {
  const metrics = additiveMetrics(table);
  const days = new Set(Object.keys(entry.days));
  for (const day of totals.keys()) if (day >= entry.from && day <= entry.to) days.add(day);
  for (const day of [...days].sort()) {
    const sums = entry.days[day]?.slice(1) as readonly (string | null)[] | undefined;
    for (const [index, metric] of metrics.entries()) {
      const recorded = sums === undefined ? '0' : (sums[entry.metrics.indexOf(metric)] ?? null);
      const found = totals.has(day) ? (totals.get(day)?.[index] ?? null) : '0';
      const isOnlyThere = totals.has(day) !== (sums !== undefined);
      if (isOnlyThere || (recorded !== null && found !== null && recorded !== found))
        return { day, metric, recorded: recorded ?? '', found: found ?? '' };
    }
  }
  return undefined;
}

/** The SHA-256 of a file in hexadecimal digits. Throws FileError. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  } catch (error) {
    throw fileError(path, error, 'read');
  }
  return hash.digest('hex');
}
