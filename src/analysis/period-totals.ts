import type { DayRange } from '../apis/bda/days.ts';
import { dayCount } from '../apis/bda/days.ts';
import { fieldOf, type JsonRecord } from '../json/index.ts';
import type { Completeness, Conclusion } from '../output/conclusion.ts';
import { shownUnit } from '../output/presentation/index.ts';
import { counted, joined, type Sentence, sentence } from '../output/sentence.ts';
import { rowNumber } from './column-roles.ts';
import { EXACT_ZERO, exactFigure, plain } from './exact-change.ts';
import { knownMetricKind, SELECTED_BY_FIGURES } from './metric-kinds.ts';
import { periodChange } from './period-change.ts';
import { grainOfName } from './periods.ts';

/** The rows of one period. */
export interface PeriodRows {
  readonly days: DayRange | undefined;
  readonly rows: readonly JsonRecord[];
}

/** What is known about the rows of a period, or of two. */
export interface RowScope {
  readonly metrics: readonly string[];
  readonly dimensions: readonly string[];
  /** The dimension whose values never overlap, besides times: the site, where each has its own request. */
  readonly siteColumn?: string | undefined;
  /** Whether filters may drop rows by their figures, so that days or sites may lack in one period and not in the other. */
  readonly selectsByFigures?: boolean | undefined;
  /** `the first 10 of 28 rows`; undefined where these are all rows. */
  readonly limitedTo: Sentence | undefined;
}

/** Whether no two rows count the same thing: rows of other dimensions may, such as a visit to two pages. */
function arePartition({ dimensions, siteColumn }: RowScope): boolean {
  return dimensions.every(name => name === siteColumn || grainOfName(name) !== undefined);
}

/** Whether the total of a metric may follow from the rows; it does not where a row has no figure. */
function mayBeSummed(metric: string, scope: RowScope): boolean {
  if (scope.limitedTo !== undefined) return false;
  if (scope.dimensions.length === 0) return true;
  return !scope.selectsByFigures && arePartition(scope) && knownMetricKind(metric)?.kind === 'additive';
}

/** Whether the totals of a request are asked for separately, whatever its rows are. */
export function needsOwnValues(scope: RowScope): boolean {
  return scope.metrics.some(metric => !mayBeSummed(metric, scope));
}

/** The metrics whose totals do not follow from the rows, so that only the gateway knows them. */
export function unsummedMetrics(scope: RowScope, periods: readonly PeriodRows[]): readonly string[] {
  return scope.metrics.filter(
    metric =>
      !mayBeSummed(metric, scope) || periods.some(({ rows }) => sumOf(metric, rows, scope) === undefined),
  );
}

/** The value of a metric over all rows; undefined where it does not follow from them. */
function sumOf(metric: string, rows: readonly JsonRecord[], scope: RowScope): string | undefined {
  const [only] = rows;
  const isOwnValue = scope.dimensions.length === 0 && rows.length === 1;
  if (isOwnValue && only !== undefined) return figureIn(only, metric);
  if (rows.length === 0 || scope.selectsByFigures) return undefined;
  if (!arePartition(scope) || knownMetricKind(metric)?.kind !== 'additive') return undefined;
  return exactSum(rows.map(row => rowNumber(fieldOf(row, metric)) ?? 'NaN'));
}

/** The exact sum of the points of a line over time, where the figure is known to add up; undefined otherwise. */
export function totalOfPoints(
  figure: string,
  points: readonly ({ readonly digits: string } | undefined)[],
): string | undefined {
  const digits = points.flatMap(point => (point === undefined ? [] : [point.digits]));
  return knownMetricKind(figure)?.kind === 'additive' ? exactSum(digits) : undefined;
}

function exactSum(digits: Iterable<string>): string | undefined {
  let sum = EXACT_ZERO;
  for (const one of digits) {
    const figure = exactFigure(one);
    if (figure === undefined) return undefined;
    sum = sum.plus(figure);
  }
  return plain(sum);
}

/** The digits of a figure without an exponent; undefined for one that is missing or out of all proportion. */
function figureIn(row: JsonRecord, metric: string): string | undefined {
  const figure = exactFigure(rowNumber(fieldOf(row, metric)) ?? 'NaN');
  return figure && plain(figure);
}

/** The gateway's own values of a period, as a row without dimensions, or why there are none. */
export type OwnValues = { readonly values: JsonRecord } | { readonly reason: Sentence };

