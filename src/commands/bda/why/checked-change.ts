import { type ComparisonKind, daysBefore } from '../../../analysis/compared-days.ts';
import { dataDays, isCovered, missingText } from '../../../analysis/data-days.ts';
import type { Grain } from '../../../analysis/periods.ts';
import { shownUnit } from '../../../analysis/units.ts';
import { type DayRange, dayCount } from '../../../apis/bda/days.ts';
import { problemsOf } from '../../../apis/bda-v2/check-query.ts';
import { fetchDateRange } from '../../../apis/bda-v2/listings.ts';
import {
  ApiError,
  CurlPrinted,
  GatectlError,
  InterruptedError,
  PartialError,
  UsageError,
} from '../../../errors/index.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type { Chart } from '../../../output/chart/chart.ts';
import type { Column } from '../../../output/view.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { columnNames, unitsOf } from '../column-catalogue.ts';
import { todayOf } from '../day-flags.ts';
import { listingOf } from '../listings.ts';
import { throwProblems, withOrigins } from '../origins.ts';
import { QUERY_FLAGS, type QueryFlags, queryFromFlags } from '../query/query-flags.ts';
import { splitNames } from '../request-flags.ts';
import { bdaV2Site } from '../site.ts';
import { kindOf, metricOf, type WhyFlags } from './flags.ts';
import type { WhyResult } from './result.ts';

/** A change to explain that was checked; its figures are not requested yet. */
export interface CheckedChange {
  readonly metric: string;
  /** The query of the metric, without dimensions. */
  readonly query: JsonRecord;
  readonly days: DayRange;
  readonly before: DayRange;
  /** The columns that it names. */
  readonly columns: readonly string[];
  /** With --curl: prints the requests that are known before any response. */
  printRequests(): Promise<void>;
  /** Requests the figures and explains the change. Throws PartialError if there are none. */
  explain(): Promise<ExplainedMetric>;
}

export interface ExplainedMetric extends WhyResult {
  /** The dimension that explains the change best. */
  readonly dimension: string;
  readonly columns: readonly Column[];
  /** Whether days or rows may be missing, so that the periods are not comparable. */
  readonly isIncomplete: boolean;
  /** Whether a response contradicts its request. */
  readonly isContradictory: boolean;
  /** The change as a waterfall. */
  chart(): Promise<Chart>;
}

/** Checks what is to be explained. Throws UsageError. */
export async function checkedChange(flags: WhyFlags, context: Context): Promise<CheckedChange> {
  const metric = metricOf(flags);
  const kind = kindOf(metric, flags);
  const maySend = !context.globals.curl;
  const {
    query,
    origins,
    days: requested,
    sites,
  } = await queryFromFlags(asQuery(flags, metric), {}, context, {
    maySend,
  });
  const days = rangeOf(query);
  if (days === undefined)
    throw new UsageError('the days are missing', {
      code: 'missing_argument',
      hints: ['pass --last 7d, --previous month, or --from DAY --to DAY'],
    });
  throwProblems(problemsOf({ ...query, dimensions: ['report_day'] }), origins, undefined);
  if (sites.length > 1)
    throw new UsageError('bda why explains one site, or all', {
      code: 'conflicting_options',
      hints: ['name one --domain, or explain by site: -d site'],
    });
  const compare: ComparisonKind = flags.compare ?? 'previous';
  const grains = new Set<Grain>(flags.matchWeekdays ? ['week'] : []);
  const before = daysBefore(days, compare, grains, requested.period);
  const explain = async (): Promise<ExplainedMetric> => {
    const { dimensionsFor } = await import('./dimensions.ts');
    const dimensions = await dimensionsFor(flags.dimension, query.data_set, context);
    const site = await bdaV2Site(context);
    const gateway = await context.gateway();
    const data = await daysWithData(query, context);
    noteDays(before, dimensions, flags, context);
    const lacksDays = await checkDays(days, before, data, context);
    const [{ PeriodFigures }, { explainChange }, result] = await Promise.all([
      import('./periods.ts'),
      import('./explain-change.ts'),
      import('./result.ts'),
    ]);
    const figures = new PeriodFigures(query, metric, kind, { gateway, site, context });
    const periods = { figures, kind, dimensions, days, before, compare, grains, data };
    const limits = { period: requested.period, maxRequests: flags.maxRequests, depth: flags.depth };
    const change = await explainChange({ ...periods, ...limits }).catch(async error => {
      if (!(error instanceof ApiError)) throw error;
      throw await withOrigins(error, origins, undefined, options => columnNames(context, options));
    });
    if (change === undefined || change.dimensions.every(({ values }) => values.length === 0))
      throw new PartialError(`there are no figures of ${metric} to compare, so nothing is explained`, {
        code: 'rows_incomplete',
        hints: ['check the filters; gatectl bda date-range shows which days have data'],
      });
    if (change.omitted.length > 0)
      context.log.note(
        `not examined: ${change.omitted.join(', ')}; --max-requests ${flags.maxRequests} is not enough`,
      );
    const factor = kind.kind === 'ratio' ? (kind.factor ?? 1) : 1;
    const described = { metric, days, before, top: flags.top, factor, requests: figures.requests };
    return {
      ...result.resultOf(change, described),
      dimension: change.dimensions[0]?.dimension ?? '',
      columns: result.COLUMNS,
      isIncomplete: lacksDays || figures.isIncomplete,
      isContradictory: figures.isContradictory,
      async chart() {
        const units = await unitsOf([metric], context, () => listingOf('columns', 'v2', context));
        return result.waterfall(change, described, shownUnit(units.get(metric)));
      },
    };
  };
  const printRequests = async (): Promise<void> => {
    const [{ dimensionsFor }, { PeriodFigures }] = await Promise.all([
      import('./dimensions.ts'),
      import('./periods.ts'),
    ]);
    try {
      const dimensions = await dimensionsFor(flags.dimension, query.data_set, context);
      const [gateway, site] = [await context.gateway(), await bdaV2Site(context)];
      const figures = new PeriodFigures(query, metric, kind, { gateway, site, context });
      for (const dimension of dimensions)
        for (const range of [before, days]) await figures.by(dimension, range).catch(unlessPrinted);
    } catch (error) {
      unlessPrinted(error);
    }
  };
  const named = splitNames('--dimension', flags.dimension) ?? [];
  const weights = kind.kind === 'ratio' ? [kind.numerator ?? metric, kind.weight] : [metric];
  return { metric, query, days, before, columns: [...named, ...weights], printRequests, explain };
}

