import type { Json, JsonNumber, JsonRecord } from '../json/index.ts';
import { pluralize } from '../terminal/numbers.ts';
import { truncate } from '../terminal/width.ts';
import { printable } from '../text/printable.ts';
import { type Completeness, completenessJson } from './conclusion.ts';
import { compareDigits, groupThousands, roundDecimals } from './number.ts';
import {
  type FigureStyle,
  figuresFormat,
  labelInSentence,
  type Presentation,
  percentChange,
  presentationOf,
  withUnit,
} from './presentation/index.ts';
import { type Sentence, sentence, sentenceText } from './sentence.ts';
import { valueName } from './value-name.ts';

/** All digits of a figure. */
export type Figure = number | JsonNumber;

/** A period of a comparison: `days` is how many days count, `value` the metric over all of them, `compared` what is compared. */
interface ComparedPeriod {
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly value: Figure;
  readonly compared: Figure;
}

/** How a metric changed, and whether it usually changes as much. */
export interface MetricChange {
  readonly kind: 'metric_change';
  readonly metric: string;
  readonly now: ComparedPeriod;
  readonly before: ComparedPeriod;
  /** `day`: the figures are compared per day, because the periods count different numbers of days. */
  readonly basis: 'period' | 'day';
  readonly difference: Figure;
  /** With a decimal; null if the figure before is not above zero. */
  readonly percent: Figure | null;
  /**
   * `unknown` where too few periods before have figures; `incomparable` where a period has not ended or lacks rows; `judged` where an
   * alert has judged the change by another model.
   */
  readonly verdict: 'unchanged' | 'usual' | 'unusual' | 'unknown' | 'incomparable' | 'judged';
  readonly usual: { readonly unit: 'percent' | 'figure'; readonly from: Figure; readonly to: Figure } | null;
  /** How many earlier changes are known. */
  readonly earlier: number;
  /** What else to know about the figures, in words for programs. */
  readonly remarks: readonly string[];
  readonly completeness: Completeness;
}

/** What one value of a dimension adds to a change; `share` is in percent of all rises, or of all falls. */
interface Contributor {
  readonly value: Json;
  readonly contribution: Figure;
  readonly share: Figure;
  readonly status: string;
}

/** All values that contribute in one direction. */
export interface Side {
  readonly values: number;
  readonly total: Figure;
  readonly largest: Contributor | null;
  /** Whether another value contributes as much. */
  readonly tied: boolean;
}

/**
 * - `offset`: rises and falls are of similar size
 * - `broad`: most values changed alike, in proportion to their size
 * - `led`: some contributed more than their size
 */
export type ChangePattern = 'none' | 'offset' | 'broad' | 'led';

/** How the values of a dimension make up a change. */
export interface Contributors {
  readonly kind: 'contributors';
  readonly dimension: string;
  /** The value of another dimension that these are limited to. */
  readonly within: { readonly dimension: string; readonly value: Json } | null;
  readonly pattern: ChangePattern;
  readonly values: number;
  readonly rises: Side;
  readonly falls: Side;
}

/** Whether a ratio changed because its values did (performance), or because their shares did (mix). */
export interface RatioCause {
  readonly kind: 'ratio_cause';
  readonly dimension: string;
  readonly mix: Figure;
  readonly rate: Figure;
  readonly cause: 'mix' | 'performance' | 'both';
  /** How many values have a ratio in both periods, and how many of these rose and fell. */
  readonly compared: number;
  readonly rose: number;
  readonly fell: number;
}

/** What else to know about figures: days without rows that count as zero, or sums by value and by day that differ. */
export type Remark =
  | { readonly kind: 'zero_days'; readonly days: number }
  | {
      readonly kind: 'sums_differ';
      readonly dimension: string;
      readonly byValue: Figure;
      readonly byDay: Figure;
    };

/** What figures say about a change, as values that are JSON: text is made of them by `explanationText` only. */
export interface ChangeConclusions {
  readonly change: MetricChange;
  readonly remarks: readonly Remark[];
  readonly ratio: RatioCause | undefined;
  /** The dimension that explains most first. */
  readonly dimensions: readonly Contributors[];
  readonly within: Contributors | undefined;
}

/** From this share of the other side on, a headline names what offsets a change. */
const NAMED_OFFSET = 0.05;
const NEARLY = 0.8;
const LONGEST_NAME = 60;

/** How sentences write names, numbers and days. */
interface Wording {
  /** A column that a sentence begins with. */
  readonly subject: (column: string) => string;
  /** A column within a sentence. */
  readonly column: (column: string) => string;
  /** Figures of the metric that are read together, in their order. */
  readonly values: (figures: readonly Figure[]) => readonly string[];
  /** Differences of such figures, with their signs. */
  readonly changes: (figures: readonly Figure[]) => readonly string[];
  /** Changes in percent, with their signs. */
  readonly percents: (percents: readonly Figure[]) => readonly string[];
  readonly written: (sentence: Sentence) => string;
}

