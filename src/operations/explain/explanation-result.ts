import type { Decimal } from 'decimal.js';
import { EXACT_ZERO, plain, quotient } from '../../analysis/exact-change.ts';
import type { ExplainedPart } from '../../analysis/explanation.ts';
import type { DayRange } from '../../apis/bda/days.ts';
import { type Json, type JsonRecord, jsonNumber, textOf } from '../../json/index.ts';
import type { Chart, Point, Position } from '../../output/chart/chart.ts';
import { groupThousands, roundDecimals } from '../../output/number.ts';
import { pluralize } from '../../terminal/numbers.ts';
import { truncate } from '../../terminal/width.ts';
import type { ExplainedChange, ExplainedDimension } from './explain-change.ts';

const PERCENT_DECIMALS = 2;
const SURPRISE_DECIMALS = 6;
const LONGEST_NAME = 60;
/** An explanation that is smaller is none. */
const LEAST_SHARE = 0.05;

export interface ExplanationResult {
  readonly sentences: readonly string[];
  readonly rows: readonly JsonRecord[];
  readonly data: JsonRecord;
}

export interface Described {
  readonly metric: string;
  readonly days: DayRange;
  readonly before: DayRange;
  readonly top: number;
  /** The factor of the numerator of a ratio. */
  readonly factor: number;
  readonly requests: number;
}

/** The explanation in words, as rows, and as data. */
export function resultOf(change: ExplainedChange, described: Described): ExplanationResult {
  const [best] = change.dimensions as [ExplainedDimension];
  const { metric, days, before, requests } = described;
  const { contributions } = best;
  const rows = [
    ...rowsOf(best, described),
    ...(change.within === undefined ? [] : rowsOf(change.within, described)),
  ];
  const sentences = [wholeInWords(best, described), causeInWords(change)];
  return {
    sentences,
    rows,
    data: {
      metric,
      sentences: [...sentences],
      now: { from: days.from, to: days.to, value: number(contributions.now) },
      before: { from: before.from, to: before.to, value: number(contributions.before) },
      change: number(contributions.change),
      change_percent: percentOf(contributions.change, contributions.before),
      dimensions: change.dimensions.map(({ dimension, explanation, values }) => ({
        dimension,
        values: jsonNumber(String(values.length)),
        score: rounded(explanation.score, SURPRISE_DECIMALS),
      })),
      requests: jsonNumber(String(requests)),
      rows: [...rows],
    },
  };
}

/** The values that explain most, and one row for all others, so that the contributions add up to the change. */
function rowsOf(found: ExplainedDimension, { top, factor }: Described): JsonRecord[] {
  const { ranked } = found.explanation;
  // A row for a single other value would be as long as the value itself.
  const shown = ranked.length <= top + 1 ? ranked : ranked.slice(0, top);
  const others = ranked.slice(shown.length);
  const within = found.slice && `${found.slice.dimension} ${nameOf(found.slice.value)}`;
  const row = (part: ExplainedPart): JsonRecord => ({
    within: within ?? null,
    dimension: found.dimension,
    value: found.values[part.at] ?? null,
    ...figuresOf(found, [part], factor),
    share_percent: shareOf([part], found),
    surprise: rounded(part.surprise, SURPRISE_DECIMALS),
    status: part.status,
  });
  if (others.length === 0) return shown.map(row);
  return [
    ...shown.map(row),
    {
      within: within ?? null,
      dimension: found.dimension,
      value: `(${pluralize(others.length, 'other')})`,
      ...figuresOf(found, others, factor),
      share_percent: shareOf(others, found),
      surprise: null,
      status: 'others',
    },
  ];
}

function figuresOf(
  { parts }: ExplainedDimension,
  some: readonly ExplainedPart[],
  factor: number,
): Record<string, Json> {
  const own = some.map(({ at }) => parts[at]).filter(part => part !== undefined);
  const isRatio = own.some(({ weightNow }) => weightNow !== undefined);
  const contribution = number(sum(some.map(({ total }) => total)));
  if (!isRatio)
    return {
      before: number(sum(own.map(part => part.before))),
      now: number(sum(own.map(part => part.now))),
      contribution,
    };
  const side = (figures: (Decimal | undefined)[], weights: (Decimal | undefined)[]): Json => {
    const weight = sum(weights);
    return weight.isZero() ? null : number(quotient(sum(figures).times(factor), weight).toDecimalPlaces(10));
  };
  return {
    before: side(
      own.map(part => part.before),
      own.map(part => part.weightBefore),
    ),
    now: side(
      own.map(part => part.now),
      own.map(part => part.weightNow),
    ),
    contribution,
    mix: number(sum(some.map(({ mix }) => mix))),
    rate: number(sum(some.map(({ rate }) => rate))),
  };
}

