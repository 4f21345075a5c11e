import type { Decimal } from 'decimal.js';
import { haveSameWeekdays } from '../../analysis/compared-days.ts';
import type { Contributions, Part } from '../../analysis/contributions.ts';
import { EXACT_ZERO, plain, quotient } from '../../analysis/exact-change.ts';
import { largestOf, MOST_ROUNDED } from '../../analysis/explanation.ts';
import { usualChange } from '../../analysis/usual-change.ts';
import { type DayRange, dayCount } from '../../apis/bda/days.ts';
import { type Json, type JsonRecord, jsonNumber } from '../../json/index.ts';
import { explanationText, remarkText } from '../../output/explanation/sentences.ts';
import {
  type ChangeConclusions,
  type Contributors,
  explanationJson,
  type MetricChange,
  type RatioCause,
  type Remark,
  type Side,
  type WeightShare,
} from '../../output/explanation/values.ts';
import { type ExplainedColumns, statedDifference, wordingOf } from '../../output/explanation/wording.ts';
import { roundDecimals, roundPercentChange, roundsTo } from '../../output/number.ts';
import type { FigureStyle } from '../../output/presentation/index.ts';
import { joined } from '../../output/sentence.ts';
import type { ExplainedChange, ExplainedDimension } from './explain-change.ts';
import {
  arePerDay,
  type Described,
  mainMixOf,
  number,
  PERCENT_DECIMALS,
  rounded,
  rowsOf,
  SURPRISE_DECIMALS,
  shareNumber,
  sum,
  weightShares,
} from './explanation-rows.ts';

/** A ratio changed by mix or by performance where that is so much of what both add, either way. */
const MAIN_CAUSE = 0.8;

export interface ExplanationResult {
  readonly conclusions: readonly JsonRecord[];
  /** For programs. */
  readonly sentences: readonly string[];
  /** The sentences as people read them. */
  inWords(columns: ExplainedColumns, style: FigureStyle): readonly string[];
  readonly rows: readonly JsonRecord[];
  /** Whether the figures of the rows are per day. */
  readonly isPerDay: boolean;
  /** Whether the contribution of a row is the difference of its figures. */
  readonly isSum: boolean;
  /** The metric of whose shares the sentences speak; undefined where they do not. */
  readonly sharesOf: string | undefined;
  readonly data: JsonRecord;
}

/** The explanation as values, in words, as rows, and as data. */
export function resultOf(found: ExplainedChange, described: Described): ExplanationResult {
  const { dimensions, within } = found;
  const [best] = dimensions;
  const rows = [best, ...(within === undefined ? [] : [within])].flatMap(one =>
    rowsOf(one, found, described),
  );
  const remarks = remarksOn(found, described);
  const change = metricChange(found, described, remarks);
  const values: ChangeConclusions = {
    change,
    remarks,
    dimensions: dimensions.map(one => contributorsOf(one, described)),
    within: within && contributorsOf(within, described),
  };
  const [sentences, conclusions] = [explanationText(values), explanationJson(values)];
  const period = ({ from, to, value }: MetricChange['now']) => ({ from, to, value });
  return {
    conclusions,
    sentences,
    inWords: (columns, style) => explanationText(values, wordingOf(described.metric, columns, style)),
    rows,
    isPerDay: arePerDay(found, described),
    isSum: described.isSum,
    sharesOf: values.dimensions[0]?.ratio?.share?.weight,
    data: {
      metric: described.metric,
      sentences,
      conclusions,
      now: period(change.now),
      before: period(change.before),
      change: change.difference,
      change_percent: percentOf(best.contributions),
      dimensions: dimensions.map(({ dimension, explanation, values }) => ({
        dimension,
        values: values.length,
        score: rounded(explanation.score, SURPRISE_DECIMALS),
      })),
      requests: described.requests,
      rows,
    },
  };
}

function metricChange(
  found: ExplainedChange,
  described: Described,
  remarks: readonly Remark[],
): MetricChange {
  const { metric, days, before, isSum, lacks, isJudged } = described;
  const isComparable = lacks.length === 0;
  const { dimensions, lengths, earlier } = found;
  const [{ dimension, contributions, parts, unmeasured, differing }] = dimensions;
  const { change } = contributions;
  const percent = contributions.before.gt(0)
    ? percentWithDecimal(plain(quotient(change.times(100), contributions.before)))
    : null;
  // The earlier changes are those of complete periods.
  const known =
    isJudged || !isComparable ? undefined : usualChange(earlier, isSum && contributions.before.gt(0));
  const usual = known === undefined || known.unit === 'none' ? null : known;
  // As it is stated, so that the sentence holds of the figures in it.
  const stated = statedDifference({
    before: plain(contributions.before),
    now: plain(contributions.now),
    difference: plain(change),
  });
  const size = Number(usual?.unit === 'percent' ? percent : stated.difference);
  // Where the figures never change, the smallest change is none of the usual ones.
  const isConstant = usual?.from === 0 && usual.to === 0;
  const isUsual = usual !== null && !isConstant && size >= usual.from && size <= usual.to;
  const judged = usual === null ? 'unknown' : isUsual ? 'usual' : 'unusual';
  const verdict = isJudged ? 'judged' : judged;
  const period = (range: DayRange, own: 'before' | 'now') => ({
    ...{ from: range.from, to: range.to, days: lengths[own], of: dayCount(range) },
    compared: number(contributions[own]),
    value: number(isSum ? sum(parts.map(part => part[own])) : contributions[own]),
  });
  return {
    kind: 'metric_change',
    metric,
    now: period(days, 'now'),
    before: period(before, 'before'),
    basis: arePerDay(found, described) ? 'day' : 'period',
    difference: number(change),
    percent: percent === null ? null : jsonNumber(percent),
    verdict: !isComparable ? 'incomparable' : change.isZero() ? 'unchanged' : verdict,
    scope:
      unmeasured.length === 0 && differing.length === 0
        ? null
        : { dimension, values: parts.length, of: parts.length + unmeasured.length },
    withheld: joined(lacks.map(({ brief }) => brief)) ?? null,
    usual,
    earlier: earlier.length,
    ...(known?.unit === 'none' && { equal: known.equal }),
    remarks: remarks.map(remarkText),
    completeness: isComparable
      ? { kind: 'complete' }
      : { kind: 'incomplete', missing: lacks.map(({ full }) => full) },
  };
}

