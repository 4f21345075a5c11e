import { type ComparedWith, haveSameWeekdays, overlapText } from '../../analysis/compared-days.ts';
import { missingText } from '../../analysis/data-days.ts';
import type { MetricKind } from '../../analysis/metric-kinds.ts';
import { type CalendarPeriod, type Grain, grainOfName } from '../../analysis/periods.ts';
import { readColumnCatalogue } from '../../apis/bda/catalogue.ts';
import type { Day, DayRange } from '../../apis/bda/days.ts';
import { valueKindOfType } from '../../apis/bda/value-kind.ts';
import { fetchListing } from '../../apis/bda-v2/listings.ts';
import type { Json, JsonRecord } from '../../json/index.ts';
import type { Chart } from '../../output/chart/chart.ts';
import { type Sentence, sentence } from '../../output/sentence.ts';
import { valueName } from '../../output/value-name.ts';
import { pluralize } from '../../terminal/numbers.ts';
import { requireDataSet } from '../listings/columns-matching.ts';
import { comparedDays, comparedText } from '../rows/compare-rows.ts';
import { type ExplainedChange, explainChange, hasRows } from './explain-change.ts';
import { type ExplanationResult, resultOf } from './explanation-result.ts';
import { lacksOf, lacksText } from './lacks.ts';
import { type FigureWork, PeriodFigures } from './period-figures.ts';
import { type ChartForm, waterfall } from './waterfall.ts';

/** A change of a metric to explain. */
export interface ChangeRequest {
  readonly metric: string;
  readonly kind: MetricKind;
  /** The query of the metric; its dimensions, metrics and days are replaced. */
  readonly query: JsonRecord;
  readonly days: DayRange;
  /** The calendar period that was requested, if one was. */
  readonly period: CalendarPeriod | undefined;
  readonly compare: ComparedWith;
  readonly matchWeekdays: boolean;
  /** The dimensions to examine; undefined for those that the API lists for the data set. */
  readonly dimensions: readonly string[] | undefined;
  readonly maxRequests: number;
  /** 2 to explain the first value by the other dimensions. */
  readonly depth: number;
  /** Values to list; the others are one row. */
  readonly top: number;
  /** Whether the caller has judged if the change is usual. */
  readonly isJudged: boolean;
  readonly today: Day;
  /** The days with data; undefined if the API does not report them. */
  readonly data: DayRange | undefined;
}

export interface ExplainWork extends FigureWork {
  readonly note: (text: string) => void;
}

/** An explained change. */
export interface ExplainedMetric extends ExplanationResult {
  readonly status: 'explained';
  /** The dimension that explains the change best. */
  readonly dimension: string;
  /** Why the periods are not comparable: which days or rows may be missing, or which figures are null. */
  readonly lacking: Sentence | undefined;
  /** Whether a response contradicts its request. */
  readonly isContradictory: boolean;
  /** The change as a waterfall. */
  chart(form: ChartForm): Chart;
}

/** Why a change is not explained: no data in a period, no readable dimension in the listing of columns, or no figures. */
export type Unexplained =
  | { readonly status: 'no_data'; readonly missing: Sentence }
  | { readonly status: 'no_rows'; readonly days: DayRange; readonly hasRows: boolean }
  | { readonly status: 'no_dimensions' | 'no_figures' };

/** Why a change is not explained. */
export function unexplainedText(found: Unexplained, metric: string): Sentence {
  switch (found.status) {
    case 'no_data':
      return found.missing;
    case 'no_rows':
      if (found.hasRows)
        return sentence`there are no figures of ${metric} by day for ${found.days}, so its change is unknown`;
      return sentence`there are no rows for ${found.days}, so the change of ${metric} is unknown`;
    case 'no_dimensions':
      return 'the listing of columns contains no readable dimensions';
    case 'no_figures':
      return `there are no figures of ${metric} to compare, so nothing is explained`;
  }
}

/** The days that the days of a request are compared with. Throws UsageError for these days themselves. */
export function daysComparedWith({
  days,
  compare,
  matchWeekdays,
  period,
}: Pick<ChangeRequest, 'days' | 'compare' | 'matchWeekdays' | 'period'>): DayRange {
  return comparedDays(days, compare, grainsOf(matchWeekdays), period);
}

/**
 * Requests the figures of both periods and explains the change. Throws ApiError, InvalidResponseError, and UsageError
 * (`output_too_large`) for a dimension with too many values.
 */