/** For programs: names as the API has them. */
const PLAIN: Wording = {
  subject: column => column,
  column: column => column,
  values: figures => figures.map(stated),
  changes: figures => figures.map(figure => withPlus(figure, stated(figure))),
  percents: percents => percents.map(one => `${withPlus(one, groupThousands(String(one)))} %`),
  written: sentence => sentenceText(sentence),
};

/** How people read the columns of an explanation. */
export interface ExplainedColumns {
  /** The metric with the unit that the gateway lists. */
  readonly shown: Presentation;
  /** What columns are called, by name, instead of their usual labels. */
  readonly labels?: ReadonlyMap<string, string> | undefined;
}

/** For people: labels, and figures, units and dates as tables have them. */
export function wordingOf(
  metric: string,
  { shown, labels = new Map() }: ExplainedColumns,
  style: FigureStyle,
): Wording {
  const labelOf = (column: string) =>
    labels.get(column) ?? (column === metric ? shown : presentationOf(column)).label;
  const texts = (figures: readonly Figure[], isChange: boolean) => {
    const digits = figures.map(String);
    const format = figuresFormat({ figure: shown.figure, isChange }, digits, style);
    return digits.map(one => withUnit(format(one), shown));
  };
  // Decimals are those of the metric.
  const percentStyle = style.decimals === 'all' ? style : { ...style, decimals: undefined };
  return {
    subject: labelOf,
    column: column => labels.get(column) ?? labelInSentence(labelOf(column)),
    values: figures => texts(figures, false),
    changes: figures => texts(figures, true),
    percents: percents => percents.map(one => percentChange(String(one), percentStyle)),
    written: sentence => sentenceText(sentence, style),
  };
}

/** How the contributors of a change are told. */
interface ContributorsStyle {
  readonly wording: Wording;
  readonly isRatio: boolean;
  readonly isHeadline?: boolean;
}

/** The headline first, and then what it rests on, each in a sentence. */
export function explanationText(
  { change, remarks, dimensions, within, ratio }: ChangeConclusions,
  wording: Wording = PLAIN,
): string[] {
  const [best, ...others] = dimensions;
  // What makes up a small rise is no cause of its being small.
  const isHeadline =
    ['unusual', 'unknown', 'incomparable', 'judged'].includes(change.verdict) && !isLessThanUsual(change);
  const isRatio = ratio !== undefined;
  const cause = best === undefined ? '' : contributorsText(best, { wording, isRatio, isHeadline });
  const known =
    change.earlier === 0 ? 'no earlier change' : `only ${pluralize(change.earlier, 'earlier change')}`;
  const sentences = [
    `${changeText(change, wording)}${isHeadline ? `: ${cause}` : ''}`,
    periodsText(change, wording),
    ...(change.verdict === 'unknown' ? [`Which changes are usual is unknown: ${known} can be measured`] : []),
    ...remarks.map(remark => remarkText(remark, wording)),
    ...(change.completeness.kind === 'incomplete'
      ? [`Not complete: ${change.completeness.missing.map(wording.written).join('; ')}`]
      : []),
    ...(ratio === undefined ? [] : [ratioText(ratio, change, wording)]),
    ...(isHeadline || best === undefined ? [] : [`By ${wording.column(best.dimension)}: ${cause}`]),
    ...(within === undefined
      ? []
      : [`By ${wording.column(within.dimension)}: ${contributorsText(within, { wording, isRatio })}`]),
    ...others.map(
      other => `By ${wording.column(other.dimension)}: ${contributorsText(other, { wording, isRatio })}`,
    ),
  ];
  return sentences.map(text => printable(`${text}.`));
}

/** A remark in words. */
export function remarkText(remark: Remark, wording: Wording = PLAIN): string {
  if (remark.kind === 'zero_days')
    return `${pluralize(remark.days, 'day')} without rows ${remark.days === 1 ? 'counts' : 'count'} as zero`;
  const { dimension, byValue, byDay } = remark;
  const [ofValues, ofDays] = wording.values([byValue, byDay]);
  return `The values of ${wording.column(dimension)} add up to ${ofValues}, and the days to ${ofDays}`;
}

