/** The widest padding of cells: without a limit, one long cell would widen every row. */
export const PADDING_MAX = 200;

/** A column's widths in terminal columns: without wrapping, and the least that is readable. */
interface ColumnWidth {
  readonly natural: number;
  readonly least: number;
}

/**
 * Widths with a sum of at most `room`. The widest columns shrink first, none below its least width. Returns the natural widths if they
 * fit, and undefined if even the least ones do not.
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

/** The sum of widths. */
export function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}
