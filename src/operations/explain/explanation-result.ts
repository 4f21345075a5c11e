import type { Decimal } from 'decimal.js';
import { haveWeekdaysAlike } from '../../analysis/compared-days.ts';
import { type Contributions, perDayOf } from '../../analysis/contributions.ts';
import { EXACT_ZERO, plain, quotient } from '../../analysis/exact-change.ts';
import type { ExplainedPart } from '../../analysis/explanation.ts';
import { usualChange } from '../../analysis/usual-change.ts';
import { type DayRange, dayCount } from '../../apis/bda/days.ts';
import { type Json, type JsonNumber, type JsonRecord, jsonNumber, textOf } from '../../json/index.ts';
import type { Chart, Point, Position } from '../../output/chart/chart.ts';
import { explanationText, remarkText } from '../../output/explanation/sentences.ts';
import {
  type ChangeConclusions,
  type Contributors,
  explanationJson,
  type MetricChange,
  type RatioCause,
  type Remark,
  type Side,
} from '../../output/explanation/values.ts';
import { type ExplainedColumns, statedDigits, wordingOf } from '../../output/explanation/wording.ts';
import { roundDecimals } from '../../output/number.ts';
import {
  type FigureStyle,
  type Locale,
  labelInSentence,
  periodText,
  presentationOf,
} from '../../output/presentation/index.ts';
import { joined } from '../../output/sentence.ts';
import { valueName } from '../../output/value-name.ts';
import { pluralize } from '../../terminal/numbers.ts';
import type { ExplainedChange, ExplainedDimension } from './explain-change.ts';
import type { Lack } from './lacks.ts';

/** Enough that what people read is not rounded twice. */
const PERCENT_DECIMALS = 10;
const SURPRISE_DECIMALS = 6;
/** A ratio changed by mix or by performance where that is so much of what both add, either way. */
const MAIN_CAUSE = 0.8;
/** Sums by value and by day that differ more than this share count something twice. */
const LEAST_OVERLAP = 0.005;

export interface ExplanationResult {
  readonly conclusions: readonly JsonRecord[];
  /** For programs. */
  readonly sentences: readonly string[];
  /** The sentences as people read them. */
  inWords(columns: ExplainedColumns, style: FigureStyle): readonly string[];
  readonly rows: readonly JsonRecord[];
  readonly data: JsonRecord;
}

export interface Described {
  readonly metric: string;
  readonly days: DayRange;
  readonly before: DayRange;
  readonly top: number;
  /** Whether the metric is a sum of its parts. */
  readonly isSum: boolean;
  /** The factor of the numerator of a ratio. */
  readonly factor: number;
  readonly requests: number;
  /** What the figures of the periods lack: with any of it, the change is not judged. */
  readonly lacks: readonly Lack[];
  /** Whether the caller has judged if the change is usual. */
  readonly isJudged: boolean;
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
    ratio: described.isSum ? undefined : ratioCause(best),
    dimensions: dimensions.map(contributorsOf),
    within: within && contributorsOf(within),
  };
  const [sentences, conclusions] = [explanationText(values), explanationJson(values)];
  const period = ({ from, to, value }: MetricChange['now']) => ({ from, to, value });
  return {
    conclusions,
    sentences,
    inWords: (columns, style) => explanationText(values, wordingOf(described.metric, columns, style)),
    rows,
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
  const [{ contributions, parts }] = dimensions;
  const { change } = contributions;
  const percent = contributions.before.gt(0)
    ? roundDecimals(plain(quotient(change.times(100), contributions.before)), 1)
    : null;
  // The earlier changes are those of complete periods.
  const usual =
    !isJudged && isComparable ? (usualChange(earlier, isSum && contributions.before.gt(0)) ?? null) : null;
  // As it is stated, so that the sentence holds of the figures in it.
  const size = Number(usual?.unit === 'percent' ? percent : statedDigits(plain(change)));
  const judged = usual === null ? 'unknown' : size >= usual.from && size <= usual.to ? 'usual' : 'unusual';
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
    basis: isSum && lengths.now !== lengths.before ? 'day' : 'period',
    difference: number(change),
    percent: percent === null ? null : jsonNumber(percent),
    verdict: !isComparable ? 'incomparable' : change.isZero() ? 'unchanged' : verdict,
    withheld: joined(lacks.map(({ brief }) => brief)) ?? null,
    usual,
    earlier: earlier.length,
    remarks: remarks.map(remark => remarkText(remark)),
    completeness: isComparable
      ? { kind: 'complete' }
      : { kind: 'incomplete', missing: lacks.map(({ full }) => full) },
  };
}