/** `visits fell by 55 (-27.1 %), more than usual (-9.1 % to +10.2 %)` */
function changeText(change: MetricChange, wording: Wording): string {
  const { metric, basis, now, difference, percent, verdict, usual } = change;
  const name = `${wording.subject(metric)}${basis === 'day' ? ' per day' : ''}`;
  if (verdict === 'unchanged')
    return `${name} did not change: ${wording.values([now.compared])[0]} in both periods`;
  const isFall = isBelowZero(difference);
  // What is compared with a range has its decimals.
  const [size = '', ...figures] = wording.changes([
    difference,
    ...(usual?.unit === 'figure' ? [usual.from, usual.to] : []),
  ]);
  const relative = percent === null ? '' : ` (${percentsText([percent], wording)})`;
  const moved = `${name} ${isFall ? 'fell' : 'rose'} by ${unsigned(size)}${relative}`;
  if (verdict === 'incomparable') return `${moved} in periods that are not comparable`;
  if (usual === null) return moved;
  const isConstant = numeric(usual.from) === 0 && numeric(usual.to) === 0;
  const limits = usual.unit === 'percent' ? percentsText([usual.from, usual.to], wording) : figures;
  const range = isConstant ? 'usually none' : limits.join(' to ');
  if (verdict === 'usual') return `${moved}, as usual (${range})`;
  if (isFall ? numeric(usual.from) > 0 : numeric(usual.to) < 0)
    return `${moved}, where it usually ${isFall ? 'rises' : 'falls'} (${range})`;
  return `${moved}, ${isLessThanUsual(change) ? 'less' : 'more'} than usual (${range})`;
}

/** Where it usually falls, a small fall is less than usual. */
function isLessThanUsual({ verdict, usual, percent, difference }: MetricChange): boolean {
  if (verdict !== 'unusual' || usual === null) return false;
  const moves = numeric(usual.unit === 'percent' ? (percent ?? 0) : difference);
  return isBelowZero(difference)
    ? numeric(usual.to) < 0 && moves > numeric(usual.to)
    : numeric(usual.from) > 0 && moves < numeric(usual.from);
}

/** `From 203 (2026-02-28 to 2026-03-06) to 148 (2026-03-07 to 2026-03-13)` */
function periodsText({ before, now, basis }: MetricChange, wording: Wording): string {
  const periods = [before, now];
  const compared = wording.values(periods.map(period => period.compared));
  const whole = wording.values(periods.map(period => period.value));
  const [from, to] = periods.map((period, at) => {
    const days = wording.written(sentence`${period}`);
    const all = basis === 'day' ? `, ${whole[at]} in ${pluralize(period.days, 'day')}` : '';
    return `${compared[at]} (${days}${all})`;
  });
  return `${basis === 'day' ? 'Per day, because the periods differ in length: from' : 'From'} ${from} to ${to}`;
}

/**
 * What makes up a change: the largest contributors in both directions. A headline names the dimension, too. What raises a ratio need not
 * have risen itself: it may be a larger share of the whole.
 */
function contributorsText(
  found: Contributors,
  { wording, isRatio, isHeadline = false }: ContributorsStyle,
): string {
  const texts = changesOf(found, wording);
  const { dimension, within, pattern, values, rises, falls } = found;
  const column = wording.column(dimension);
  const isRise = compareDigits(String(rises.total), String(falls.total).replace('-', '')) >= 0;
  const [main, other] = isRise ? [rises, falls] : [falls, rises];
  const [noun, otherNoun] = isRise ? ['rises', 'falls'] : ['falls', 'rises'];
  const scope = within === null ? '' : ` within ${wording.column(within.dimension)} ${nameOf(within.value)}`;
  const moved = isRatio ? (isRise ? 'raised it' : 'lowered it') : isRise ? 'rose' : 'fell';
  const { largest } = main;
  if (pattern === 'none' || largest === null) return `no value of ${column} changed${scope}`;
  if (values === 1) {
    const only = `${nameOf(largest.value)}${scope} (${contributionText(largest, texts)})`;
    return isHeadline ? `${column} has one value, ${only}, and shows no cause` : `one value, ${only}`;
  }
  const most = main.tied || (pattern === 'offset' && other.tied) ? 'no value more than' : 'most of all';
  const who = isHeadline ? `${column} ${nameOf(largest.value)}` : nameOf(largest.value);
  const offset = Math.abs(numeric(other.total) / numeric(main.total));
  if (pattern === 'offset' && other.largest !== null) {
    const totals = `rises of ${unsigned(texts(rises.total))} and falls of ${unsigned(texts(falls.total))}`;
    const how = offset === 1 ? 'cancel' : offset >= NEARLY ? 'nearly cancel' : 'partly cancel';
    return `${totals} ${how}${scope}, ${most} ${who} ${shareOf(largest, noun, texts)} and ${nameOf(other.largest.value)} ${shareOf(other.largest, otherNoun, texts)}`;
  }
  const isNamed =
    offset >= NAMED_OFFSET ||
    Math.abs(numeric(other.largest?.contribution ?? 0)) > Math.abs(numeric(largest.contribution));
  const against = isNamed ? againstText(other, otherNoun, texts) : '';
  if (pattern === 'broad')
    return `broad, ${main.values} of ${values} values of ${column} ${moved}${scope}, ${most} ${nameOf(largest.value)} ${shareOf(largest, noun, texts)}${against}`;
  const whole =
    numeric(other.total) === 0
      ? `the ${isRise ? 'rise' : 'fall'}`
      : `the ${noun} of ${unsigned(texts(main.total))}`;
  return `${who} makes up ${shareText(largest.share)} of ${whole}${scope} (${contributionText(largest, texts)})${against}`;
}