function shareOf(some: readonly ExplainedPart[], { contributions }: ExplainedDimension): Json {
  return percentOf(sum(some.map(({ total }) => total)), contributions.change, true);
}

function percentOf(part: Decimal, whole: Decimal, isSigned = false): Json {
  if (whole.isZero()) return null;
  return number(quotient(part.times(100), isSigned ? whole : whole.abs()).toDecimalPlaces(PERCENT_DECIMALS));
}

/** The first sentence: how the metric changed. */
function wholeInWords({ contributions }: ExplainedDimension, { metric, days, before }: Described): string {
  const { now, before: then, change } = contributions;
  const periods = `from ${daysText(before)} to ${daysText(days)}`;
  if (change.isZero()) return `${metric} did not change: it is ${readable(now)} in both periods, ${periods}.`;
  const percent = then.isZero() ? '' : ` (${signed(quotient(change.times(100), then.abs()), 1)} %)`;
  const verb = change.isNegative() ? 'fell' : 'rose';
  return `${metric} ${verb} by ${readable(change.abs())}${percent}, from ${readable(then)} (${daysText(before)}) to ${readable(now)} (${daysText(days)}).`;
}

/** The second sentence: what explains it. */
function causeInWords({ dimensions, within }: ExplainedChange): string {
  const [best] = dimensions as [ExplainedDimension];
  const [first, second] = best.explanation.ranked;
  if (first === undefined) return 'There are no values to explain it.';
  if (best.explanation.ranked.every(({ status }) => status === 'usual'))
    return `No value of ${best.dimension} changed more than between the periods before.`;
  const name = `${best.dimension} ${nameOf(best.values[first.at] ?? null)}`;
  const kind = first.status === 'new' ? ', which is new' : first.status === 'gone' ? ', which is gone' : '';
  if (first.share === undefined || first.share < LEAST_SHARE)
    return `${name} (${signed(first.total)}) and ${second === undefined ? 'no other value' : `${nameOf(best.values[second.at] ?? null)} (${signed(second.total)})`} moved most.`;
  const inner = within?.explanation.ranked[0];
  const deeper =
    inner === undefined || within === undefined || (inner.share ?? 0) < LEAST_SHARE
      ? ''
      : `, most of it in ${within.dimension} ${nameOf(within.values[inner.at] ?? null)} (${percentText(inner.share ?? 0)} of that)`;
  return `${name}${kind} explains ${percentText(first.share)} of it (${signed(first.total)})${deeper}.`;
}

/** The change as a waterfall: the metric before, what each value adds, and the metric now. */
export function waterfall(change: ExplainedChange, described: Described, unit: string | undefined): Chart {
  const [best] = change.dimensions as [ExplainedDimension];
  const { contributions } = best;
  const steps = rowsOf(best, described).map(row => ({
    label: nameOf(row.value ?? null),
    digits: textOf(row.contribution),
  }));
  const base: Point[] = [];
  const bars: Point[] = [];
  const positions: Position[] = [];
  const add = (label: string, from: number, digits: string) => {
    positions.push({ label });
    base.push({ value: from, digits: String(from) });
    bars.push({ value: Number(digits), digits });
  };
  add('before', 0, plain(contributions.before));
  let level = contributions.before.toNumber();
  for (const { label, digits } of steps) {
    add(label, level, digits);
    level += Number(digits);
  }
  add('now', 0, plain(contributions.now));
  return {
    title: `${described.metric}: what changed, by ${best.dimension}`,
    subtitle: `${daysText(described.days)}, compared with ${daysText(described.before)}`,
    panels: [
      {
        title: described.metric,
        unit,
        shape: 'waterfall',
        axis: best.dimension,
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

function daysText({ from, to }: DayRange): string {
  return from === to ? from : `${from} to ${to}`;
}

function nameOf(value: Json): string {
  return truncate(textOf(value) || '(none)', LONGEST_NAME);
}

function percentText(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** With two decimals, or four digits of a small figure. */
function readable(figure: Decimal): string {
  const places =
    figure.isZero() || figure.isInteger() ? 0 : figure.abs().gte(1) ? 2 : Math.min(10, 3 - figure.e);
  return groupThousands(roundDecimals(plain(figure), places));
}

function signed(figure: Decimal, places?: number): string {
  const text = places === undefined ? readable(figure) : groupThousands(roundDecimals(plain(figure), places));
  return figure.isNegative() ? text : `+${text}`;
}

function number(figure: Decimal): Json {
  return jsonNumber(plain(figure));
}

function rounded(figure: number, places: number): Json {
  return jsonNumber(String(Number(figure.toFixed(places))));
}

function sum(figures: readonly (Decimal | undefined)[]): Decimal {
  return figures.reduce<Decimal>((all, one) => (one === undefined ? all : all.plus(one)), EXACT_ZERO);
}
