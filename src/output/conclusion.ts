import { type JsonRecord, jsonNumber } from '../json/index.ts';
import { printable } from '../text/printable.ts';
import { changePercentText, withPlus } from './change-percent.ts';
import { digitsFormat } from './number.ts';
import {
  agreeingStyle,
  areShares,
  changeOf,
  type FigureStyle,
  figuresFormat,
  headingOf,
  type Presentation,
  presentationOf,
} from './presentation/index.ts';
import { type Sentence, sentenceText } from './sentence.ts';

/** How much the figures of a conclusion cover. Only `complete` is proven without a reservation. */
export type Completeness =
  | { readonly kind: 'complete' }
  /** By the request: `the first 10 of 28 rows`. */
  | { readonly kind: 'limited'; readonly to: Sentence }
  /** What the figures lack, or why they differ in scope. */
  | { readonly kind: 'incomplete'; readonly missing: readonly Sentence[] }
  /** Nothing can be concluded. */
  | { readonly kind: 'unmeasured'; readonly reason: Sentence };

/** The value of a metric over all requested days. */
export interface Total {
  readonly kind: 'total';
  readonly metric: string;
  readonly unit: string | undefined;
  /** All digits, without an exponent; undefined where the total is withheld. */
  readonly value: string | undefined;
  /** What the value is: a sum of the rows, or the gateway's own value of the period. */
  readonly basis: Basis;
  /** Whether it is shown with some of its rows only. */
  readonly exceedsRows: boolean;
  readonly completeness: Completeness;
}

type Basis = 'rows' | 'gateway';

/** Of a change in percent. */
const PERCENT_DECIMALS = 4;

/** The value of a metric in two periods. */
export interface Change extends Omit<Total, 'kind'> {
  readonly kind: 'change';
  readonly before: string | undefined;
  /** `value` minus `before`, exactly; undefined where the change is withheld, and of unequal periods. */
  readonly difference: string | undefined;
  /** In percent of `before`, or of that per day; undefined if that is zero or less. */
  readonly percent: string | undefined;
  /** Of unequal periods: the direction of the figure per day, which `percent` is of. */
  readonly perDay?: 'rose' | 'fell' | 'unchanged' | undefined;
}

/** What figures prove, as a value: text is made of it by `conclusionText` only. */
export type Conclusion = Total | Change;

/**
 * The sentence of a conclusion: `visits: 29,701 (before: 29,850), change -149 (-0.5 %)`. With a style it is for people: `Visits: 29,701
 * (before: 29,850), change −149 (−0.5 %)`, with the figures as their tables have them.
 */
export function conclusionText(
  conclusion: Conclusion,
  style?: FigureStyle,
  presentation = presentationOfMetric(conclusion),
): string {
  const { metric, unit, completeness } = conclusion;
  const heading = style === undefined ? headingOf({ label: metric, unit }) : headingOf(presentation);
  const forms = style && figureForms(conclusion, presentation, style);
  return printable(
    `${heading}${scopeOf(conclusion, style)}: ${figuresText(conclusion, reasonOf(completeness, style), forms)}${missingOf(completeness, style)}`,
  );
}

/** How people read the metric of a conclusion, by its name and its unit. */
export function presentationOfMetric({ metric, unit }: Conclusion): Presentation {
  return presentationOf(metric, () => (unit === undefined ? undefined : { unit }));
}

/** A conclusion that is shown with some of the rows that were received. */
export function withSomeRows(conclusion: Conclusion): Conclusion {
  return { ...conclusion, exceedsRows: true };
}

/** ` in the first 10 of 28 rows`, ` in all rows` where only some are shown; empty for figures of the rows beside them. */
export function scopeOf(conclusion: Conclusion, style?: FigureStyle): string {
  const { completeness, exceedsRows } = conclusion;
  if (completeness.kind === 'limited') return ` in ${sentenceText(completeness.to, style)}`;
  const { value, before } = partsOf(conclusion);
  return exceedsRows && (value ?? before) !== undefined ? ' in all rows' : '';
}

/** `; 2026-03-14 has not ended yet`; empty for figures that lack nothing. */
export function missingOf(completeness: Completeness, style?: FigureStyle): string {
  if (completeness.kind !== 'incomplete') return '';
  return completeness.missing.map(text => `; ${sentenceText(text, style)}`).join('');
}

function reasonOf(completeness: Completeness, style?: FigureStyle): string {
  return completeness.kind === 'unmeasured' ? `: ${sentenceText(completeness.reason, style)}` : '';
}

