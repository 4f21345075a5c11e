import { type ComparedWith, daysBefore } from '../../analysis/compared-days.ts';
import {
  additiveContributions,
  type Contributions,
  type Part,
  type PeriodLengths,
  ratioContributions,
} from '../../analysis/contributions.ts';
import { EXACT_ZERO } from '../../analysis/exact-change.ts';
import { type Explanation, explain } from '../../analysis/explanation.ts';
import type { MetricKind } from '../../analysis/metric-kinds.ts';
import type { CalendarPeriod, Grain } from '../../analysis/periods.ts';
import { USUAL_CHANGES } from '../../analysis/usual-change.ts';
import { addDays, type DayRange, dayCount } from '../../apis/bda/days.ts';
import { ApiError, InvalidResponseError } from '../../errors/index.ts';
import type { Json } from '../../json/index.ts';
import { DailyFigures } from './daily-figures.ts';
import { type DifferingSums, differingSums } from './differing-sums.ts';
import type { Figure, FiguresByValue, PeriodFigures, Slice } from './period-figures.ts';

const REQUESTS_PER_DIMENSION = 2;

/** A value of which a period has rows without a figure. In a period without rows, its figure is undefined. */
export interface UnmeasuredValue {
  readonly value: Json;
  readonly before: Figure | undefined;
  readonly now: Figure | undefined;
}

/** One dimension, its values, and their parts of the change. */
export interface ExplainedDimension {
  readonly dimension: string;
  /** The value of another dimension that the values are limited to, on the second level. */
  readonly slice: Slice | undefined;
  readonly values: readonly Json[];
  readonly parts: readonly Part[];
  /** Values without a figure in one of the periods, which are no parts. */
  readonly unmeasured: readonly UnmeasuredValue[];
  readonly contributions: Contributions;
  readonly explanation: Explanation;
  /** Where its values do not add up to the days of a period. */
  readonly differing: readonly DifferingSums[];
}

/** A dimension of which values have no figure, so that no figure of the change is known to be whole. */
export interface UnmeasuredDimension {
  readonly dimension: string;
  readonly slice: Slice | undefined;
  /** How many values it has. */
  readonly all: number;
  readonly unmeasured: readonly UnmeasuredValue[];
}

interface ChangeOptions {
  readonly figures: PeriodFigures;
  /** For the metric by day, whose flaws are none of the figures. */
  readonly byDay: PeriodFigures;
  readonly kind: MetricKind;
  readonly dimensions: readonly string[];
  readonly days: DayRange;
  readonly before: DayRange;
  readonly compare: ComparedWith;
  readonly period: CalendarPeriod | undefined;
  readonly grains: ReadonlySet<Grain>;
  /** The days with data, if they are known. */
  readonly data: DayRange | undefined;
  readonly maxRequests: number;
  readonly depth: number;
  readonly warn: (text: string) => void;
}

export interface ExplainedChange {
  /** The one that explains most first, of those that have a figure of each value and several values if there are any. */
  readonly dimensions: readonly [ExplainedDimension, ...ExplainedDimension[]];
  /** The largest contributor, by the other dimensions. */
  readonly within: ExplainedDimension | undefined;
  /** Of all that were examined, on either level; the first dimension first. */
  readonly unmeasured: readonly UnmeasuredDimension[];
  /** Dimensions for which the requests did not suffice. */
  readonly omitted: readonly string[];
  /** Undefined if the gateway has none. */
  readonly daily: DailyFigures | undefined;
  /** How many days each period counts. */
  readonly lengths: PeriodLengths;
  /** The metric in earlier pairs of periods, latest first. */
  readonly earlier: readonly (readonly [before: number, now: number])[];
}

/**
 * Examines the dimensions and explains the change by the one that explains most. `empty`: a period without figures by day. Undefined
 * without figures, or if a ratio has no weight in one of the periods.
 */
