import type { Decimal } from 'decimal.js';
import { type Part, type PeriodLengths, perDayOf } from '../../analysis/contributions.ts';
import { EXACT_ZERO, plain, quotient } from '../../analysis/exact-change.ts';
import { type ExplainedPart, largestOf } from '../../analysis/explanation.ts';
import type { DayRange } from '../../apis/bda/days.ts';
import { type Json, type JsonNumber, type JsonRecord, jsonNumber } from '../../json/index.ts';
import { MOST_NAMED } from '../../output/explanation/contributors.ts';
import { valueName } from '../../output/value-name.ts';
import { pluralize } from '../../terminal/numbers.ts';
import type { ExplainedChange, ExplainedDimension, UnmeasuredValue } from './explain-change.ts';
import type { Lack } from './lacks.ts';
import type { Figure } from './period-figures.ts';

/** Enough that what people read is not rounded twice. */
export const PERCENT_DECIMALS = 10;
export const SURPRISE_DECIMALS = 6;

export interface Described {
  readonly metric: string;
  readonly days: DayRange;
  readonly before: DayRange;
  readonly top: number;
  /** Whether the metric is a sum of its parts. */
  readonly isSum: boolean;
  /** What a ratio is divided by; undefined for a sum. */
  readonly weight: string | undefined;
  /** The factor of the numerator of a ratio. */
  readonly factor: number;
  readonly requests: number;
  /** What the figures of the periods lack: with any of it, the change is not judged. */
  readonly lacks: readonly Lack[];
  /** Whether the caller has judged if the change is usual. */
  readonly isJudged: boolean;
}

/** The largest contributors in either direction, and the others of each direction in a row, so that the contributions add up to the change. */
export function rowsOf(
  found: ExplainedDimension,
  change: ExplainedChange,
  described: Described,
): JsonRecord[] {
  const { ranked } = found.explanation;
  const { top } = described;
  // A row for a single other value would be as long as the value itself.
  const most = ranked.length <= top + 1 ? ranked.length : top;
  // The sentences name the largest of either direction.
  const named = [1, -1].flatMap(sign => largestOf(ranked, sign).slice(0, MOST_NAMED));
  const mixed = mainMixOf(found);
  const isShown = (part: ExplainedPart, at: number) => at < most || named.includes(part) || part.at === mixed;
  const shown = ranked.filter(isShown);
  const others = ranked.filter(part => !shown.includes(part));
  const place = {
    within: found.slice === undefined ? null : `${found.slice.dimension} ${valueName(found.slice.value)}`,
    dimension: found.dimension,
  };
  const row = (parts: readonly ExplainedPart[], value: Json, status: string): JsonRecord => ({
    ...place,
    value,
    ...figuresOf(found, parts, change, described),
    share_percent: shareOf(parts),
    surprise:
      parts.length === 1 && status !== 'others' ? rounded(parts[0]?.surprise ?? 0, SURPRISE_DECIMALS) : null,
    status,
  });
  // What raises a ratio need not have risen itself.
  const [up, down] = described.isSum ? ['that rose', 'that fell'] : ['that raised it', 'that lowered it'];
  const groups = [
    [up, others.filter(({ total }) => total.gt(0))],
    [down, others.filter(({ total }) => total.lt(0))],
    ['unchanged', others.filter(({ total }) => total.isZero())],
  ] as const;
  const unmeasured = found.unmeasured.slice(0, top);
  return [
    ...shown.map(part => row([part], found.values[part.at] ?? null, part.status)),
    ...groups
      .filter(([, parts]) => parts.length > 0)
      .map(([what, parts]) => row(parts, `(${pluralize(parts.length, 'other')} ${what})`, 'others')),
    ...unmeasured.map(one => ({ ...place, ...unmeasuredRow(one, change, described) })),
    ...(found.unmeasured.length > top
      ? [
          {
            ...place,
            value: `(${pluralize(found.unmeasured.length - top, 'other')} without a figure)`,
            ...NO_FIGURES,
            status: UNMEASURED,
          },
        ]
      : []),
  ];
}

const UNMEASURED = 'no figure';
const NO_FIGURES = { before: null, now: null, contribution: null, share_percent: null, surprise: null };

