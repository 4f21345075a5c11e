import { dataDays } from '../../analysis/data-days.ts';
import type { CalendarPeriod } from '../../analysis/periods.ts';
import { type DayRange, isDay } from '../../apis/bda/days.ts';
import { fetchDateRange } from '../../apis/bda-v2/listings.ts';
import { columnsOf, namesOf, withDays, withQueryFields, withTotalOrder } from '../../apis/bda-v2/query.ts';
import { queryRows } from '../../apis/bda-v2/query-rows.ts';
import type { BdaV2Site } from '../../apis/bda-v2/requests.ts';
import type { Sender } from '../../http/sender.ts';
import { isList, isRecord, type JsonRecord } from '../../json/index.ts';
import type { ColumnFacts } from '../../output/presentation/column.ts';
import type { RequestedRows, Site } from '../rows/requested-rows.ts';
import type { RowWork } from '../rows/row-progress.ts';
import { allRows, type PlannedQuery } from './plan-query.ts';

interface QueryOptions {
  /** The sites to query, each with its own requests; none for what the query names. */
  readonly sites: readonly Site[];
  /** The calendar period that was requested, if one was. */
  readonly period: CalendarPeriod | undefined;
}

interface QueryWork extends RowWork {
  readonly gateway: Sender;
  readonly site: BdaV2Site;
  /** What the gateway lists of some columns, as far as it is known. */
  readonly facts: (columns: readonly string[]) => Promise<ReadonlyMap<string, ColumnFacts>>;
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
  { gateway, site, facts }: QueryWork,
): RequestedRows {
  const { limit: _, offset: __, ...request } = sent;
  const { data_set: dataSet } = sent;
  let found: Promise<DayRange | undefined> | undefined;
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
      byDay: async days => (await import('./period-values.ts')).valuesByDay(sent, days, gateway, site),
      selectsByFigures: async () => (await import('./period-values.ts')).selectsByFigures(sent),
      dataDays: () =>
        (found ??= fetchDateRange(gateway, site).then(body =>
          dataDays(body, typeof dataSet === 'string' ? dataSet : undefined),
        )),
      isSorted: isList(request.sort) && request.sort.length > 0,
      facts: () => facts(columnsOf(sent)),
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