/** How the parts of a sentence are written. */
interface FigureForms {
  readonly value: (digits: string) => string;
  readonly change: (digits: string) => string;
  readonly percent: (digits: string) => string;
  /** Whether a change is in points, and not in percent of the figure before. */
  readonly hasPoints?: boolean;
}

/** The figures as `digitsFormat` writes them. */
function plainForms(conclusion: Conclusion): FigureForms {
  const { difference } = partsOf(conclusion);
  const format = digitsFormat(figuresOf(conclusion), difference);
  return {
    value: format,
    change: digits => withPlus(digits, format(digits)),
    percent: digits => changePercentText(digits, PERCENT_DECIMALS),
  };
}

/** How people read the figures of a conclusion. */
export function figureForms(
  conclusion: Conclusion,
  presentation: Presentation,
  style: FigureStyle,
): FigureForms {
  const { value, before, difference } = partsOf(conclusion);
  const figures = figuresOf(conclusion);
  const compared =
    value === undefined || before === undefined || difference === undefined
      ? []
      : [{ now: value, before, difference }];
  const agreeing = agreeingStyle(presentation, compared, style);
  return {
    value: figuresFormat(presentation, figures, agreeing),
    change: figuresFormat(changeOf(presentation), figures, agreeing),
    hasPoints: areShares(presentation, figures),
    percent: digits => changePercentText(digits, PERCENT_DECIMALS, style),
  };
}

/** The stated values, without their difference. */
export function figuresOf(conclusion: Conclusion): string[] {
  const { value, before } = partsOf(conclusion);
  return [value, before].filter(digits => digits !== undefined);
}

function partsOf(conclusion: Conclusion): Partial<Pick<Change, 'value' | 'before' | 'difference'>> {
  return conclusion.kind === 'change' ? conclusion : { value: conclusion.value };
}

function figuresText(
  conclusion: Conclusion,
  reason: string,
  forms: FigureForms = plainForms(conclusion),
): string {
  const { value } = conclusion;
  if (conclusion.kind === 'total') return value === undefined ? `no total${reason}` : forms.value(value);
  const { before, difference, percent } = conclusion;
  if (value === undefined && before === undefined) return `no total${reason}`;
  const shown = (digits: string | undefined) => (digits === undefined ? 'no total' : forms.value(digits));
  const both = `${shown(value)} (before: ${shown(before)})`;
  const perDay = perDayText(conclusion, forms);
  if (perDay !== undefined) return `${both}, ${conclusion.perDay === 'unchanged' ? '' : 'change '}${perDay}`;
  if (difference === undefined) return `${both}, not comparable${reason}`;
  if (difference === '0') return `${both}, unchanged`;
  const change = forms.change(difference);
  return `${both}, change ${change}${percent === undefined || forms.hasPoints ? '' : ` (${forms.percent(percent)})`}`;
}

/** `+2.3 % per day`, or `unchanged per day`, of unequal periods; undefined of equal ones. */
export function perDayText(conclusion: Conclusion, forms: Pick<FigureForms, 'percent'>): string | undefined {
  if (conclusion.kind === 'total' || conclusion.perDay === undefined) return undefined;
  const { perDay, percent = '0' } = conclusion;
  return `${perDay === 'unchanged' ? perDay : forms.percent(percent)} per day`;
}

/** The conclusion as JSON, with all digits. */
export function conclusionJson(conclusion: Conclusion): JsonRecord {
  const { kind, metric, unit, value, basis, exceedsRows, completeness } = conclusion;
  const figure = (digits: string | undefined) => (digits === undefined ? null : jsonNumber(digits));
  return {
    kind,
    metric,
    unit: unit ?? null,
    value: figure(value),
    ...(conclusion.kind === 'change' && {
      before: figure(conclusion.before),
      difference: figure(conclusion.difference),
      percent: figure(conclusion.percent),
      per_day: conclusion.perDay !== undefined,
    }),
    basis,
    exceeds_rows: exceedsRows,
    completeness: completenessJson(completeness),
    text: conclusionText(conclusion),
  };
}

/** How much figures cover, with sentences for programs. */
export function completenessJson(completeness: Completeness): JsonRecord {
  switch (completeness.kind) {
    case 'complete':
      return { kind: completeness.kind };
    case 'limited':
      return { kind: completeness.kind, to: sentenceText(completeness.to) };
    case 'incomplete':
      return { kind: completeness.kind, missing: completeness.missing.map(text => sentenceText(text)) };
    case 'unmeasured':
      return { kind: completeness.kind, reason: sentenceText(completeness.reason) };
  }
}