/** What a reader of the figures should know. */
function remarksOn({ daily }: ExplainedChange, { days, before }: Described): Remark[] {
  const weekdays = haveSameWeekdays(days, before, false) ? [] : [{ kind: 'weekdays_differ' } as const];
  if (daily === undefined) return weekdays;
  const zeros = { days: daily.zeros(days).length, before: daily.zeros(before).length };
  return [
    ...weekdays,
    ...(zeros.days + zeros.before === 0 ? [] : [{ kind: 'zero_days', ...zeros } as const]),
  ];
}

function contributorsOf(found: ExplainedDimension, { weight }: Described): Contributors {
  const { dimension, slice, values, unmeasured, explanation, differing } = found;
  const { ranked, pattern, rises, falls } = explanation;
  const side = (total: Decimal, sign: number): Side => {
    const own = ranked.filter(part => part.total.cmp(0) === sign);
    const [largest, ...tied] = largestOf(ranked, sign);
    return {
      values: own.length,
      total: number(total),
      tied: tied.map(({ at }) => values[at] ?? null),
      largest:
        largest?.share === undefined
          ? null
          : {
              value: values[largest.at] ?? null,
              contribution: number(largest.total),
              share: shareNumber(largest.share),
              status: largest.status,
            },
    };
  };
  const [up, down] = [side(rises, 1), side(falls, -1)];
  return {
    kind: 'contributors',
    dimension,
    within: slice ?? null,
    pattern,
    values: values.length,
    unmeasured: unmeasured.length,
    adds_up: differing.length === 0,
    rises: up,
    falls: down,
    ratio: weight === undefined ? undefined : ratioCause(found, weight),
  };
}

function ratioCause(found: ExplainedDimension, weight: string): RatioCause {
  const { dimension, slice, parts, contributions } = found;
  const mix = sum(contributions.parts.map(part => part.mix));
  const rest = contributions.change.minus(mix);
  // What rounding leaves of either is none.
  const rate = rest.abs().lte(MOST_ROUNDED) ? EXACT_ZERO : rest;
  const isMain = (one: Decimal) => one.abs().gte(mix.abs().plus(rate.abs()).times(MAIN_CAUSE));
  const cause =
    mix.isZero() && rate.isZero()
      ? 'none'
      : isMain(mix)
        ? 'mix'
        : isMain(rate)
          ? 'performance'
          : mix.isNegative() === rate.isNegative()
            ? 'both'
            : 'offset';
  const isMix = cause === 'mix' || (cause === 'offset' && mix.abs().gt(rate.abs()));
  // By cross products, so that no ratio is rounded.
  const signs = parts.flatMap(({ before, now, weightBefore = EXACT_ZERO, weightNow = EXACT_ZERO }) =>
    weightBefore.isZero() || weightNow.isZero()
      ? []
      : [
          now.times(weightBefore).cmp(before.times(weightNow)) *
            (weightBefore.times(weightNow).isNegative() ? -1 : 1),
        ],
  );
  return {
    kind: 'ratio_cause',
    ...{ dimension, within: slice ?? null, mix: number(mix), rate: number(rate), cause },
    share: isMix ? weightShare(found, weight) : null,
    compared: signs.length,
    rose: signs.filter(sign => sign > 0).length,
    fell: signs.filter(sign => sign < 0).length,
  };
}

/** The share of the value that adds most to the mix; null where weights below zero leave no shares. */
function weightShare(found: ExplainedDimension, weight: string): WeightShare | null {
  const at = mainMixOf(found);
  const own = at === undefined ? undefined : found.parts[at];
  if (at === undefined || own === undefined || found.parts.some(hasNegativeWeight)) return null;
  const [before, now] = weightShares(found.parts, [own]);
  return before === null || now === null ? null : { weight, value: found.values[at] ?? null, before, now };
}

function hasNegativeWeight({ weightBefore, weightNow }: Part): boolean {
  return [weightBefore, weightNow].some(weight => weight?.lt(0));
}

/** One decimal, of which only a fall to zero is -100. */
function percentWithDecimal(percent: string): string {
  const rounded = roundDecimals(percent, 1);
  return roundsTo('-100', percent, rounded) ? roundPercentChange(percent, 1) : rounded;
}

/** In percent of the figure before; null if that is not above zero, because then no share of it means anything. */
function percentOf({ change, before }: Contributions): Json {
  return before.gt(0) ? number(quotient(change.times(100), before).toDecimalPlaces(PERCENT_DECIMALS)) : null;
}
