import { type CalendarPeriod, grainsOf } from '../../../analysis/periods.ts';
import type { DayRange } from '../../../apis/bda/days.ts';
import { problemsOf, REQUIRED } from '../../../apis/bda-v2/check-query.ts';
import { namesOf, withDays } from '../../../apis/bda-v2/query.ts';
import { ApiError, type FieldProblem } from '../../../errors/index.ts';
import { isList, type JsonRecord } from '../../../json/index.ts';
import { bdaV2Site } from '../../../operations/listings/analytics.ts';
import { columnNames, factsOf } from '../../../operations/listings/column-catalogue.ts';
import { planQuery } from '../../../operations/query/plan-query.ts';
import { daysOf, runQuery } from '../../../operations/query/run-query.ts';
import type { RequestedRows, Site } from '../../../operations/rows/requested-rows.ts';
import { isDocumentedColumn } from '../../../output/presentation/index.ts';
import type { Context } from '../../framework/context.ts';
import { rowWork } from '../output/row-work.ts';
import type { RequestedDays } from './day-flags.ts';
import { unlistedColumns } from './listed-columns.ts';
import { throwProblems, withOrigins } from './origins.ts';
import { type QueryFlags, queryFromFlags, type RequestFlags } from './query-flags.ts';

/** A query that was checked, and not sent yet. */
interface CheckedQuery {
  /** The body of its first request. */
  readonly first: JsonRecord;
  /** Its sites, if it names some; the first request is for the first of them. */
  readonly sites: readonly Site[];
  readonly days: DayRange | undefined;
  /** Days in full, where the same flags may mean other days tomorrow. */
  readonly exactDays: Pick<RequestedDays, 'from' | 'to'> | undefined;
  /** The calendar period that was requested. */
  readonly period: CalendarPeriod | undefined;
  /** Its rows, which are requested when they are read. */
  rows(): Promise<RequestedRows>;
  /** An error of the API with the flags that set the rejected fields; any other error unchanged. */
  withFlags(error: unknown): Promise<unknown>;
}

/** Where the JSON of a query is from. */
interface QuerySource {
  /** How messages name it; undefined without JSON. */
  readonly source: string | undefined;
  /** Whether requests may be sent to resolve the flags. */
  readonly maySend: boolean;
  /** Whether all rows are requested, page by page. */
  readonly isPaged: boolean;
  /** Whether the rows are ranked by their first metric unless they have another order. */
  readonly isRanked?: boolean;
  /** The command that requests all rows, if this one has no `--all`. */
  readonly allCommand?: string | undefined;
}

/** Checks a query from JSON and flags; flags that a caller does not have are absent. Throws UsageError. */
export async function checkedQuery(
  flags: RequestFlags & Partial<Pick<QueryFlags, 'all' | 'completePeriods' | 'concurrency'>>,
  body: JsonRecord,
  context: Context,
  { source, maySend, isPaged, isRanked, allCommand }: QuerySource,
): Promise<CheckedQuery> {
  const { limit: ownLimit, ...rest } = body;
  const {
    query: fromFlags,
    origins,
    days,
    sites,
  } = await queryFromFlags(flags, isPaged ? rest : body, context, {
    maySend,
    ...(isRanked && { isRanked }),
  });
  const completeDays = flags.completePeriods ? await completeDaysOf(fromFlags, context) : undefined;
  const requested = completeDays === undefined ? fromFlags : withDays(fromFlags, completeDays);
  const problems = problemsOf(requested);
  // Without days nothing is sent, and the gateway cannot name an unknown column.
  const isOpen =
    maySend && problems.some(({ field, message }) => field === 'date_range' && message === REQUIRED);
  throwProblems([...(isOpen ? await columnProblems(requested, context) : []), ...problems], origins, source);
  const { pageSize, concurrency: pagesInFlight } = flags;
  const planned = planQuery(requested, isPaged, {
    pageSize,
    pagesInFlight,
    expectsPages: pageSize !== undefined,
  });
  const period = completeDays === undefined ? days.period : undefined;
  return {
    sites,
    days: daysOf(planned.sent),
    exactDays: completeDays ?? (days.isRelative ? days : undefined),
    period,
    first: planned.first,
    async rows() {
      if (flags.all && ownLimit !== undefined) context.log.note(`--all overrides the limit in ${source}`);
      const work = {
        ...(await rowWork(context, allCommand)),
        site: await bdaV2Site(context),
        gateway: await context.gateway(),
        facts: (columns: readonly string[]) => factsOf(columns, 'v2', context),
      };
      return await runQuery(planned, { sites, period }, work);
    },
    async withFlags(error) {
      if (!(error instanceof ApiError)) return error;
      const allOrigins = new Map([...origins, ...sortOrigins(requested, planned.sent)]);
      return await withOrigins(error, allOrigins, source, options => columnNames(context, options));
    },
  };
}

/** The columns of a query that are nearly named as one of the gateway. Sends nothing for documented ones. */
async function columnProblems(query: JsonRecord, context: Context): Promise<FieldProblem[]> {
  const fields = ['dimensions', 'metrics'].flatMap(list =>
    namesOf(query[list]).map((name, at) => ({ field: `${list}[${at}]`, name })),
  );
  const names = fields.map(({ name }) => name);
  if (names.every(isDocumentedColumn)) return [];
  const unlisted = await unlistedColumns(names, context);
  return unlisted.flatMap(({ name, meant }) => {
    const { field = '' } = fields.find(each => each.name === name) ?? {};
    return meant === undefined
      ? []
      : [{ field, message: `unknown column '${name}'; did you mean '${meant}'?` }];
  });
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
  const { completeDays } = await import('./complete-days.ts');
  const grains = grainsOf(namesOf(query.dimensions)).map(({ grain }) => grain);
  return await completeDays(daysOf(query), grains, context);
}
