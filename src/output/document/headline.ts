import { printable } from '../../text/printable.ts';
import { unsigned } from '../change-percent.ts';
import {
  type Completeness,
  type Conclusion,
  conclusionText,
  figureForms,
  missingOf,
  perDayText,
  scopeOf,
} from '../conclusion.ts';
import { type Presentation, withUnit } from '../presentation/column.ts';
import type { FigureStyle } from '../presentation/figures.ts';
import { type Sentence, sentence, sentenceText } from '../sentence.ts';

/** Whether a change is one that is usual between such periods. */
export type Verdict = 'usual' | 'unusual';
const VERDICTS: Readonly<Record<Verdict, string>> = { usual: ', as usual', unusual: ', which is unusual' };

/**
 * A conclusion as the headline of a document: `Visits fell by 159 (−0.5 %) to 29,701, as usual.` `verdict` is undefined where it is not
 * known which changes are usual.
 */
export function headlineText(
  conclusion: Conclusion,
  { presentation, verdict }: { readonly presentation: Presentation; readonly verdict: Verdict | undefined },
  style: FigureStyle,
): string {
  const { value, before, difference, percent, perDay } = { ...NO_CHANGE, ...conclusion };
  const scope = scopeOf(conclusion, style);
  if (value !== undefined && before !== undefined && perDay !== undefined) {
    const { percent: percentOf, value: form } = figureForms(conclusion, presentation, style);
    const moved =
      perDay === 'unchanged' ? 'did not change' : `${perDay} by ${unsigned(percentOf(percent ?? '0'))}`;
    return printable(
      `${presentation.label} per day${scope} ${moved}${judgedText(verdict, perDay === 'unchanged')}: ${withUnit(form(value), presentation)} (before: ${form(before)})${missingOf(conclusion.completeness, style)}.`,
    );
  }
  if (value === undefined || difference === undefined)
    return `${conclusionText(conclusion, style, presentation)}.`;
  const forms = figureForms(conclusion, presentation, style);
  const size = withUnit(unsigned(forms.change(difference)), presentation);
  const relative = percent === undefined || forms.hasPoints ? '' : ` (${forms.percent(percent)})`;
  const change =
    difference === '0'
      ? 'did not change:'
      : `${difference.startsWith('-') ? 'fell' : 'rose'} by ${size}${relative} to`;
  const { completeness } = conclusion;
  const judged = judgedText(verdict, difference === '0');
  return printable(
    `${presentation.label}${scope} ${change} ${withUnit(forms.value(value), presentation)}${judged}${missingOf(completeness, style)}.`,
  );
}

function judgedText(verdict: Verdict | undefined, isUnchanged: boolean): string {
  return verdict === undefined || isUnchanged ? '' : VERDICTS[verdict];
}

const NO_CHANGE = { before: undefined, difference: undefined, percent: undefined, perDay: undefined };

/** The figures of a conclusion as a table or a tile has them, without their unit. */
interface ConclusionFigures {
  readonly value: string | undefined;
  readonly before: string | undefined;
  /** `−159 (−0.5 %)`. */
  readonly change: string | undefined;
  /** The same in percent, to follow a figure: ` (−0.5 %)`, of shares in points; empty where it is not known. */
  readonly relative: string;
  /** What the figures are limited to, what they lack, or why they are withheld. */
  readonly reservations: readonly string[];
}

/** The parts of the sentence of a conclusion. */
export function conclusionFigures(
  conclusion: Conclusion,
  presentation: Presentation,
  style: FigureStyle,
): ConclusionFigures {
  const { completeness } = conclusion;
  const forms = figureForms(conclusion, presentation, style);
  const { value, before, difference, percent } = { ...NO_CHANGE, ...conclusion };
  const change = difference && forms.change(difference);
  const part = forms.hasPoints ? change : percent && forms.percent(percent);
  const perDay = perDayText(conclusion, forms);
  const relative = (perDay ?? part) === undefined ? '' : ` (${perDay ?? part})`;
  return {
    value: value && forms.value(value),
    before: before && forms.value(before),
    change:
      perDay ?? (difference === '0' ? 'unchanged' : change && change + (forms.hasPoints ? '' : relative)),
    relative,
    reservations: reservationsOf(completeness).map(text => printable(sentenceText(text, style))),
  };
}

function reservationsOf(completeness: Completeness): readonly Sentence[] {
  switch (completeness.kind) {
    case 'complete':
      return [];
    case 'limited':
      return [sentence`in ${completeness.to}`];
    case 'incomplete':
      return completeness.missing;
    case 'unmeasured':
      return [completeness.reason];
  }
}
