import type { Json, JsonNumber, JsonRecord } from '../json/index.ts';
import { pluralize } from '../terminal/numbers.ts';
import { truncate } from '../terminal/width.ts';
import { printable } from '../text/printable.ts';
import type { Completeness } from './conclusion.ts';
import { compareDigits, groupThousands, roundDecimals, roundVisibly, timesHundred } from './number.ts';
import {
  type FigureStyle,
  labelInSentence,
  periodText,
  presentationOf,
  shownNumber,
} from './presentation/index.ts';
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
  /** What else to know about the figures, in words. */
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

/** What figures say about a change, as values that are JSON: text is made of them by `explanationText` only. */
export interface ChangeConclusions {
  readonly change: MetricChange;
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
  /** A number with `,` before thousands. */
  readonly number: (text: string) => string;
  /** Whether figures of the metric are ratios, which are written in percent, and their changes in points. */
  readonly isRatio?: boolean;
  readonly days: (days: { readonly from: string; readonly to: string }) => string;
}

/** For programs: names as the API has them. */
const PLAIN: Wording = {
  subject: column => column,
  column: column => column,
  number: text => text,
  days: ({ from, to }) => (from === to ? from : `${from} to ${to}`),
};

/** For people: labels, and numbers and dates as tables have them. `labels` are those of a report, by column. */
export function wordingOf(
  metric: string,
  style: FigureStyle,
  labels: ReadonlyMap<string, string> = new Map(),
): Wording {
  const labelOf = (column: string) => labels.get(column) ?? presentationOf(column).label;
  return {
    subject: labelOf,
    column: column => labels.get(column) ?? labelInSentence(labelOf(column)),
    number: text => shownNumber(text, style),
    isRatio: presentationOf(metric).figure === 'ratio',
    days: days => periodText(days, style),
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
  { change, dimensions, within, ratio }: ChangeConclusions,
  wording: Wording = PLAIN,
): string[] {
  const [best, ...others] = dimensions;
  const isHeadline = ['unusual', 'unknown', 'incomparable', 'judged'].includes(change.verdict);
  const isRatio = ratio !== undefined;
  const cause = best === undefined ? '' : contributorsText(best, { wording, isRatio, isHeadline });
  const known =
    change.earlier === 0 ? 'no earlier change' : `only ${pluralize(change.earlier, 'earlier change')}`;
  const sentences = [
    `${changeText(change, wording)}${isHeadline ? `: ${cause}` : ''}`,
    periodsText(change, wording),
    ...(change.verdict === 'unknown' ? [`Which changes are usual is unknown: ${known} can be measured`] : []),
    ...change.remarks,
    ...(change.completeness.kind === 'incomplete'
      ? [`Not complete: ${change.completeness.missing.join('; ')}`]
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

/** `visits fell by 55 (-27.1 %), more than usual (-9.1 % to +10.2 %)` */
function changeText(change: MetricChange, wording: Wording): string {
  const { metric, basis, now, difference, percent, verdict, usual } = change;
  const name = `${wording.subject(metric)}${basis === 'day' ? ' per day' : ''}`;
  if (verdict === 'unchanged')
    return `${name} did not change: ${readable(now.compared, wording)} in both periods`;
  const isFall = isBelowZero(difference);
  const relative = percent === null ? '' : ` (${percentText(percent, wording)})`;
  const moved = `${name} ${isFall ? 'fell' : 'rose'} by ${sizeText(difference, wording)}${relative}`;
  if (verdict === 'incomparable') return `${moved} in periods that are not comparable`;
  if (usual === null) return moved;
  const shown = (figure: Figure) =>
    usual.unit === 'percent' ? percentText(figure, wording) : signed(figure, wording);
  const isConstant = numeric(usual.from) === 0 && numeric(usual.to) === 0;
  const range = isConstant ? 'usually none' : `${shown(usual.from)} to ${shown(usual.to)}`;
  if (verdict === 'usual') return `${moved}, as usual (${range})`;
  if (isFall ? numeric(usual.from) > 0 : numeric(usual.to) < 0)
    return `${moved}, where it usually ${isFall ? 'rises' : 'falls'} (${range})`;
  // Where it usually falls, a small fall is less than usual.
  const size = numeric(usual.unit === 'percent' ? (percent ?? 0) : difference);
  const isMore = isFall ? size < numeric(usual.from) : size > numeric(usual.to);
  return `${moved}, ${isMore ? 'more' : 'less'} than usual (${range})`;
}

/** `From 203 (2026-02-28 to 2026-03-06) to 148 (2026-03-07 to 2026-03-13)` */
function periodsText({ before, now, basis }: MetricChange, wording: Wording): string {
  const [from, to] = [before, now].map(period => {
    const days = wording.days(period);
    const all =
      basis === 'day' ? `, ${readable(period.value, wording)} in ${pluralize(period.days, 'day')}` : '';
    return `${readable(period.compared, wording)} (${days}${all})`;
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
  const { dimension, within, pattern, values, rises, falls } = found;
  const column = wording.column(dimension);
  const isRise = compareDigits(String(rises.total), String(falls.total).replace('-', '')) >= 0;
  const [main, other] = isRise ? [rises, falls] : [falls, rises];
  const [noun, otherNoun] = isRise ? ['rises', 'falls'] : ['falls', 'rises'];
  const scope = within === null ? '' : ` within ${wording.column(within.dimension)} ${nameOf(within.value)}`;
  const moved = isRatio ? (isRise ? 'raised it' : 'lowered it') : isRise ? 'rose' : 'fell';
  const { largest } = main;
  if (pattern === 'none' || largest === null) return `no value of ${column} changed${scope}`;
  const most = main.tied || (pattern === 'offset' && other.tied) ? 'no value more than' : 'most of all';
  const who = isHeadline ? `${column} ${nameOf(largest.value)}` : nameOf(largest.value);
  const offset = Math.abs(numeric(other.total) / numeric(main.total));
  if (pattern === 'offset' && other.largest !== null) {
    const totals = `rises of ${sizeText(rises.total, wording)} and falls of ${sizeText(falls.total, wording)}`;
    const how = offset === 1 ? 'cancel' : offset >= NEARLY ? 'nearly cancel' : 'partly cancel';
    return `${totals} ${how}${scope}, ${most} ${who} ${shareOf(largest, noun, wording)} and ${nameOf(other.largest.value)} ${shareOf(other.largest, otherNoun, wording)}`;
  }
  const isNamed =
    offset >= NAMED_OFFSET ||
    Math.abs(numeric(other.largest?.contribution ?? 0)) > Math.abs(numeric(largest.contribution));
  const against = isNamed ? againstText(other, otherNoun, wording) : '';
  if (pattern === 'broad')
    return `broad, ${main.values} of ${values} values of ${column} ${moved}${scope}, ${most} ${nameOf(largest.value)} ${shareOf(largest, noun, wording)}${against}`;
  const whole =
    numeric(other.total) === 0
      ? `the ${isRise ? 'rise' : 'fall'}`
      : `the ${noun} of ${sizeText(main.total, wording)}`;
  return `${who} makes up ${shareText(largest.share)} of ${whole}${scope} (${contributionText(largest, wording)})${against}`;
}

/** `, against falls of 1,966 (most: Monroe, -1,146)` */
function againstText({ values, total, largest }: Side, noun: string, wording: Wording): string {
  if (largest === null) return '';
  const name = nameOf(largest.value);
  if (values === 1) return `, against ${name} (${contributionText(largest, wording)})`;
  return `, against ${noun} of ${sizeText(total, wording)} (most: ${name}, ${contributionText(largest, wording)})`;
}

function ratioText(
  { dimension, mix, rate, cause, compared, rose, fell }: RatioCause,
  change: MetricChange,
  wording: Wording,
): string {
  const column = wording.column(dimension);
  const parts = `(mix ${signed(mix, wording)}, performance ${signed(rate, wording)})`;
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
function shareOf(contributor: Contributor, noun: string, wording: Wording): string {
  return `(${contributionText(contributor, wording)}, ${shareText(contributor.share)} of the ${noun})`;
}

function contributionText({ contribution, status }: Contributor, wording: Wording): string {
  return status === 'new' || status === 'gone'
    ? `${signed(contribution, wording)}, ${status}`
    : signed(contribution, wording);
}

/** A share that is not all of it is never shown as all, and one that is something never as nothing. */
function shareText(share: Figure): string {
  const text = roundDecimals(String(share), 0);
  if (numeric(share) === 100) return 'all';
  if (text === '100') return 'over 99 %';
  return text === '0' ? 'under 1 %' : `${text} %`;
}

function percentText(percent: Figure, wording: Wording): string {
  return numeric(percent) === 0
    ? 'under 0.1 %'
    : `${isBelowZero(percent) ? '' : '+'}${wording.number(groupThousands(String(percent)))} %`;
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

/** A change with its sign. */
function signed(figure: Figure, wording: Wording): string {
  return `${isBelowZero(figure) || numeric(figure) === 0 ? '' : '+'}${amount(figure, wording, ' pp')}`;
}

/** The size of a change. */
function sizeText(figure: Figure, wording: Wording): string {
  return amount(figure, wording, ' pp').replace(/^[-\u2212]/, '');
}

/** A figure of the metric. */
function readable(figure: Figure, wording: Wording): string {
  return amount(figure, wording, ' %');
}

function amount(figure: Figure, { number, isRatio }: Wording, unit: string): string {
  const digits = String(figure);
  if (!isRatio) return number(groupThousands(statedDigits(digits)));
  return number(groupThousands(roundVisibly(timesHundred(digits), 1))) + unit;
}

/** The digits with which a sentence states a figure: two decimals, or four digits of a small one. */
export function statedDigits(digits: string): string {
  const size = Math.abs(Number(digits));
  if (!digits.includes('.')) return digits;
  return roundDecimals(digits, size >= 1 ? 2 : Math.min(10, 3 - Math.floor(Math.log10(size || 1))));
}

/** The conclusions in a list. */
export function explanationJson({ change, ratio, dimensions, within }: ChangeConclusions): JsonRecord[] {
  return [change, ratio, ...dimensions, within].filter(one => one !== undefined) as unknown as JsonRecord[];
}