export async function explainMetric(
  request: ChangeRequest,
  work: ExplainWork,
): Promise<ExplainedMetric | Unexplained> {
  const { metric, kind, query, days, data, maxRequests, depth, top } = request;
  const dimensions = request.dimensions ?? (await listedDimensions(query.data_set, work));
  if (dimensions.length === 0) return { status: 'no_dimensions' };
  const before = daysComparedWith(request);
  work.report({ kind: 'note', text: comparedText(before) });
  const overlap = overlapText(days, before);
  if (overlap !== undefined) work.report({ kind: 'warning', text: overlap });
  if (!haveSameWeekdays(days, before, false))
    work.report({ kind: 'weekdays_differ', canShift: typeof request.compare !== 'object' });
  work.note(`examining ${dimensions.join(', ')} in at most ${pluralize(maxRequests, 'request')}`);
  const absent = [days, before].find(range => data && (range.to < data.from || range.from > data.to));
  if (data !== undefined && absent !== undefined)
    return { status: 'no_data', missing: missingText(absent, data) ?? '' };
  const figures = new PeriodFigures(query, metric, kind, work);
  const byDay = new PeriodFigures(query, metric, kind, work);
  const change = await explainChange({
    ...{ figures, byDay, kind, dimensions, days, before, data, maxRequests, depth },
    warn: work.warn,
    compare: request.compare,
    grains: grainsOf(request.matchWeekdays),
    period: request.period,
  });
  if (change === undefined) return { status: 'no_figures' };
  if ('empty' in change) return { status: 'no_rows', days: change.empty, hasRows: change.hasRows };
  if (change.omitted.length > 0)
    work.note(`not examined: ${change.omitted.join(', ')}; --max-requests ${maxRequests} is not enough`);
  if (depth > 1 && change.within === undefined && change.omitted.length === 0)
    work.note(`no second level: ${noSecondLevel(change)}`);
  const [best] = change.dimensions;
  const lacks = lacksOf({
    ...{ days, before, today: request.today, data },
    ...{ daily: change.daily, lacksRows: figures.isIncomplete },
    hasRows: side => hasRows(best, side),
    ...{ dimension: best.dimension, unmeasured: change.unmeasured, differing: best.differing },
  });
  const lacking = lacksText(lacks);
  if (lacking !== undefined) work.report({ kind: 'warning', text: lacking });
  const { weight, factor = 1 } = kind.kind === 'ratio' ? kind : { weight: undefined };
  const isSum = kind.kind === 'additive';
  const described = {
    metric,
    days,
    before,
    top,
    isSum,
    weight,
    factor,
    requests: figures.requests + byDay.requests,
    lacks,
    isJudged: request.isJudged,
  };
  return {
    status: 'explained',
    ...resultOf(change, described),
    dimension: best.dimension,
    lacking,
    isContradictory: figures.isContradictory,
    chart: form => waterfall(change, described, form),
  };
}

/** Why the first value is not explained by the other dimensions. */
function noSecondLevel({
  dimensions: [{ dimension, values, explanation }, ...others],
}: ExplainedChange): string {
  if (others.length === 0) return `there is no other dimension than ${dimension}`;
  const [first] = explanation.ranked;
  const value = (first && values[first.at]) ?? null;
  if (value === null) return `no filter selects the rows without ${dimension}`;
  return `the other dimensions have no rows of ${dimension} ${valueName(value)} that can be compared`;
}

function grainsOf(matchWeekdays: boolean): ReadonlySet<Grain> {
  return new Set(matchWeekdays ? ['week'] : []);
}

/** Columns with many values explain little, and cost much: they are examined only if they are named. */
const DETAILED = /(?:^|_)(?:url|title|id|path|address)$/i;
/** Likely dimensions of a publisher, best first. */
const USUAL = ['country', 'device', 'traffic_source', 'site', 'platform', 'author', 'gender'];

/** The dimensions that the API lists for a data set, likely ones first; none if the listing has none that can be read. Throws UsageError for an unknown data set. */
export async function listedDimensions(
  dataSet: Json | undefined,
  { gateway, site }: Pick<FigureWork, 'gateway' | 'site'>,
): Promise<readonly string[]> {
  const { body } = await fetchListing(gateway, site, 'columns');
  const listed = [...(readColumnCatalogue(body)?.values() ?? [])];
  const columns = listed.filter(
    ({ name, type = 'string', role, dataSets }) =>
      role !== 'metric' &&
      valueKindOfType(type) !== 'number' &&
      !/^(?:date|time)/i.test(type) &&
      grainOfName(name) === undefined &&
      !DETAILED.test(name) &&
      (dataSets === undefined || typeof dataSet !== 'string' || dataSets.includes(dataSet)),
  );
  if (columns.length === 0 && typeof dataSet === 'string') requireDataSet(listed, dataSet);
  const place = (name: string) => (USUAL.includes(name) ? USUAL.indexOf(name) : USUAL.length);
  return columns.map(({ name }) => name).sort((a, b) => place(a) - place(b));
}