/** What a reader of the figures should know. */
function remarksOn({ daily, dimensions }: ExplainedChange, { days, before, isSum }: Described): Remark[] {
  const weekdays = haveWeekdaysAlike(days, before) ? [] : [{ kind: 'weekdays_differ' } as const];
  if (daily === undefined) return weekdays;
  const zeros = { days: daily.zeros(days).length, before: daily.zeros(before).length };
  const [{ dimension, parts }] = dimensions;
  const [byValue, byDay] = [sum(parts.map(({ now }) => now)), daily.total(days)];
  const differs = isSum && byValue.minus(byDay).abs().gt(byDay.abs().times(LEAST_OVERLAP));
  const whole = (figure: Decimal) => jsonNumber(roundDecimals(plain(figure), 0));
  return [
    ...weekdays,
    ...(zeros.days + zeros.before === 0 ? [] : [{ kind: 'zero_days', ...zeros } as const]),
    ...(differs
      ? [{ kind: 'sums_differ', dimension, byValue: whole(byValue), byDay: whole(byDay) } as const]
      : []),
  ];
}

function contributorsOf({ dimension, slice, values, explanation }: ExplainedDimension): Contributors {
  const { ranked, pattern, rises, falls } = explanation;
  const side = (total: Decimal, sign: number): Side => {
    const own = ranked.filter(part => part.total.cmp(0) === sign);
    const [largest, next] = own;
    return {
      values: own.length,
      total: number(total),
      tied: next !== undefined && largest?.total.eq(next.total) === true,
      largest:
        largest?.share === undefined
          ? null
          : {
              value: values[largest.at] ?? null,
              contribution: number(largest.total),
              share: number(largest.share.toDecimalPlaces(PERCENT_DECIMALS)),
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
    rises: up,
    falls: down,
  };
}

function ratioCause({ dimension, parts, contributions }: ExplainedDimension): RatioCause {
  const mix = sum(contributions.parts.map(part => part.mix));
  const rate = contributions.change.minus(mix);
  const isMain = (one: Decimal) => one.abs().gte(mix.abs().plus(rate.abs()).times(MAIN_CAUSE));
  // What works against the change is not its cause.
  const isAgainst = (one: Decimal) => one.times(contributions.change).isNegative();
  const isMix = isMain(mix) || isAgainst(rate);
  const isRate = isMain(rate) || isAgainst(mix);
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
    ...{ dimension, mix: number(mix), rate: number(rate) },
    cause: isMix === isRate ? 'both' : isMix ? 'mix' : 'performance',
    compared: signs.length,
    rose: signs.filter(sign => sign > 0).length,
    fell: signs.filter(sign => sign < 0).length,
  };
}

/** The largest contributors in either direction, and the others of each direction in a row, so that the contributions add up to the change. */
function rowsOf(found: ExplainedDimension, change: ExplainedChange, described: Described): JsonRecord[] {
  const { ranked } = found.explanation;
  const { top } = described;
  // A row for a single other value would be as long as the value itself.
  const most = ranked.length <= top + 1 ? ranked.length : top;
  // The sentences name the largest of either direction.
  const named = [1, -1].map(sign => ranked.findIndex(({ total }) => total.cmp(0) === sign));
  const isShown = (_: ExplainedPart, at: number) => at < most || named.includes(at);
  const shown = ranked.filter(isShown);
  const others = ranked.filter(part => !shown.includes(part));
  const row = (parts: readonly ExplainedPart[], value: Json, status: string): JsonRecord => ({
    within: found.slice === undefined ? null : `${found.slice.dimension} ${valueName(found.slice.value)}`,
    dimension: found.dimension,
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
  return [
    ...shown.map(part => row([part], found.values[part.at] ?? null, part.status)),
    ...groups
      .filter(([, parts]) => parts.length > 0)
      .map(([what, parts]) => row(parts, `(${pluralize(parts.length, 'other')} ${what})`, 'others')),
  ];
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
    if (isSum) return number(lengths.before === lengths.now ? figure : perDayOf(figure, lengths[period]));
    const weights = sum(own.map(part => part[weight]));
    return weights.isZero() ? null : number(quotient(figure.times(factor), weights).toDecimalPlaces(10));
  };
  return {
    before: side('before', 'weightBefore'),
    now: side('now', 'weightNow'),
    contribution,
    ...(!isSum && {
      mix: number(sum(some.map(({ mix }) => mix))),
      rate: number(sum(some.map(({ rate }) => rate))),
    }),
  };
}

/** In percent of all contributions in their direction. */
function shareOf(parts: readonly ExplainedPart[]): Json {
  const shares = parts.flatMap(({ share }) => share ?? []);
  return shares.length === 0 ? null : number(sum(shares).toDecimalPlaces(PERCENT_DECIMALS));
}

/** In percent of the figure before; null if that is not above zero, because then no share of it means anything. */
function percentOf({ change, before }: Contributions): Json {
  return before.gt(0) ? number(quotient(change.times(100), before).toDecimalPlaces(PERCENT_DECIMALS)) : null;
}

export interface ChartForm extends ExplainedColumns {
  readonly locale: Locale | undefined;
}

/** The change as a waterfall: the metric before, what each value adds, and the metric now. */
export function waterfall(
  change: ExplainedChange,
  described: Described,
  { shown, locale, labels }: ChartForm,
): Chart {
  const [best] = change.dimensions;
  const { contributions } = best;
  const steps = rowsOf(best, change, described).map(row => ({
    label: valueName(row.value ?? null),
    digits: textOf(row.contribution),
    isGroup: row.status === 'others',
  }));
  const base: Point[] = [];
  const bars: Point[] = [];
  const positions: Position[] = [];
  const add = (label: string, from: number, digits: string, isGroup = false) => {
    positions.push({ label, isGroup });
    base.push({ value: from, digits: String(from) });
    bars.push({ value: Number(digits), digits });
  };
  add('before', 0, plain(contributions.before));
  let level = contributions.before.toNumber();
  for (const { label, digits, isGroup } of steps) {
    add(label, level, digits, isGroup);
    level += Number(digits);
  }
  add('now', 0, plain(contributions.now));
  const { label } = shown;
  const dimension = labels?.get(best.dimension) ?? labelInSentence(presentationOf(best.dimension).label);
  return {
    title: `${label}: what changed, by ${dimension}`,
    subtitle: `${periodText(described.days, { locale })}, compared with ${periodText(described.before, { locale })}`,
    panels: [
      {
        title: label,
        unit: shown.unit,
        figure: shown.figure,
        locale,
        shape: 'waterfall',
        axis: dimension,
        positions,
        series: [
          { name: undefined, points: base, isBase: true },
          { name: undefined, points: bars },
        ],
      },
    ],
    notes: [],
  };
}

function number(figure: Decimal): JsonNumber {
  return jsonNumber(plain(figure));
}

function rounded(figure: number, places: number): Json {
  return jsonNumber(String(Number(figure.toFixed(places))));
}

function sum(figures: readonly (Decimal | undefined)[]): Decimal {
  return figures.reduce<Decimal>((all, one) => (one === undefined ? all : all.plus(one)), EXACT_ZERO);
}
