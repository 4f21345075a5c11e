import type { Json } from '../json/index.ts';
import { printable } from '../terminal/printable.ts';
import { outcomeOf, paintOutcome } from './outcome.ts';
import type { Column, Style } from './view.ts';

/** Between columns, and between a name and its value. */
export const GAP = '  ';

/** Titles are ours and stand in capitals; a field's own name is kept as it is, to be typed into a flag. */
export function titleOf(column: Column): string {
  return column.title === undefined ? printable(column.key) : printable(column.title).toUpperCase();
}

/** Good and bad outcomes in their colors, missing values dim. */
export function painted(text: string, value: Json | undefined, column: Column, style: Style): string {
  if (value === null || value === undefined) return style.paint.dim(text);
  const outcome = outcomeOf(value, column);
  return outcome === undefined ? text : paintOutcome(text, outcome, style);
}