function unlessPrinted(error: unknown): void {
  if (!(error instanceof CurlPrinted)) throw error;
}

/** The flags of a query that asks for the same rows; the dimension is set for each request. */
function asQuery(flags: WhyFlags, metric: string): QueryFlags {
  const absent = Object.fromEntries(
    Object.entries(QUERY_FLAGS).map(([key, { fallback }]) => [key, fallback]),
  );
  return {
    ...absent,
    ...flags,
    dimension: [],
    metric: [metric],
    chart: undefined,
    compare: undefined,
  } as unknown as QueryFlags;
}

function rangeOf({ date_range: range }: JsonRecord): DayRange | undefined {
  const { start_date: from, end_date: to } = (range ?? {}) as { start_date?: unknown; end_date?: unknown };
  return typeof from === 'string' && typeof to === 'string' ? { from, to } : undefined;
}

/** The days with data; undefined if the API does not report them. */
export async function daysWithData(query: JsonRecord, context: Context): Promise<DayRange | undefined> {
  // The command to print is the query.
  if (context.globals.curl) return undefined;
  try {
    const dataSet = typeof query.data_set === 'string' ? query.data_set : undefined;
    return dataDays(await fetchDateRange(await context.gateway(), await bdaV2Site(context)), dataSet);
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return undefined;
  }
}

function noteDays(
  before: DayRange,
  dimensions: readonly string[],
  { maxRequests }: WhyFlags,
  { log }: Context,
): void {
  log.note(`compared with ${before.from} to ${before.to}: ${pluralize(dayCount(before), 'day')}`);
  log.note(`examining ${dimensions.join(', ')} in at most ${pluralize(maxRequests, 'request')}`);
}

/** Warns of days without data and of days that are not over; returns whether there are any. Throws UsageError for a period without data. */
async function checkDays(
  days: DayRange,
  before: DayRange,
  data: DayRange | undefined,
  context: Context,
): Promise<boolean> {
  const isOpen = days.to >= (await todayOf(context));
  if (isOpen) context.log.warn(`${days.to} has not ended yet, so the periods are not comparable`);
  if (data === undefined) return isOpen;
  for (const range of [days, before])
    if (range.to < data.from || range.from > data.to)
      throw new UsageError(`there is ${missingText(range, data)}`, {
        code: 'invalid_value',
        hints: ['choose other days; gatectl bda date-range shows which have data'],
      });
  const missing = [days, before].filter(range => !isCovered(range, data));
  for (const range of missing)
    context.log.warn(`the periods are not comparable: there is ${missingText(range, data)}`);
  return isOpen || missing.length > 0;
}
