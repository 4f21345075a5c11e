import { dataDays } from '../../../analysis/data-days.ts';
import type { MetricKind } from '../../../analysis/metric-kinds.ts';
import { knownMetricKind } from '../../../analysis/metric-kinds.ts';
import { grainOfName } from '../../../analysis/periods.ts';
import type { DayRange } from '../../../apis/bda/days.ts';
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
import { conflict, invalidValue, missingArgument } from '../../../errors/usage.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type {
  ChangeRequest,
  ExplainedMetric,
  ExplainWork,
  Unexplained,
} from '../../../operations/explain/explain-metric.ts';
import { bdaV2Site } from '../../../operations/listings/analytics.ts';
import { columnNames, factsOf } from '../../../operations/listings/column-catalogue.ts';
import { todayOf } from '../../../operations/today.ts';
import { type Presentation, presentationOf, withLabels } from '../../../output/presentation/index.ts';
import { sentenceText } from '../../../output/sentence.ts';
import type { Context } from '../../framework/context.ts';
import { rowWork } from '../output/row-work.ts';
import { comparedWith } from './day-flags.ts';
import { requireListed } from './listed-columns.ts';
import { throwProblems, withOrigins } from './origins.ts';
import { queryFromFlags } from './query-flags.ts';
import { splitNames } from './request-flags.ts';
import { columnsOfMetric, kindOf, metricOf, type WhyFlags } from './why-flags.ts';

/** A change to explain that was checked; its figures are not requested yet. */
export interface CheckedChange {
  readonly metric: string;
  /** The query of the metric, without dimensions. */
  readonly query: JsonRecord;
  readonly days: DayRange;
  readonly before: DayRange;
  /** With --curl: prints the requests that are known before any response. */
  printRequests(): Promise<void>;
  /** Requests the figures and explains the change. Throws UsageError, and PartialError if there are no figures. */
  explain(): Promise<ExplainedMetric>;
  /** How people read the metric, with the unit that the gateway lists, which may take a request. */
  shownMetric(labels?: ReadonlyMap<string, string>): Promise<Presentation>;
}

/** Checks what is to be explained. Throws UsageError. */
export async function checkedChange(flags: WhyFlags, context: Context): Promise<CheckedChange> {
  const metric = metricOf(flags);
  const weights = columnsOfMetric(metric, flags);
  const asked = { ...flags, dimension: [], metric: [metric], sort: [], pageSize: undefined };
  const {
    query,
    origins,
    days: { period },
    sites,
  } = await queryFromFlags(asked, {}, context, { maySend: !context.globals.curl });
  const days = rangeOf(query);
  if (days === undefined)
    throw missingArgument('the days are missing', 'pass --last 7d, --previous month, or --from DAY --to DAY');
  throwProblems(problemsOf({ ...query, dimensions: ['report_day'] }), origins, undefined);
  if (sites.length > 1)
    throw conflict('bda why explains one site, or all', 'name one --domain, or explain by site: -d site');
  const dimensions = namedDimensions(flags.dimension);
  const { matchWeekdays, maxRequests, depth, top } = flags;
  const compare = await comparedWith(flags.compare ?? 'previous', context);
  if (depth > 1 && dimensions?.length === 1)
    throw conflict(
      `--depth ${depth} requires another dimension than ${dimensions[0]}`,
      `name another: -d ${dimensions[0]},COLUMN, or omit -d to examine those of the data set`,
    );
  // Documented metrics are known without a listing.
  const others = weights.filter(name => knownMetricKind(name) === undefined);
  await requireListed([...(dimensions ?? []), ...others], context);
  const kind = kindOf(metric, flags);
  const compared = { days, period, compare, matchWeekdays };
  const { daysComparedWith } = await import('../../../operations/explain/explain-metric.ts');
  const before = daysComparedWith(compared);
  const request = { ...compared, metric, kind, query, dimensions, maxRequests, depth, top, isJudged: false };
  return {
    metric,
    query,
    days,
    before,
    async explain() {
      try {
        const kind = await inPercent(metric, request.kind, context);
        return await explainedOr(await explainWith({ ...request, kind }, context), metric, context);
      } catch (error) {
        if (error instanceof UsageError && error.code === 'output_too_large') throw tooManyValues(error);
        if (!(error instanceof ApiError)) throw error;
        throw await withOrigins(error, origins, undefined, options => columnNames(context, options));
      }
    },
    async shownMetric(labels) {
      const facts = await factsOf([metric], 'v2', context);
      return presentationOf(
        metric,
        withLabels(name => facts.get(name), labels),
      );
    },
    async printRequests() {
      try {
        const work = await figureWork(context);
        const figures = await figuresOf(request, work);
        for (const dimension of dimensions ?? (await printedDimensions(query, work)))
          for (const range of [before, days]) await figures.by(dimension, range).catch(unlessPrinted);
      } catch (error) {
        unlessPrinted(error);
      }
    },
  };
}

