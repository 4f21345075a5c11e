import type { Decimal } from 'decimal.js';
import { type ComparisonKind, daysBefore } from '../../analysis/compared-days.ts';
import {
  additiveContributions,
  type Contributions,
  type Part,
  ratioContributions,
} from '../../analysis/contributions.ts';
import { EXACT_ZERO } from '../../analysis/exact-change.ts';
import { type Explanation, explain } from '../../analysis/explanation.ts';
import type { MetricKind } from '../../analysis/metric-kinds.ts';
import type { CalendarPeriod, Grain } from '../../analysis/periods.ts';
import type { DayRange } from '../../apis/bda/days.ts';
import { type Json, stringifyJson } from '../../json/index.ts';
import type { FiguresByValue, PeriodFigures, Slice } from './period-figures.ts';

/** Periods before the two that are compared, which show what changes are usual. */
const USUAL_PERIODS = 4;
const REQUESTS_PER_DIMENSION = 2;

/** One dimension, its values, and their parts of the change. */
export interface ExplainedDimension {
  readonly dimension: string;
  /** The value of another dimension that the values are limited to, on the second level. */
  readonly slice: Slice | undefined;
  readonly values: readonly Json[];
  readonly parts: readonly Part[];
  /** The figures of the period before. */
  readonly then: FiguresByValue;
  readonly contributions: Contributions;
  readonly explanation: Explanation;
}

interface ChangeOptions {
  readonly figures: PeriodFigures;
  readonly kind: MetricKind;
  readonly dimensions: readonly string[];
  readonly days: DayRange;
  readonly before: DayRange;
  readonly compare: ComparisonKind;
  readonly period: CalendarPeriod | undefined;
  readonly grains: ReadonlySet<Grain>;
  /** The days with data, if they are known. */
  readonly data: DayRange | undefined;
  readonly maxRequests: number;
  readonly depth: number;
}

export interface ExplainedChange {
  /** Best first. */
  readonly dimensions: readonly ExplainedDimension[];
  /** The first value of the best dimension, by the other dimensions. */
  readonly within: ExplainedDimension | undefined;
  /** Dimensions for which the requests did not suffice. */
  readonly omitted: readonly string[];
  /** Whether it is known which changes are usual. */
  readonly hasUsual: boolean;
}

/** Examines the dimensions and explains the change by the best one. Undefined if a ratio has no weight in one of the periods. */
export async function explainChange(options: ChangeOptions): Promise<ExplainedChange | undefined> {
  const { figures, dimensions, maxRequests, depth, before, days } = options;
  const reserved = usualDays(options).length;
  const affordable = Math.max(
    1,
    Math.floor((maxRequests - figures.requests - reserved) / REQUESTS_PER_DIMENSION),
  );
  const examined = dimensions.slice(0, affordable);
  const found: ExplainedDimension[] = [];
  for (const dimension of examined) {
    const one = await examine(dimension, undefined, options);
    if (one === undefined) return undefined;
    found.push(one);
  }
  const ranked = found.sort((a, b) => b.explanation.score - a.explanation.score);
  const [best] = ranked;
  if (best === undefined) return undefined;
  const swings = await usualSwings(best, options);
  const first = swings === undefined ? best : withSwings(best, swings);
  const omitted = dimensions.slice(affordable);
  const cause = first.explanation.ranked[0];
  let within: ExplainedDimension | undefined;
  if (depth > 1 && cause !== undefined) {
    const slice = { dimension: first.dimension, value: first.values[cause.at] ?? null };
    const others: ExplainedDimension[] = [];
    for (const dimension of examined) {
      if (dimension === first.dimension) continue;
      if (figures.requests + REQUESTS_PER_DIMENSION > maxRequests) {
        omitted.push(`${dimension} within ${first.dimension}`);
        continue;
      }
      const one = await examine(dimension, slice, options);
      if (one !== undefined) others.push(one);
    }
    within = others.sort((a, b) => b.explanation.score - a.explanation.score)[0];
  }
  return {
    dimensions: [first, ...ranked.slice(1)],
    within,
    omitted,
    hasUsual: swings !== undefined,
  };

  async function examine(
    dimension: string,
    slice: Slice | undefined,
    { kind }: ChangeOptions,
  ): Promise<ExplainedDimension | undefined> {
    const [then, now] = [
      await figures.by(dimension, before, slice),
      await figures.by(dimension, days, slice),
    ];
    const { values, parts } = joined(then, now);
    const contributions = contributionsOf(parts, kind);
    if (contributions === undefined) return undefined;
    return {
      dimension,
      slice,
      values,
      parts,
      then,
      contributions,
      explanation: explain(parts, contributions),
    };
  }
}

/** Values of either period, in the order in which they were found. */
function joined(before: FiguresByValue, now: FiguresByValue): { values: Json[]; parts: Part[] } {
  const keys = [...new Set([...now.keys(), ...before.keys()])];
  return {
    values: keys.map(key => (now.get(key) ?? before.get(key))?.value ?? null),
    parts: keys.map(key => {
      const [own, other] = [now.get(key), before.get(key)];
      const hasWeight = (own ?? other)?.weight !== undefined;
      return {
        before: other?.figure ?? EXACT_ZERO,
        now: own?.figure ?? EXACT_ZERO,
        ...(hasWeight && { weightBefore: other?.weight ?? EXACT_ZERO, weightNow: own?.weight ?? EXACT_ZERO }),
      };
    }),
  };
}

function contributionsOf(parts: readonly Part[], kind: MetricKind): Contributions | undefined {
  return kind.kind === 'additive'
    ? additiveContributions(parts)
    : ratioContributions(parts, kind.factor ?? 1);
}

/** The periods that show which changes are usual, latest first: those before, as far as there is data for all of their days. */
function usualDays({ before, compare, grains, period, data }: ChangeOptions): DayRange[] {
  const found: DayRange[] = [];
  // Usual changes from year to year would require more years of data than there are.
  if (compare === 'year') return found;
  for (let days = before; found.length < USUAL_PERIODS; ) {
    days = daysBefore(days, compare, grains, period);
    if (data === undefined || days.from < data.from) break;
    found.push(days);
  }
  return found;
}

/** The largest change of each value between the periods before; undefined if there are too few of them, or of requests. */
async function usualSwings(
  { dimension, values, slice, then }: ExplainedDimension,
  options: ChangeOptions,
): Promise<Map<string, Decimal> | undefined> {
  const periods = usualDays(options);
  const { figures, maxRequests } = options;
  if (periods.length < 2 || figures.requests + periods.length > maxRequests) return undefined;
  const swings = new Map<string, Decimal>();
  let later = then;
  for (const days of periods) {
    const older = await figures.by(dimension, days, slice);
    const { values: found, parts } = joined(older, later);
    const contributions = contributionsOf(parts, options.kind);
    for (const [at, value] of found.entries()) {
      const size = contributions?.parts[at]?.total.abs() ?? EXACT_ZERO;
      const key = stringifyJson(value);
      const known = swings.get(key);
      if (known === undefined || size.gt(known)) swings.set(key, size);
    }
    later = older;
  }
  return values.length === 0 ? undefined : swings;
}

function withSwings(found: ExplainedDimension, swings: ReadonlyMap<string, Decimal>): ExplainedDimension {
  const { values, parts, contributions } = found;
  const own = values.map(value => swings.get(stringifyJson(value)));
  return { ...found, explanation: explain(parts, contributions, own) };
}