export async function explainChange(
  options: ChangeOptions,
): Promise<ExplainedChange | { readonly empty: DayRange; readonly hasRows: boolean } | undefined> {
  const { figures, byDay, dimensions, maxRequests, depth, before, days, kind } = options;
  const affordable = Math.max(1, Math.floor((maxRequests - figures.requests - 1) / REQUESTS_PER_DIMENSION));
  const examined = dimensions.slice(0, affordable);
  const omitted = dimensions.slice(affordable);
  const sides: Side[] = [];
  for (const dimension of examined)
    sides.push({ dimension, slice: undefined, joined: await joinedBy(dimension, options) });
  const pairs = earlierPairs(options);
  const ranges = [days, before, ...pairs.flatMap(pair => [pair.now, pair.before])];
  const from = ranges.map(range => range.from).sort()[0] ?? days.from;
  const to =
    ranges
      .map(range => range.to)
      .sort()
      .at(-1) ?? days.to;
  const daily = await dailyFigures({ from, to }, options);
  const lengths = {
    before: daily?.counted(before) ?? dayCount(before),
    now: daily?.counted(days) ?? dayCount(days),
  };
  const empty = [days, before].find((_, at) => [lengths.now, lengths.before][at] === 0);
  if (empty !== undefined) {
    const side = empty === days ? 'now' : 'before';
    return { empty, hasRows: sides.some(({ joined }) => hasRows(joined, side)) };
  }
  const differingIn = ({ joined: { parts, unmeasured } }: Side): DifferingSums[] =>
    daily === undefined || unmeasured.length > 0
      ? []
      : (['before', 'now'] as const).flatMap(
          side => differingSums({ parts, side, days: side === 'now' ? days : before, daily, kind }) ?? [],
        );
  const found = sides.flatMap(side => explained(side, kind, lengths, differingIn(side)));
  const [best, ...others] = found.sort(byExplanation);
  if (best === undefined || found.length < sides.length) return undefined;
  const [cause] = best.explanation.ranked;
  const value = cause === undefined ? null : (best.values[cause.at] ?? null);
  const inner: Side[] = [];
  // No filter selects rows without a value.
  if (depth > 1 && value !== null)
    for (const dimension of examined.filter(name => name !== best.dimension)) {
      if (figures.requests + byDay.requests + REQUESTS_PER_DIMENSION > maxRequests) {
        omitted.push(`${dimension} within ${best.dimension}`);
        continue;
      }
      const slice = { dimension: best.dimension, value };
      inner.push({ dimension, slice, joined: await joinedBy(dimension, options, slice) });
    }
  const [within] = inner.flatMap(side => explained(side, kind, lengths, [])).sort(byExplanation);
  const isBest = ({ dimension, slice }: Side) => slice === undefined && dimension === best.dimension;
  const ordered = [...sides.filter(isBest), ...sides.filter(side => !isBest(side)), ...inner];
  const earlier = pairs.flatMap(pair => {
    const [then, later] = [daily?.mean(pair.before), daily?.mean(pair.now)];
    return then === undefined || later === undefined ? [] : [[then, later] as const];
  });
  const unmeasured = ordered.flatMap(unmeasuredIn);
  return { dimensions: [best, ...others], within, unmeasured, omitted, daily, lengths, earlier };
}

/** Whether a value has rows in a period. */
export function hasRows(
  { parts, unmeasured }: Pick<ExplainedDimension, 'parts' | 'unmeasured'>,
  side: 'before' | 'now',
): boolean {
  return parts.some(({ absent }) => absent !== side) || unmeasured.some(one => one[side] !== undefined);
}

/**
 * Those that have a figure of each value first, then those whose values add up to the days, then those with several values, which alone
 * show a cause, then by score.
 */
function byExplanation(a: ExplainedDimension, b: ExplainedDimension): number {
  return (
    Number(a.unmeasured.length > 0) - Number(b.unmeasured.length > 0) ||
    Number(a.differing.length > 0) - Number(b.differing.length > 0) ||
    Number(a.parts.length === 1) - Number(b.parts.length === 1) ||
    b.explanation.score - a.explanation.score
  );
}

/** The metric by day; undefined, with a warning, if the gateway does not have it. */
async function dailyFigures(
  range: DayRange,
  { byDay, kind, warn, before, days }: ChangeOptions,
): Promise<DailyFigures | undefined> {
  try {
    const found = await byDay.by('report_day', range);
    if (found.size > 0 && !byDay.isIncomplete && !byDay.isContradictory)
      return new DailyFigures(found, kind, [before, days]);
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof InvalidResponseError)) throw error;
    warn(error.message);
  }
  warn('without the metric by day it is unknown which days have data, and which changes are usual');
  return undefined;
}

