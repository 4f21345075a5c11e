/** Cells are padded to at most this width where nothing limits it: one long cell would widen every row. */
export const PADDING_MAX = 200;

/** A column's widths in terminal columns: all that it holds, and the least at which it still says something. */
export interface ColumnWidth {
  readonly natural: number;
  readonly least: number;
}

/**
 * Widths that add up to at most `room`: the widest columns give first, none below its least. The natural ones where
 * they fit; undefined where even the least do not.
 */
export function fitWidths(columns: readonly ColumnWidth[], room: number): number[] | undefined {
  const capped = (cap: number): number[] =>
    columns.map(({ natural, least }) => Math.max(Math.min(least, natural), Math.min(natural, cap)));
  if (sum(capped(0)) > room) return undefined;

  let low = 0;
  let high = Math.max(0, ...columns.map(column => column.natural));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(capped(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const widths = capped(low);
  let spare = room - sum(widths);
  return widths.map((width, i) => {
    const grows = spare > 0 && width === low && width < (columns[i]?.natural ?? 0);
    if (grows) spare--;
    return grows ? width + 1 : width;
  });
}

/** Of widths. */
export function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}
