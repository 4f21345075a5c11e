import type { CalendarPeriod, Grain } from '../../analysis/periods.ts';
import { type DayRange, dayIn, isDay } from '../../apis/bda/days.ts';
import { isPresent } from '../../apis/bda/fields.ts';
import {
  inlineColumns,
  inlineMetrics,
  rowColumns,
  withDataDays,
  withDataFields,
} from '../../apis/bda-v1/data-request.ts';
import { reportRows } from '../../apis/bda-v1/report-rows.ts';
import type { DataTarget } from '../../apis/bda-v1/requests.ts';
import { existingTimeZone } from '../../config/resolve.ts';
import { PartialError } from '../../errors/index.ts';
import type { Plan } from '../../export/plan.ts';
import type { JsonRecord } from '../../json/index.ts';
import { type Analytics, bdaV1Site } from '../listings/analytics.ts';
import { factsOf } from '../listings/column-catalogue.ts';
import type { RequestedRows, Site } from '../rows/requested-rows.ts';
import type { RowWork } from '../rows/row-progress.ts';

/** A v1 data request that is ready to be sent, and the rows of it to fetch. */
interface ReportRequest {
  readonly target: DataTarget;
  /** Without paging. */
  readonly request: JsonRecord;
  readonly plan: Plan;
  /** All rows from the first one, for other days of the same request. */
  readonly allRows: Plan;
  /** The sites to query, each with its own requests; none for what the request names. */
  readonly sites: readonly Site[];
  /** The time grouping of the request, whose column it does not name. */
  readonly groupedBy: Grain | undefined;
  /** The calendar period that was requested, if one was. */
  readonly period: CalendarPeriod | undefined;
}

/** The rows of a report. */
interface ReportRows {
  readonly rows: RequestedRows;
  /** Call it once the rows were read. Throws PartialError if the server sent the first page again in place of the next one. */
  assertPaged(): void;
}

/** The rows of a v1 data request, which are requested when they are read. Throws UsageError for a column with the name of the sites. */
export async function runReport(
  { target, request, plan, allRows, sites, groupedBy, period }: ReportRequest,
  analytics: Analytics,
  work: RowWork,
): Promise<ReportRows> {
  const [gateway, site] = [await analytics.gateway(), await bdaV1Site(analytics)];
  let isCut = false;
  const sourceOf = (dataRequest: JsonRecord) =>
    reportRows(gateway, site, {
      target,
      request: dataRequest,
      columns: rowColumns(dataRequest),
      onRepeated: ({ offset }) => {
        // After a page that was not full there may be no more rows.
        isCut = (offset - plan.start) % plan.pageSize === 0;
      },
    });
  const requested = await requestDayOf(request, analytics);
  const rowsOf = (sent: JsonRecord): RequestedRows => ({
    source: sourceOf(sent),
    plan,
    figures: inlineMetrics(sent),
    request: { ...target, ...sent, ...requested },
    days: isPresent(sent.StartDate) ? { StartDate: sent.StartDate, EndDate: sent.EndDate } : null,
    query: {
      dimensions: inlineColumns(sent).filter(name => !inlineMetrics(sent).includes(name)),
      groupedBy,
      days: daysOfRequest(sent),
      period,
      forDays: other => ({ source: sourceOf(withDataDays(sent, other)), plan: allRows }),
      isSorted: isPresent(sent.Order),
      facts: () => factsOf(inlineMetrics(sent), 'v1', analytics),
    },
  });
  const rowsOfSite = ({ id }: Site) => rowsOf(withDataFields(request, new Map([['DomainId', id]])));
  const { rowsOfSites } = await (sites.length < 2 ? {} : import('../rows/rows-of-sites.ts'));
  return {
    rows: rowsOfSites?.(sites, rowsOfSite, work) ?? rowsOf(request),
    assertPaged() {
      if (isCut)
        throw new PartialError('the server ignores StartItem: rows after the first page are missing', {
          code: 'page_repeated',
        });
    },
  };
}

/** The days of a v1 data request; undefined unless both ends are valid. */
export function daysOfRequest({ StartDate: from, EndDate: to }: JsonRecord): DayRange | undefined {
  if (typeof from !== 'string' || typeof to !== 'string' || !isDay(from) || !isDay(to)) return undefined;
  return { from, to };
}

/** A default date range depends on the current day, so an export must not be resumed on another day. */
async function requestDayOf(request: JsonRecord, analytics: Analytics): Promise<JsonRecord> {
  if (isPresent(request.StartDate)) return {};
  const timeZone = existingTimeZone(await analytics.settings()) ?? 'UTC';
  return { RequestedOn: dayIn(analytics.clock.now(), timeZone) };
}
