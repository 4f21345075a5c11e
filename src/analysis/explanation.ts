import type { Decimal } from 'decimal.js';
import type { Contribution, Contributions, Part } from './contributions.ts';

/**
 * - `new`, `gone`: the value is in one of the periods only
 * - `usual`: its change is not larger than those between the periods before
 * - `changed`: any other
 */
type PartStatus = 'changed' | 'new' | 'gone' | 'usual';

/** One value of a dimension, and its part of the change. */
export interface ExplainedPart extends Contribution {
  /** The place of the part in the list of parts. */
  readonly at: number;
  readonly status: PartStatus;
  /** Its share of the change; undefined if the total did not change. Negative for a change in the other direction. */
  readonly share: number | undefined;
  /** Its contribution beyond what its share of the total would explain. */
  readonly excess: number;
  /** How much its share of the total differs between the periods: the Jensen-Shannon divergence, 0 to ln 2. */
  readonly surprise: number;
}

export interface Explanation {
  /** The parts that explain the change best, first. */
  readonly ranked: readonly ExplainedPart[];
  /** How well this dimension explains the change: the surprise of the few parts that make up most of it. */
  readonly score: number;
}

/** A part counts if it explains at least this share of the change; parts that reach the second share together explain it. */
const LEAST_SHARE = 0.1;
const MOST_OF_IT = 0.67;
/** Changes cancel out where less than this part of them is left. */
const LEAST_NET = 0.2;
const LN2 = Math.LN2;

/** What each part explains, after Adtributor (Bhagwan et al., 2014). `swings`: the largest usual change of each part, if it is known. */
export function explain(
  parts: readonly Part[],
  { parts: contributions, change }: Contributions,
  swings: readonly (Decimal | undefined)[] = [],
): Explanation {
  const before = parts.map(part => magnitude(part.weightBefore ?? part.before));
  const now = parts.map(part => magnitude(part.weightNow ?? part.now));
  const [allBefore, allNow] = [sum(before), sum(now)];
  const figures = {
    before: parts.map(part => magnitude(part.before)),
    now: parts.map(part => magnitude(part.now)),
  };
  const [figuresBefore, figuresNow] = [sum(figures.before), sum(figures.now)];
  const whole = change.toNumber();
  const moved = sum(contributions.map(({ total }) => magnitude(total)));
  // If changes cancel out, the direction of the rest means little.
  const direction = Math.abs(whole) < LEAST_NET * moved ? 0 : Math.sign(whole);
  const explained = contributions.map((contribution, at): ExplainedPart => {
    const part = parts[at] as Part;
    const byWeight = divergence((before[at] ?? 0) / allBefore, (now[at] ?? 0) / allNow);
    const byFigure = divergence(
      (figures.before[at] ?? 0) / figuresBefore,
      (figures.now[at] ?? 0) / figuresNow,
    );
    return {
      ...contribution,
      at,
      status: statusOf(part, contribution, swings[at]),
      share: change.isZero() ? undefined : contribution.total.div(change).toNumber(),
      excess: contribution.total.toNumber() - ((before[at] ?? 0) / (allBefore || 1)) * whole,
      surprise: Math.max(byWeight, byFigure),
    };
  });
  const ranked = explained.sort(
    (a, b) =>
      Number(isUsual(a)) - Number(isUsual(b)) ||
      weightOf(b, direction) - weightOf(a, direction) ||
      a.at - b.at,
  );
  return { ranked, score: scoreOf(ranked) };
}

function statusOf(part: Part, { total }: Contribution, swing: Decimal | undefined): PartStatus {
  const [before, now] = [part.weightBefore ?? part.before, part.weightNow ?? part.now];
  if (before.isZero() && !now.isZero()) return 'new';
  if (now.isZero() && !before.isZero()) return 'gone';
  return swing !== undefined && total.abs().lte(swing) ? 'usual' : 'changed';
}

function isUsual({ status }: ExplainedPart): boolean {
  return status === 'usual';
}

/** Sorts first what moved the total in the direction of the change, beyond its own share. */
function weightOf({ excess }: ExplainedPart, direction: number): number {
  return direction === 0 ? Math.abs(excess) : excess * direction;
}

/** Takes parts until they explain most of the change; few surprising parts are a better explanation than many. */
function scoreOf(ranked: readonly ExplainedPart[]): number {
  let [explained, surprise, count] = [0, 0, 0];
  for (const part of ranked) {
    if ((part.share ?? 0) < LEAST_SHARE) continue;
    explained += part.share ?? 0;
    surprise += part.surprise;
    count += 1;
    if (explained > MOST_OF_IT) break;
  }
  return count === 0 ? 0 : surprise / count;
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

function sum(figures: readonly number[]): number {
  return figures.reduce((all, figure) => all + figure, 0);
}
