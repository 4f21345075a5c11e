import { dataDays } from '../../analysis/data-days.ts';
import type { CalendarPeriod } from '../../analysis/periods.ts';
import { type DayRange, isDay } from '../../apis/bda/days.ts';
import { fetchDateRange } from '../../apis/bda-v2/listings.ts';
import {
  columnsOf,
  namesOf,
  pageOf,
  withDays,
  withQueryFields,
  withTotalOrder,
} from '../../apis/bda-v2/query.ts';
import { queryRows } from '../../apis/bda-v2/query-rows.ts';
import type { BdaV2Site } from '../../apis/bda-v2/requests.ts';
import type { Plan } from '../../export/plan.ts';
import type { Sender } from '../../http/sender.ts';
import { integerOf, isList, isRecord, type JsonRecord } from '../../json/index.ts';
import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX } from '../../wire/bda-v2.ts';
import type { RequestedRows, Site } from '../rows/requested-rows.ts';
import type { RowWork } from '../rows/row-progress.ts';

/** How all rows of a query are requested. */
interface Paging extends Pick<Plan, 'pagesInFlight' | 'expectsPages'> {
  /** Rows per request; by default as many as the API allows. */
  readonly pageSize?: number | undefined;
}

/** A v2 query that is ready to be sent. */
interface PlannedQuery {
  /** The query as the API takes it; with all rows, in a total order and without a limit. */
  readonly sent: JsonRecord;
  /** The body of its first request. */
  readonly first: JsonRecord;
  readonly plan: Plan;
  readonly paging: Paging;
  /** Whether all rows are requested, page by page. */
  readonly isPaged: boolean;
}

/**
 * Which rows of a query are requested, and in which order: all rows in pages, whose order ends in all dimensions so that pages neither
 * overlap nor leave gaps; or else one page, of the API's default size without a limit (spec, Endpoints D).
 */
export function planQuery(query: JsonRecord, isPaged: boolean, paging: Paging): PlannedQuery {
  const start = integerOf(query.offset) ?? 0;
  const limit = integerOf(query.limit);
  if (!isPaged) {
    const plan: Plan =
      limit === undefined
        ? { start, pageSize: QUERY_LIMIT_DEFAULT, single: true, endsByItself: true }
        : { start, pageSize: limit, single: true };
    return { sent: query, first: query, plan, paging, isPaged };
  }
  const { limit: _, ...unlimited } = query;
  const sent = withTotalOrder(unlimited);
  const plan = allRows(start, paging);
  return { sent, first: pageOf(sent, { offset: start, limit: plan.pageSize }), plan, paging, isPaged };
}

function allRows(start: number, { pageSize = QUERY_LIMIT_MAX, ...rest }: Paging): Plan {
  return { start, pageSize, ...rest };
}

interface QueryOptions {
  /** The sites to query, each with its own requests; none for what the query names. */
  readonly sites: readonly Site[];
  /** The calendar period that its days are, if they are one. */
  readonly period: CalendarPeriod | undefined;
}

interface QueryWork extends RowWork {
  readonly gateway: Sender;
  readonly site: BdaV2Site;
  /** The units of some columns, as far as they are known. */
  readonly units: (columns: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** The rows of a query, which are requested when they are read. Throws UsageError for several sites and a column with their name. */
export async function runQuery(
  planned: PlannedQuery,
  { sites, period }: QueryOptions,
  work: QueryWork,
): Promise<RequestedRows> {
  if (sites.length < 2) return rowsOfQuery(planned, period, work);
  const { rowsOfSites } = await import('../rows/rows-of-sites.ts');
  const rowsOf = ({ id }: Site) => {
    const sent = withQueryFields(planned.sent, new Map([['domain_id', id]]));
    return rowsOfQuery({ ...planned, sent }, period, work);
  };
  return rowsOfSites(sites, rowsOf, work);
}

function rowsOfQuery(
  { sent, plan, paging, isPaged }: PlannedQuery,
  period: CalendarPeriod | undefined,
  { gateway, site, units }: QueryWork,
): RequestedRows {
  const { limit: _, offset: __, ...request } = sent;
  const { data_set: dataSet } = sent;
  return {
    source: queryRows(gateway, site, sent, { paged: isPaged }),
    plan,
    figures: namesOf(sent.metrics),
    request,
    days: request.date_range ?? null,
    query: {
      dimensions: namesOf(sent.dimensions),
      days: daysOf(sent),
      period,
      forDays: days => ({
        source: queryRows(gateway, site, withDays(withTotalOrder(sent), days), { paged: true }),
        plan: allRows(0, paging),
      }),
      ownValues: async days => (await import('./period-values.ts')).periodValues(sent, days, gateway, site),
      selectsByFigures: async () => (await import('./period-values.ts')).selectsByFigures(sent),
      dataDays: async () =>
        dataDays(await fetchDateRange(gateway, site), typeof dataSet === 'string' ? dataSet : undefined),
      isSorted: isList(request.sort) && request.sort.length > 0,
      units: () => units(columnsOf(sent)),
    },
  };
}

/** The days of a query; undefined unless both ends are valid. */
export function daysOf({ date_range: days }: JsonRecord): DayRange | undefined {
  if (!isRecord(days) || typeof days.start_date !== 'string' || typeof days.end_date !== 'string')
    return undefined;
  const { start_date: from, end_date: to } = days;
  return isDay(from) && isDay(to) ? { from, to } : undefined;
}
