import { dataDays } from '../../../analysis/data-days.ts';
import { type CalendarPeriod, grainsOf } from '../../../analysis/periods.ts';
import { type DayRange, isDay } from '../../../apis/bda/days.ts';
import { problemsOf } from '../../../apis/bda-v2/check-query.ts';
import { fetchDateRange } from '../../../apis/bda-v2/listings.ts';
import {
  columnsOf,
  namesOf,
  pageOf,
  withDays,
  withQueryFields,
  withTotalOrder,
} from '../../../apis/bda-v2/query.ts';
import { queryRows } from '../../../apis/bda-v2/query-rows.ts';
import { ApiError } from '../../../errors/index.ts';
import type { Plan } from '../../../export/plan.ts';
import { integerOf, isList, isRecord, type Json, type JsonRecord } from '../../../json/index.ts';
import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX } from '../../../wire/bda-v2.ts';
import type { Context } from '../../framework/context.ts';
import { columnNames, unitsOf } from '../column-catalogue.ts';
import type { Site } from '../domain-flag.ts';
import { listingOf } from '../listings.ts';
import { throwProblems, withOrigins } from '../origins.ts';
import { type RowFlags, resumeCommand, rowCountOf } from '../rows/row-flags.ts';
import type { RowsOutput } from '../rows/rows-output.ts';
import { rowsOfSites } from '../rows/sites.ts';
import { bdaV2Site } from '../site.ts';
import { periodValues, selectsByFigures } from './period-values.ts';
import { QUERY_FLAGS, type QueryFlags, queryFromFlags } from './query-flags.ts';

/** A query that was checked, and not sent yet. */
interface CheckedQuery {
  /** The body of its first request. */
  readonly first: JsonRecord;
  /** Its sites, if it names some; the first request is for the first of them. */
  readonly sites: readonly Site[];
  readonly days: DayRange | undefined;
  /** The calendar period that was requested. */
  readonly period: CalendarPeriod | undefined;
  /** Its rows. */
  output(): Promise<RowsOutput>;
  /** An error of the API with the flags that set the rejected fields; any other error unchanged. */
  withFlags(error: unknown): Promise<unknown>;
}

/** Where the JSON of a query is from. */
interface QuerySource {
  /** How messages name it; undefined without JSON. */
  readonly source: string | undefined;
  readonly isStdin: boolean;
  /** Whether requests may be sent to resolve the flags. */
  readonly maySend: boolean;
}

/** Checks a query from JSON and flags. Throws UsageError. */
export async function checkedQuery(
  flags: QueryFlags,
  body: JsonRecord,
  context: Context,
  { source, isStdin, maySend }: QuerySource,
): Promise<CheckedQuery> {
  const { limit: ownLimit, ...rest } = body;
  const { all, tableRows } = await rowCountOf(flags, ownLimit !== undefined && ownLimit !== null, context);
  const {
    query: fromFlags,
    origins,
    days,
    sites,
  } = await queryFromFlags(flags, all ? rest : body, context, {
    maySend,
  });
  const completeDays = flags.completePeriods ? await completeDaysOf(fromFlags, context) : undefined;
  const requested = completeDays === undefined ? fromFlags : withDays(fromFlags, completeDays);
  throwProblems(problemsOf(requested), origins, source);

  // The same flags may mean other days tomorrow.
  const exactDays = completeDays ?? (days.isRelative ? days : undefined);
  const plan = planOf(requested, all, flags);
  const sent = all ? withTotalOrder(requested) : requested;
  const period = completeDays === undefined ? days.period : undefined;
  const { start: offset, pageSize: limit } = plan;
  return {
    sites,
    days: daysOf(sent),
    period,
    first: all ? pageOf(sent, { offset, limit }) : sent,
    async output() {
      if (flags.all && ownLimit !== undefined) context.log.note(`--all overrides the limit in ${source}`);
      const site = await bdaV2Site(context);
      const gateway = await context.gateway();
      const outputOf = (sent: JsonRecord): RowsOutput => {
        const { limit: _, offset: __, ...request } = sent;
        return {
          source: queryRows(gateway, site, sent, { paged: all }),
          plan,
          tableRows,
          figures: namesOf(sent.metrics),
          flags,
          request,
          days: request.date_range ?? null,
          query: {
            dimensions: namesOf(sent.dimensions),
            days: daysOf(sent),
            period,
            forDays: days => ({
              source: queryRows(gateway, site, withDays(withTotalOrder(sent), days), { paged: true }),
              plan: allRows(0, flags),
            }),
            ownValues: days => periodValues(sent, days, gateway, site),
            selectsByFigures: selectsByFigures(sent),
            dataDays: async () => dataDays(await fetchDateRange(gateway, site), textIn(sent.data_set)),
            isSorted: isList(requested.sort) && requested.sort.length > 0,
            units: () => unitsOf(columnsOf(sent), context, () => listingOf('columns', 'v2', context)),
          },
          resumeCommand: resumeCommand(QUERY_FLAGS, exactDays, context),
          readsStdin: isStdin,
        };
      };
      const outputOfSite = ({ id }: Site) => outputOf(withQueryFields(sent, new Map([['domain_id', id]])));
      return (await rowsOfSites(sites, outputOfSite, context)) ?? outputOf(sent);
    },
    async withFlags(error) {
      if (!(error instanceof ApiError)) return error;
      const allOrigins = new Map([...origins, ...sortOrigins(requested, sent)]);
      return await withOrigins(error, allOrigins, source, options => columnNames(context, options));
    },
  };
}

/** Origins of the sort keys that fetching all rows adds. */
function sortOrigins(requested: JsonRecord, sent: JsonRecord): [string, string][] {
  const [own, all] = [requested, sent].map(({ sort }) => (isList(sort) ? sort.length : 0));
  return Array.from({ length: (all ?? 0) - (own ?? 0) }, (_, at) => [
    `sort.${(own ?? 0) + at}`,
    'sorting by each dimension, which fetching all rows requires',
  ]);
}

/** The days of complete weeks or months, for --complete-periods. */
async function completeDaysOf(query: JsonRecord, context: Context): Promise<DayRange> {
  const { completeDays } = await import('../rows/complete-periods.ts');
  const grains = grainsOf(namesOf(query.dimensions)).map(({ grain }) => grain);
  return await completeDays(daysOf(query), grains, context);
}

function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The days of a query. */
function daysOf({ date_range: days }: JsonRecord): DayRange | undefined {
  if (!isRecord(days) || typeof days.start_date !== 'string' || typeof days.end_date !== 'string')
    return undefined;
  const { start_date: from, end_date: to } = days;
  return isDay(from) && isDay(to) ? { from, to } : undefined;
}

type PagingFlags = Pick<RowFlags, 'pageSize' | 'concurrency'>;

function planOf(requested: JsonRecord, all: boolean, flags: PagingFlags): Plan {
  const start = integerOf(requested.offset) ?? 0;
  if (all) return allRows(start, flags);
  const limit = integerOf(requested.limit);
  if (limit === undefined) return { start, pageSize: QUERY_LIMIT_DEFAULT, single: true, endsByItself: true };
  return { start, pageSize: limit, single: true };
}

function allRows(start: number, { pageSize, concurrency }: PagingFlags): Plan {
  return {
    start,
    pageSize: pageSize ?? QUERY_LIMIT_MAX,
    pagesInFlight: concurrency,
    expectsPages: pageSize !== undefined,
  };
}