interface TotalsInput {
  readonly scope: RowScope;
  readonly units: ReadonlyMap<string, string>;
  readonly now: PeriodRows & { readonly own?: OwnValues | undefined };
  /** Undefined without a comparison. */
  readonly before?: (PeriodRows & { readonly own?: OwnValues | undefined }) | undefined;
  /** Days without data: totals are incomplete, and no change follows from them. */
  readonly gaps: readonly Sentence[];
  /** What else restricts a comparison, such as a day that has not ended. */
  readonly reservations: readonly Sentence[];
}

/** The totals of each metric, with the change between two periods, as far as the figures prove them. */
export function totalsOf(input: TotalsInput): Conclusion[] {
  const { scope, now, before } = input;
  const periods = before === undefined ? [now] : [now, before];
  const unsummed = new Set(unsummedMetrics(scope, periods));
  return scope.metrics.map(metric => conclusionOn(metric, unsummed.has(metric), input));
}

function conclusionOn(metric: string, isUnsummed: boolean, input: TotalsInput): Conclusion {
  const { scope, units, now, before } = input;
  const own = (period: TotalsInput['now'] | undefined) =>
    period?.own !== undefined && 'values' in period.own ? figureIn(period.own.values, metric) : undefined;
  const fromGateway = isUnsummed && (own(now) ?? own(before)) !== undefined;
  const figureOf = (period: TotalsInput['now']) =>
    fromGateway ? own(period) : sumOf(metric, period.rows, scope);
  const value = figureOf(now);
  const limit = isUnsummed && !fromGateway ? scope.limitedTo : undefined;
  const described = {
    metric,
    unit: shownUnit(units.get(metric)),
    value,
    basis: fromGateway ? ('gateway' as const) : ('rows' as const),
    exceedsRows: fromGateway && scope.limitedTo !== undefined,
  };
  if (before === undefined)
    return {
      kind: 'total',
      ...described,
      completeness:
        value === undefined
          ? withheld(metric, input, now)
          : completenessOf(limit, [...input.gaps, ...input.reservations]),
    };
  const earlier = figureOf(before);
  const days = { now: lengthOf(now), before: lengthOf(before) };
  const change =
    value === undefined || earlier === undefined || input.gaps.length > 0
      ? undefined
      : periodChange(metric, { before: earlier, now: value }, days);
  const missing = value === undefined ? now : earlier === undefined ? before : undefined;
  const reason =
    missing !== undefined
      ? withheld(metric, input, missing)
      : ({
          kind: 'unmeasured',
          reason: input.gaps.length > 0 ? gapsText(input.gaps) : lengthsText(days),
        } as const);
  return {
    kind: 'change',
    ...described,
    before: earlier,
    difference: change?.absolute,
    percent: change?.relative,
    perDay: change?.perDay,
    completeness: change === undefined ? reason : completenessOf(limit, reservationsOf(input, days)),
  };
}

function lengthOf({ days }: PeriodRows): number {
  return days === undefined ? 0 : dayCount(days);
}

function completenessOf(limit: Sentence | undefined, missing: readonly Sentence[]): Completeness {
  if (limit !== undefined) return { kind: 'limited', to: limit };
  return missing.length > 0 ? { kind: 'incomplete', missing } : { kind: 'complete' };
}

/** Periods of unequal length are said to be. */
function reservationsOf({ reservations }: TotalsInput, days: Lengths): Sentence[] {
  return [...(days.now === days.before ? [] : [lengthsText(days)]), ...reservations];
}

interface Lengths {
  readonly now: number;
  readonly before: number;
}

function lengthsText({ now, before }: Lengths): Sentence {
  return sentence`${counted(now, 'day')}, before ${before}`;
}

function gapsText(gaps: readonly Sentence[]): Sentence {
  return joined(gaps) ?? '';
}

/** Why there is no total of a period. */
function withheld(metric: string, { scope, gaps }: TotalsInput, period: TotalsInput['now']): Completeness {
  const unmeasured = (reason: Sentence): Completeness => ({ kind: 'unmeasured', reason });
  if (gaps.length > 0) return unmeasured(gapsText(gaps));
  if (period.own !== undefined && 'reason' in period.own) return unmeasured(period.own.reason);
  if (period.own !== undefined) return unmeasured('the gateway gave no value for the period');
  if (period.rows.length === 0) return unmeasured('there are no rows');
  if (scope.selectsByFigures) return unmeasured(SELECTED_BY_FIGURES);
  if (knownMetricKind(metric)?.kind !== 'additive') return unmeasured('its rows cannot be summed');
  if (!arePartition(scope))
    return unmeasured(`rows of ${scope.dimensions.join(', ')} may count the same thing twice`);
  return unmeasured('a row has no figure');
}