/** The figures of a value in the period that has some; no contribution follows from them. */
function unmeasuredRow(
  { value, before, now }: UnmeasuredValue,
  { lengths }: ExplainedChange,
  { isSum, factor }: Described,
): JsonRecord {
  const side = (found: Figure | undefined, period: 'before' | 'now'): Json => {
    if (found === undefined) return isSum ? number(EXACT_ZERO) : null;
    const { figure, weight } = found;
    if (figure === undefined) return null;
    return isSum ? sumOf(figure, period, lengths) : ratioOf(figure, weight ?? EXACT_ZERO, factor);
  };
  return {
    value,
    ...NO_FIGURES,
    before: side(before, 'before'),
    now: side(now, 'now'),
    status: UNMEASURED,
  };
}

/** Whether figures are per day, because the periods count different numbers of days. */
export function arePerDay(
  { lengths }: Pick<ExplainedChange, 'lengths'>,
  { isSum }: Pick<Described, 'isSum'>,
): boolean {
  return isSum && lengths.before !== lengths.now;
}

/** Per day, if the periods count different numbers of days. */
function sumOf(figure: Decimal, period: keyof PeriodLengths, lengths: PeriodLengths): Json {
  return number(lengths.before === lengths.now ? figure : perDayOf(figure, lengths[period]));
}

function ratioOf(figure: Decimal, weight: Decimal, factor: number): Json {
  return weight.isZero() ? null : number(quotient(figure.times(factor), weight).toDecimalPlaces(10));
}

function figuresOf(
  { parts }: ExplainedDimension,
  some: readonly ExplainedPart[],
  { lengths }: ExplainedChange,
  { isSum, factor }: Described,
): Record<string, Json> {
  const own = some.flatMap(({ at }) => parts[at] ?? []);
  const contribution = number(sum(some.map(({ total }) => total)));
  const side = (period: 'before' | 'now', weight: 'weightBefore' | 'weightNow'): Json => {
    const figure = sum(own.map(part => part[period]));
    if (isSum) return sumOf(figure, period, lengths);
    return ratioOf(figure, sum(own.map(part => part[weight])), factor);
  };
  return {
    before: side('before', 'weightBefore'),
    now: side('now', 'weightNow'),
    contribution,
    ...(!isSum && {
      mix: number(sum(some.map(({ mix }) => mix))),
      rate: number(sum(some.map(({ rate }) => rate))),
      ...weightPercents(parts, own),
    }),
  };
}

/** The part that adds most to the mix of a ratio, in its direction; undefined without a mix. */
export function mainMixOf({ contributions }: ExplainedDimension): number | undefined {
  const mixes = contributions.parts.map(({ mix }) => mix ?? EXACT_ZERO);
  const sign = sum(mixes).cmp(0);
  const most = mixes.reduce(
    (found, mix) => (mix.times(sign).gt(found) ? mix.times(sign) : found),
    EXACT_ZERO,
  );
  return most.isZero() ? undefined : mixes.findIndex(mix => mix.times(sign).eq(most));
}

/** The share of the weights that some parts have in each period, in percent; null without weights. */
export function weightShares(
  parts: readonly Part[],
  some: readonly Part[],
): readonly [before: JsonNumber | null, now: JsonNumber | null] {
  const share = (side: 'weightBefore' | 'weightNow') => {
    const all = sum(parts.map(part => part[side]));
    const own = sum(some.map(part => part[side]));
    return all.isZero() ? null : shareNumber(quotient(own.times(100), all));
  };
  return [share('weightBefore'), share('weightNow')];
}

function weightPercents(parts: readonly Part[], some: readonly Part[]): Record<string, Json> {
  const [before, now] = weightShares(parts, some);
  return { weight_percent_before: before, weight_percent: now };
}

/** In percent of all contributions in their direction. */
function shareOf(parts: readonly ExplainedPart[]): Json {
  const shares = parts.flatMap(({ share }) => share ?? []);
  return shares.length === 0 ? null : shareNumber(sum(shares));
}

/** A share with enough decimals, or with all digits where only all of it is 100, and only nothing 0. */
export function shareNumber(share: Decimal): JsonNumber {
  const rounded = share.toDecimalPlaces(PERCENT_DECIMALS);
  return number(rounded.isZero() || rounded.eq(100) ? share : rounded);
}

/** All digits of a figure. */
export function number(figure: Decimal): JsonNumber {
  return jsonNumber(plain(figure));
}

/** A figure with so many decimals at most. */
export function rounded(figure: number, places: number): Json {
  return jsonNumber(String(Number(figure.toFixed(places))));
}

/** The sum of figures. */
export function sum(figures: readonly (Decimal | undefined)[]): Decimal {
  return figures.reduce<Decimal>((all, one) => (one === undefined ? all : all.plus(one)), EXACT_ZERO);
}