/** How the changes of a sentence about contributors are written. */
type ChangeTexts = (figure: Figure) => string;

/** All of them are read together. */
function changesOf({ rises, falls }: Contributors, wording: Wording): ChangeTexts {
  const figures = [rises, falls].flatMap(({ total, largest }) => [total, largest?.contribution ?? total]);
  const texts = wording.changes(figures);
  const known = new Map(figures.map((figure, at) => [String(figure), texts[at] ?? '']));
  return figure => known.get(String(figure)) ?? '';
}

/** `, against falls of 1,966 (most: Monroe, -1,146)` */
function againstText({ values, total, largest }: Side, noun: string, texts: ChangeTexts): string {
  if (largest === null) return '';
  const name = nameOf(largest.value);
  if (values === 1) return `, against ${name} (${contributionText(largest, texts)})`;
  return `, against ${noun} of ${unsigned(texts(total))} (most: ${name}, ${contributionText(largest, texts)})`;
}

function ratioText(
  { dimension, mix, rate, cause, compared, rose, fell }: RatioCause,
  change: MetricChange,
  wording: Wording,
): string {
  const column = wording.column(dimension);
  const [ofMix, ofRate] = wording.changes([mix, rate]);
  const parts = `(mix ${ofMix}, performance ${ofRate})`;
  const [verb, opposite, along, against] = isBelowZero(change.difference)
    ? ['fell', 'rose', fell, rose]
    : ['rose', 'fell', rose, fell];
  // Simpson's paradox.
  if (cause === 'mix' && along === 0 && against > 0)
    return `Mix: ${wording.column(change.metric)} ${verb}, although it ${opposite} in ${against} of ${compared} values of ${column} and ${verb} in none ${parts}`;
  if (cause === 'mix') return `Mix: the shares of the values of ${column} changed ${parts}`;
  return `${cause === 'both' ? 'Both mix and performance' : 'Performance'} of the values of ${column} changed ${parts}`;
}

/** `(-523, 38 % of the falls)` */
function shareOf(contributor: Contributor, noun: string, texts: ChangeTexts): string {
  return `(${contributionText(contributor, texts)}, ${shareText(contributor.share)} of the ${noun})`;
}

function contributionText({ contribution, status }: Contributor, texts: ChangeTexts): string {
  const text = texts(contribution);
  return status === 'new' || status === 'gone' ? `${text}, ${status}` : text;
}

/** A share that is not all of it is never shown as all, and one that is something never as nothing. */
function shareText(share: Figure): string {
  const text = roundDecimals(String(share), 0);
  if (numeric(share) === 100) return 'all';
  if (text === '100') return 'over 99 %';
  return text === '0' ? 'under 1 %' : `${text} %`;
}

/** Zero is a change that rounds to it. */
function percentsText(percents: readonly Figure[], wording: Wording): readonly string[] {
  const texts = wording.percents(percents);
  return percents.map((percent, at) => (numeric(percent) === 0 ? 'under 0.1 %' : (texts[at] ?? '')));
}

function nameOf(value: Json): string {
  return truncate(valueName(value), LONGEST_NAME);
}

function numeric(figure: Figure): number {
  return Number(String(figure));
}

function isBelowZero(figure: Figure): boolean {
  return String(figure).startsWith('-');
}

function withPlus(figure: Figure, text: string): string {
  return isBelowZero(figure) || numeric(figure) === 0 ? text : `+${text}`;
}

/** The size of a change. */
function unsigned(change: string): string {
  return change.replace(/^[-+\u2212]/, '');
}

function stated(figure: Figure): string {
  return groupThousands(statedDigits(String(figure)));
}

/** The digits with which a sentence states a figure: two decimals, or four digits of a small one. */
export function statedDigits(digits: string): string {
  const size = Math.abs(Number(digits));
  if (!digits.includes('.')) return digits;
  return roundDecimals(digits, size >= 1 ? 2 : Math.min(10, 3 - Math.floor(Math.log10(size || 1))));
}

/** The conclusions in a list. */
export function explanationJson({ change, ratio, dimensions, within }: ChangeConclusions): JsonRecord[] {
  const json = { ...change, completeness: completenessJson(change.completeness) };
  return [json, ratio, ...dimensions, within].filter(one => one !== undefined) as unknown as JsonRecord[];
}
