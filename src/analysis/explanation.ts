import type { Decimal } from 'decimal.js';
import type { ChangePattern } from '../output/explanation/values.ts';
import type { Contribution, Contributions, Part } from './contributions.ts';
import { EXACT_ZERO, quotient } from './exact-change.ts';

/** `new`, `gone`: the value has rows in one of the periods only. */
type PartStatus = 'changed' | 'unchanged' | 'new' | 'gone';

/** One value of a dimension, and its part of the change. */
export interface ExplainedPart extends Contribution {
  /** The place of the part in the list of parts. */
  readonly at: number;
  readonly status: PartStatus;
  /** In percent of all rises, or of all falls: at most 100, whatever others offset. Undefined for a part that adds nothing. */
  readonly share: Decimal | undefined;
  /** How much its share of the total differs between the periods: the Jensen-Shannon divergence, 0 to ln 2. */
  readonly surprise: number;
}

export interface Explanation {
  /** The parts by the size of their contributions, in either direction. */
  readonly ranked: readonly ExplainedPart[];
  /** The sums of all contributions above and below zero. */
  readonly rises: Decimal;
  readonly falls: Decimal;
  readonly pattern: ChangePattern;
  /** How much of all rises and falls one part adds beyond its size, 0 to 1: how well few values explain the change. */
  readonly score: number;
}

/** From this share of the larger side on, the other one offsets it. */
const LEAST_OFFSET = 0.5;
/**
 * In a broad change, so many parts and this share of them changed alike: each by half to twice as many percent as the whole. No part adds
 * more of the change than this beyond what its size would explain.
 */
const LEAST_BROAD = 2;
const BROAD_SHARE = 0.75;
const LEAST_ALIKE = 0.5;
const MOST_ALIKE = 2;
const MOST_EXCESS = 0.25;
/** As much as two equal quotients differ at most, because they are rounded so that they add up. */
export const MOST_ROUNDED = 2e-10;
const LN2 = Math.LN2;

/** What each part explains. */
export function explain(
  parts: readonly Part[],
  { parts: contributions, before, now, change }: Contributions,
): Explanation {
  const side = (sign: number) => contributions.filter(({ total }) => Math.sign(total.cmp(0)) === sign);
  const [up, down] = [side(1), side(-1)];
  const [rises, falls] = [totalOf(up), totalOf(down)];
  const surprises = surprisesOf(parts);
  const ranked = contributions
    .map((contribution, at): ExplainedPart => {
      const { total } = contribution;
      const whole = total.isNegative() ? falls : rises;
      return {
        ...contribution,
        at,
        status: statusOf(parts[at] as Part, total),
        share: total.isZero() ? undefined : quotient(total.times(100), whole),
        surprise: surprises[at] ?? 0,
      };
    })
    .sort((a, b) => b.total.abs().cmp(a.total.abs()) || a.at - b.at);
  const expected = expectedOf(parts, change);
  const excesses = contributions.map(({ total }, at) => total.toNumber() - (expected[at] ?? 0));
  const whole = relativeChange(before, now);
  const alike = contributions.filter(({ total }, at) => {
    const part = parts[at] as Part;
    const times =
      part.weightBefore === undefined ? total.toNumber() / (expected[at] ?? 0) : ownRatioChange(part) / whole;
    return times >= LEAST_ALIKE && times <= MOST_ALIKE;
  }).length;
  const direction = Math.sign(change.cmp(0));
  const excess = maximum(excesses.map(own => own * direction));
  const moved = rises.minus(falls).toNumber();
  const [main, other] = rises.gte(falls.abs()) ? [up, falls] : [down, rises];
  const isOffset = other.abs().gte(totalOf(main).abs().times(LEAST_OFFSET));
  const isBroad =
    alike >= LEAST_BROAD && alike >= BROAD_SHARE * parts.length && excess <= MOST_EXCESS * magnitude(change);
  return {
    ranked,
    rises,
    falls,
    pattern: moved === 0 ? 'none' : isOffset ? 'offset' : isBroad ? 'broad' : 'led',
    score: moved === 0 ? 0 : maximum(excesses.map(Math.abs)) / moved,
  };
}

/** The largest of the ranked parts above or below zero: several, if they add as much as each other. */
export function largestOf(ranked: readonly ExplainedPart[], sign: number): readonly ExplainedPart[] {
  const own = ranked.filter(({ total }) => total.cmp(0) === sign);
  const [first] = own;
  return first === undefined
    ? []
    : own.filter(({ total }) => total.minus(first.total).abs().lte(MOST_ROUNDED));
}

function statusOf({ absent }: Part, total: Decimal): PartStatus {
  if (absent !== undefined) return absent === 'before' ? 'new' : 'gone';
  return total.isZero() ? 'unchanged' : 'changed';
}

/** What the size before of each part would explain of the change. */
function expectedOf(parts: readonly Part[], change: Decimal): number[] {
  const sizes = parts.map(part => magnitude(part.before));
  const [all, whole] = [sum(sizes) || 1, change.toNumber()];
  return sizes.map(size => (size / all) * whole);
}

/** The relative change of a part's own ratio, whatever its contribution; no finite number without a ratio in one of the periods. */
function ownRatioChange({ before, now, weightBefore, weightNow }: Part): number {
  if (!weightBefore || !weightNow) return Number.NaN;
  return relativeChange(quotient(before, weightBefore), quotient(now, weightNow));
}

function relativeChange(before: Decimal, now: Decimal): number {
  return now.minus(before).toNumber() / magnitude(before);
}

/** How much the share of each part differs between the periods, by its figures or by its weights. */
function surprisesOf(parts: readonly Part[]): number[] {
  const divergences = (before: number[], now: number[]) => {
    const [allBefore, allNow] = [sum(before), sum(now)];
    return before.map((figure, at) => divergence(figure / allBefore, (now[at] ?? 0) / allNow));
  };
  const byFigure = divergences(
    parts.map(part => magnitude(part.before)),
    parts.map(part => magnitude(part.now)),
  );
  const byWeight = divergences(
    parts.map(part => magnitude(part.weightBefore ?? part.before)),
    parts.map(part => magnitude(part.weightNow ?? part.now)),
  );
  return byFigure.map((surprise, at) => Math.max(surprise, byWeight[at] ?? 0));
}

/** The Jensen-Shannon divergence of two shares, one term of the sum. */
function divergence(p: number, q: number): number {
  const [a, b] = [Number.isFinite(p) ? p : 0, Number.isFinite(q) ? q : 0];
  const mean = (a + b) / 2;
  const term = (share: number) => (share === 0 ? 0 : share * Math.log(share / mean));
  return Math.min(LN2, Math.max(0, 0.5 * (term(a) + term(b))));
}

function magnitude(figure: Decimal): number {
  return Math.abs(figure.toNumber());
}

function maximum(figures: readonly number[]): number {
  return figures.reduce((most, figure) => Math.max(most, figure), 0);
}

function sum(figures: readonly number[]): number {
  return figures.reduce((all, figure) => all + figure, 0);
}

function totalOf(contributions: readonly Contribution[]): Decimal {
  return contributions.reduce((all, { total }) => all.plus(total), EXACT_ZERO);
}
