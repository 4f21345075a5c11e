import type { Json } from '../json/index.ts';
import { printable } from '../terminal/printable.ts';
import { outcomeOf, paintOutcome } from './outcome.ts';
import type { Column, Style } from './view.ts';

/** The gap between columns, and between a name and its value. */
export const GAP = '  ';

/** The title in upper case, or else the field name unchanged, so that it can be used in a flag. */
export function titleOf(column: Column): string {
  return column.title === undefined ? printable(column.key) : printable(column.title).toUpperCase();
}

/** Good and bad outcomes in their colors, missing values dim. */
export function painted(text: string, value: Json | undefined, column: Column, style: Style): string {
  if (value === null || value === undefined) return style.paint.dim(text);
  const outcome = outcomeOf(value, column);
  return outcome === undefined ? text : paintOutcome(text, outcome, style);
}