/** Explains a change; its today and the days with data are those of the gateway. */
export async function explainWith(
  request: Omit<ChangeRequest, 'today' | 'data'>,
  context: Context,
): Promise<ExplainedMetric | Unexplained> {
  const { explainMetric } = await import('../../../operations/explain/explain-metric.ts');
  const work = await figureWork(context);
  if (context.globals.curl && request.dimensions === undefined)
    work.note('name dimensions, such as -d country, to print the query');
  const data = await daysWithData(request.query, context);
  return await explainMetric({ ...request, data, today: await todayOf(context) }, work);
}

/** What requesting figures takes, from the context of a command. */
export async function figureWork(context: Context): Promise<ExplainWork> {
  return {
    ...(await rowWork(context)),
    gateway: await context.gateway(),
    site: await bdaV2Site(context),
    note: text => context.log.note(text),
    warn: text => context.log.warn(text),
  };
}

async function figuresOf({ query, metric, kind }: Omit<ChangeRequest, 'today' | 'data'>, work: ExplainWork) {
  const { PeriodFigures } = await import('../../../operations/explain/period-figures.ts');
  return new PeriodFigures(query, metric, kind, work);
}

/** With --curl: prints the request of the listing. */
async function printedDimensions({ data_set: dataSet }: JsonRecord, work: ExplainWork) {
  work.note('name dimensions, such as -d country, to print the query');
  const { listedDimensions } = await import('../../../operations/explain/explain-metric.ts');
  return await listedDimensions(dataSet, work);
}

/** Throws an error, unless --curl has printed the request instead. */
export function unlessPrinted(error: unknown): void {
  if (!(error instanceof CurlPrinted)) throw error;
}

/** The dimensions of the flag, each once; undefined without the flag. Throws UsageError. */
function namedDimensions(typed: readonly string[]): readonly string[] | undefined {
  const names = splitNames('--dimension', typed);
  const time = names?.find(name => grainOfName(name) !== undefined);
  if (time !== undefined)
    throw invalidValue(
      `${time} cannot explain a change, because each period has other values of it`,
      'name dimensions such as country or device',
    );
  return names && [...new Set(names)];
}

/** Throws UsageError or PartialError for a change that is not explained. */
async function explainedOr(
  found: ExplainedMetric | Unexplained,
  metric: string,
  context: Context,
): Promise<ExplainedMetric> {
  if (found.status === 'explained') return found;
  const { unexplainedText } = await import('../../../operations/explain/explain-metric.ts');
  const text = sentenceText(unexplainedText(found, metric), await context.out.style());
  switch (found.status) {
    case 'no_data':
      throw invalidValue(text, 'choose other days; gatectl bda date-range shows which have data');
    case 'no_dimensions':
      throw missingArgument(text, 'name them: -d country,device');
    case 'no_rows':
    case 'no_figures':
      throw new PartialError(text, {
        code: 'rows_incomplete',
        hints: ['check the filters; gatectl bda date-range shows which days have data'],
      });
  }
}

function tooManyValues({ message, code }: UsageError): UsageError {
  return new UsageError(message, {
    code: code as 'output_too_large',
    hints: ['reduce them with --filter, or name another dimension: -d COLUMN'],
  });
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

/** A quotient of a metric in percent is multiplied by a hundred, unless another factor is given. */
async function inPercent(metric: string, kind: MetricKind, context: Context): Promise<MetricKind> {
  if (kind.kind !== 'ratio' || kind.numerator === undefined || kind.factor !== undefined) return kind;
  const facts = await factsOf([metric], 'v2', context);
  const { figure } = presentationOf(metric, name => facts.get(name));
  return figure === 'percent' ? { ...kind, factor: 100 } : kind;
}
