import type { Day, DayRange } from '../apis/bda/days.ts';
import type { KindOf } from '../apis/bda/filter-expression.ts';
import { pageOf } from '../apis/bda-v2/query.ts';
import { fetchRows } from '../apis/bda-v2/query-rows.ts';
import type { BdaV2Site } from '../apis/bda-v2/requests.ts';
import { ApiError, InvalidResponseError } from '../errors/index.ts';
import { afterPage, NO_PROGRESS, nextPage, type Plan } from '../export/plan.ts';
import type { Sender } from '../http/sender.ts';
import { digitsOf, fieldOf, isJsonNumber, isNumberText, type JsonRecord } from '../json/index.ts';
import { QUERY_LIMIT_MAX } from '../wire/bda-v2.ts';
import { additiveMetrics, unsummedMetrics } from './additivity.ts';
import { DAY_COLUMN, type SyncTable } from './config.ts';
import { sumOf } from './exact-sum.ts';
import type { DayValues, Ledger, LedgerEntry } from './ledger.ts';
import type { SyncDomain } from './plan.ts';
import { tableQuery, totalsQuery } from './table-query.ts';

/** How to reach the gateway for totals. */
export interface TotalsOptions {
  readonly sender: Sender;
  readonly site: BdaV2Site;
  readonly kindOf: KindOf;
}

/** The gateway's values of some metrics on each day with rows. */
interface Totals {
  readonly metrics: readonly string[];
  readonly byDay: ReadonlyMap<Day, readonly (string | null)[]>;
  readonly requests: number;
}

/** How often the totals of a site are requested whose number changes meanwhile. */
const ATTEMPTS = 3;

/** The metrics whose values of a day can be compared with what a ledger has: in one of an earlier version, those that may be summed. */
export function comparableMetrics(table: SyncTable, ledger: Ledger): readonly string[] {
  const hasValues = [...ledger.values()].some(({ dayValues }) => dayValues !== undefined);
  return hasValues ? table.metrics : additiveMetrics(table);
}

/**
 * Requests the gateway's own values, on each day of a unit, of the metrics that no sum of rows gives. Undefined where there is none, or
 * the gateway does not have them. Throws the gateway's other typed errors.
 */
export async function fetchDayValues(
  table: SyncTable,
  domain: SyncDomain,
  days: DayRange,
  options: TotalsOptions & { readonly onPage: () => void },
): Promise<DayValues | undefined> {
  const metrics = unsummedMetrics(table);
  if (metrics.length === 0) return undefined;
  try {
    const { byDay, requests } = await fetchTotals(table, metrics, domain, days, options);
    for (let count = 0; count < requests; count++) options.onPage();
    return { metrics, days: Object.fromEntries(byDay) };
  } catch (error) {
    if (error instanceof ApiError || error instanceof InvalidResponseError) return undefined;
    throw error;
  }
}

/**
 * Requests the totals of some metrics on each day of a site: in one request, unless the gateway has shorter pages. Throws
 * InvalidResponseError and the gateway's typed errors.
 */
export async function fetchTotals(
  table: SyncTable,
  metrics: readonly string[],
  domain: SyncDomain,
  days: DayRange,
  { sender, site, kindOf }: TotalsOptions,
): Promise<Totals> {
  const query = totalsQuery(table, metrics, domain.id, days, kindOf);
  let requests = 0;
  for (let attempt = 1; ; attempt += 1) {
    const { rows, total, pages, isChanged } = await fetchAllRows(query, { sender, site });
    requests += pages;
    if (isChanged && attempt < ATTEMPTS) continue;
    if (isChanged) throw invalid(`total_rows changed while the totals of ${table.name} were requested`);
    if (total !== undefined && total !== rows.length)
      throw invalid(`the totals of ${table.name} have ${rows.length} rows, but total_rows is ${total}`);
    return { metrics, byDay: totalsIn(rows, table, metrics), requests };
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

function totalsIn(
  rows: readonly JsonRecord[],
  table: SyncTable,
  metrics: readonly string[],
): Totals['byDay'] {
  const additive = additiveMetrics(table);
  const totals = new Map<Day, readonly (string | null)[]>();
  for (const row of rows) {
    const day = fieldOf(row, DAY_COLUMN);
    if (typeof day !== 'string' || totals.has(day))
      throw invalid(`the totals of ${table.name} are not one row for each ${DAY_COLUMN}`);
    totals.set(
      day,
      metrics.map(metric => {
        const value = fieldOf(row, metric);
        // No sum is zero; no ratio is not.
        if (value === null) return additive.includes(metric) ? '0' : null;
        if (isJsonNumber(value))
          return sumOf([digitsOf(value)]) ?? (additive.includes(metric) ? null : digitsOf(value));
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

/** A value of one day that differs from the ledger. */
interface Difference {
  readonly day: Day;
  readonly metric: string;
  readonly recorded: string;
  readonly found: string;
  /** Whether it is the gateway's own value of then, not a sum of rows. */
  readonly isOwn: boolean;
}

/** The first difference between a partition and the values of its days; undefined if there is none. */
export function differenceIn(
  table: SyncTable,
  entry: LedgerEntry,
  { metrics, byDay }: Totals,
): Difference | undefined {
  const additive = additiveMetrics(table);
  const { from, to, dayValues } = entry;
  const before = dayValues?.days ?? entry.days;
  const days = new Set(Object.keys(before));
  for (const day of byDay.keys()) if (day >= from && day <= to) days.add(day);
  for (const day of [...days].sort()) {
    const values = byDay.get(day);
    const isOnlyThere = (values !== undefined) !== Object.hasOwn(before, day);
    for (const [index, metric] of metrics.entries()) {
      const isOwn = !additive.includes(metric);
      const recorded = isOwn ? ownValue(entry, day, metric) : sumOfDay(entry, day, metric);
      if (isOwn && recorded === null) continue;
      const value = values?.[index] ?? (isOwn ? 'null' : null);
      const found = values === undefined ? (isOwn ? 'none' : '0') : value;
      if (isOnlyThere || (recorded !== null && found !== null && recorded !== found))
        return { day, metric, recorded: recorded ?? '', found: found ?? '', isOwn };
    }
  }
  return undefined;
}

/** The sum of a metric on a day; null if it is not known. */
function sumOfDay({ days, metrics }: LedgerEntry, day: Day, metric: string): string | null {
  const sums = days[day]?.slice(1) as readonly (string | null)[] | undefined;
  return sums === undefined ? '0' : (sums[metrics.indexOf(metric)] ?? null);
}

/** The gateway's own value of a metric on a day, when it was requested; null if it is not known. */
function ownValue({ dayValues }: LedgerEntry, day: Day, metric: string): string | null {
  const at = dayValues?.metrics.indexOf(metric) ?? -1;
  if (dayValues === undefined || at < 0) return null;
  const values = dayValues.days[day];
  return values === undefined ? 'none' : (values[at] ?? 'null');
}
