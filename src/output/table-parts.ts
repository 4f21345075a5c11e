import { type Json, textOf } from '../json/index.ts';
import { printable } from '../text/printable.ts';
import { compareDigits } from './number.ts';
import { headingOf, type Presentation } from './presentation/index.ts';
import type { Column, Outcome, Style } from './view.ts';

const MARKS: Readonly<Record<Outcome, string>> = { good: '✓', bad: '✗', warning: '!', skipped: '–' };
const PAINTS = { good: 'green', bad: 'red', warning: 'yellow', skipped: 'dim' } as const;

/** The gap between columns, and between a name and its value. */
export const GAP = '  ';

/** The label, or the title in upper case, or else the field name unchanged, so that it can be used in a flag. */
export function titleOf(column: Column): string {
  if (column.presentation !== undefined) return pageTitleOf(column);
  return column.title === undefined ? printable(column.key) : printable(column.title).toUpperCase();
}

/** The label, the title or the field name, for outputs other than a terminal. */
export function pageTitleOf({ key, title = key, presentation }: Column): string {
  return printable(presentation === undefined ? title : headingOf(presentation));
}

/** Good and bad outcomes and changes in their colors, missing values dim. */
export function painted(text: string, value: Json | undefined, column: Column, style: Style): string {
  if (value === null || value === undefined) return style.paint.dim(text);
  const outcome = outcomeOf(value, column) ?? outcomeOfChange(value, column.presentation);
  return outcome === undefined ? text : paintOutcome(text, outcome, style);
}

/** Whether a change is for the better, where one direction is. */
function outcomeOfChange(value: Json, presentation: Presentation | undefined): Outcome | undefined {
  if (presentation?.isChange !== true || presentation.better === undefined) return undefined;
  const direction = compareDigits(textOf(value), '0');
  if (direction === 0) return undefined;
  return direction > 0 === (presentation.better === 'more') ? 'good' : 'bad';
}

/** The outcome of a cell's value, if it has one. */
export function outcomeOf(value: Json | undefined, { kind, outcomes }: Column): Outcome | undefined {
  if (kind === 'flag' && typeof value === 'boolean') return value ? 'good' : 'bad';
  if (typeof value !== 'string' || outcomes === undefined) return undefined;
  return Object.hasOwn(outcomes, value) ? outcomes[value] : undefined;
}

/** `✓ yes`, on a terminal that shows more than ASCII; the text alone elsewhere. */
export function withMark(
  text: string,
  outcome: Outcome | undefined,
  { width, unicode }: Pick<Style, 'width' | 'unicode'>,
): string {
  const isMarked = outcome !== undefined && width !== undefined && unicode;
  return isMarked ? `${MARKS[outcome]} ${text}` : text;
}

/** The text in the color of its outcome. */
export function paintOutcome(text: string, outcome: Outcome, { paint }: Pick<Style, 'paint'>): string {
  return paint[PAINTS[outcome]](text);
}
