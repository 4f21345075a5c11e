import { printable } from '../../terminal/printable.ts';
import { displayWidth } from '../../terminal/width.ts';
import type { Position } from './chart.ts';

const GAP = 3;
/** Steps between labels: days, weeks, quarters, years. */
const STEPS = [1, 2, 3, 7, 14, 28, 56, 91, 182, 364];

/** Labels below a plot, and the columns of their notches on the axis. */
export interface PlacedLabels {
  readonly line: string;
  readonly notches: ReadonlySet<number>;
}

/** As many labels as fit, in even steps from the first. The label of a partial period has a star. */
export function placedLabels(positions: readonly Position[], width: number): PlacedLabels {
  const last = positions.length - 1;
  const column = (index: number) =>
    last === 0 ? Math.floor((width - 1) / 2) : Math.round((index * (width - 1)) / last);
  const texts = positions.map(({ label, part }) => printable(label) + (part === undefined ? '' : '*'));
  for (const step of [...STEPS.filter(step => step < last), last]) {
    if (last / step > width) continue;
    const count = step === 0 ? 1 : Math.floor(last / step) + 1;
    const indexes = Array.from({ length: count }, (_, i) => i * step);
    const placed = place(indexes, shortened(indexes, texts), column, width);
    if (placed !== undefined) return placed;
  }
  return place([0], texts, column, width) ?? { line: '', notches: new Set() };
}

/** Drops the year of days in the same year as the label before. */
function shortened(indexes: readonly number[], texts: readonly string[]): string[] {
  const shown = indexes.map(index => texts[index] ?? '');
  return shown.map((text, i) => {
    const isSameYear =
      i > 0 && /^\d{4}-\d\d-\d\d/.test(text) && shown[i - 1]?.slice(0, 4) === text.slice(0, 4);
    return isSameYear ? text.slice(5) : text;
  });
}

/** Undefined where two labels would touch. */
function place(
  indexes: readonly number[],
  texts: readonly string[],
  column: (index: number) => number,
  width: number,
): PlacedLabels | undefined {
  let line = '';
  const notches = new Set<number>();
  for (const [i, text] of texts.entries()) {
    const at = column(indexes[i] ?? 0);
    const length = displayWidth(text);
    const start = Math.max(0, Math.min(at - Math.floor(length / 2), width - length));
    const used = displayWidth(line);
    if (i > 0 && start < used + GAP) return undefined;
    line += ' '.repeat(start - used) + text;
    notches.add(at);
  }
  return displayWidth(line) > width ? undefined : { line, notches };
}