type Joined = Pick<ExplainedDimension, 'values' | 'parts' | 'unmeasured'>;

interface Side extends Pick<ExplainedDimension, 'dimension' | 'slice'> {
  readonly joined: Joined;
}

function unmeasuredIn({ dimension, slice, joined }: Side): UnmeasuredDimension[] {
  const { values, unmeasured } = joined;
  if (unmeasured.length === 0) return [];
  return [{ dimension, slice, all: values.length + unmeasured.length, unmeasured }];
}

async function joinedBy(
  dimension: string,
  { figures, before, days }: Pick<ChangeOptions, 'figures' | 'before' | 'days'>,
  slice?: Slice,
): Promise<Joined> {
  const then = await figures.by(dimension, before, slice);
  return joined(then, await figures.by(dimension, days, slice));
}

/** Values of either period, in the order in which they were found. */
function joined(before: FiguresByValue, now: FiguresByValue): Joined {
  const found = [...new Set([...now.keys(), ...before.keys()])].map(key => {
    const [own, other] = [now.get(key), before.get(key)];
    return { value: (own ?? other)?.value ?? null, before: other, now: own, part: partOf(other, own) };
  });
  const measured = found.flatMap(({ value, part }) => (part === undefined ? [] : [{ value, part }]));
  return {
    values: measured.map(({ value }) => value),
    parts: measured.map(({ part }) => part),
    unmeasured: found.filter(({ part }) => part === undefined),
  };
}

/** A value without rows in a period adds nothing to it; undefined where its rows have no figure. */
function partOf(before: Figure | undefined, now: Figure | undefined): Part | undefined {
  const sides = [before, now].map(side => side ?? { figure: EXACT_ZERO, weight: EXACT_ZERO });
  const [then, own] = sides.flatMap(({ figure, weight }) =>
    figure === undefined ? [] : [{ figure, weight }],
  );
  if (then === undefined || own === undefined) return undefined;
  const hasWeight = (now ?? before)?.weight !== undefined;
  return {
    before: then.figure,
    now: own.figure,
    ...(hasWeight && { weightBefore: then.weight ?? EXACT_ZERO, weightNow: own.weight ?? EXACT_ZERO }),
    absent: before === undefined ? 'before' : now === undefined ? 'now' : undefined,
  };
}

/** The dimension with the contributions of its values; none without values, or for a ratio without weight in one of the periods. */
function explained(
  { dimension, slice, joined: { values, parts, unmeasured } }: Side,
  kind: MetricKind,
  lengths: PeriodLengths,
  differing: readonly DifferingSums[],
): ExplainedDimension[] {
  const contributions =
    kind.kind === 'additive'
      ? additiveContributions(parts, lengths)
      : ratioContributions(parts, kind.factor ?? 1);
  if (contributions === undefined || parts.length === 0) return [];
  return [
    {
      dimension,
      slice,
      values,
      parts,
      unmeasured,
      contributions,
      explanation: explain(parts, contributions),
      differing,
    },
  ];
}

const WEEKS: ReadonlySet<Grain> = new Set(['week']);

/**
 * Pairs of earlier periods that are as far apart as the compared ones and have their days of the week, latest first, as far as there
 * may be data.
 */
function earlierPairs({ days, compare, grains, period, data }: ChangeOptions) {
  const pairs: { readonly now: DayRange; readonly before: DayRange }[] = [];
  const steps = period === undefined ? WEEKS : grains;
  let now = days;
  while (pairs.length < USUAL_CHANGES) {
    now = daysBefore(now, 'previous', steps, period);
    const before =
      typeof compare === 'object'
        ? moved(compare, dayCount({ from: now.from, to: days.from }) - 1)
        : daysBefore(now, compare, grains, period);
    if (data !== undefined && [now, before].some(({ from }) => from < data.from)) break;
    pairs.push({ now, before });
  }
  return pairs;
}

/** Days that are so many days earlier. */
function moved({ from, to }: DayRange, days: number): DayRange {
  return { from: addDays(from, -days), to: addDays(to, -days) };
}
