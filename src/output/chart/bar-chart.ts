import { displayWidth, padEnd, padStart, truncate } from '../../terminal/width.ts';
import { printable } from '../../text/printable.ts';
import { shortNames } from '../short-names.ts';
import type { ChartStyle, Panel, Point } from './chart.ts';
import { changeText, panelFormat } from './figures.ts';
import { scaleFor } from './ticks.ts';

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const GAP = 1;
const LEAST_BAR = 4;

interface Bar {
  readonly label: string;
  readonly point: Point | undefined;
  readonly isBefore: boolean;
  readonly note: string;
}

/** A bar for each position, with the bar of an earlier period below it, lighter. The figure farthest from zero has the longest bar. */
export function barChart(panel: Panel, style: ChartStyle): string[] {
  const bars = barsOf(panel, style);
  const values = bars.flatMap(({ point }) => (point ? [point.value] : []));
  const { least, most } = exactScale(values);
  const format = panelFormat(panel, style);
  const labelWidth = Math.min(
    Math.max(...bars.map(({ label }) => displayWidth(label))),
    Math.floor(style.width * 0.4),
  );
  const figureRoom = style.width - labelWidth - 2 * GAP - LEAST_BAR;
  const figures = bars.map(({ point, note }) =>
    truncate(
      (point === undefined ? '–' : format(point.digits)) + note,
      figureRoom,
      style.unicode ? '…' : '...',
    ),
  );
  const figureWidth = Math.max(...figures.map(displayWidth));
  const room = Math.max(LEAST_BAR, style.width - labelWidth - figureWidth - 2 * GAP);
  // Negative bars get their share of the width.
  const left = least < 0 ? Math.max(1, Math.round(room / (1 + most / -least))) : 0;
  const right = room - left;
  const nameOf = shortNames(
    bars.map(({ label }) => label),
    labelWidth,
    style.unicode ? '…' : '...',
  );
  return bars.map(({ label, point, isBefore }, index) => {
    const shown = padEnd(nameOf(label), labelWidth);
    const value = point?.value ?? 0;
    const text =
      value < 0
        ? padStart(leftBar((value / least) * left, style, isBefore), left)
        : ' '.repeat(left) + rightBar(most > 0 ? (value / most) * right : 0, style, isBefore);
    const paint = isBefore ? style.paint.dim : style.paint.cyan;
    const figure = (figures[index] ?? '').replace('–', style.unicode ? '–' : '-');
    const gap = text.trim() === '' ? '' : ' '.repeat(GAP);
    return `${shown}${' '.repeat(GAP)}${paint(text)}${gap}${figure}`.trimEnd();
  });
}

function barsOf(panel: Panel, style: ChartStyle): Bar[] {
  const { positions, series } = panel;
  const now = series.find(({ isBefore }) => !isBefore);
  const before = series.find(({ isBefore }) => isBefore);
  return positions.flatMap(({ label, part }, index) => {
    const point = now?.points[index];
    const earlier = before?.points[index];
    const change = point && earlier ? changeText(panel, point, earlier, style) : undefined;
    const bar = { label: printable(label), point, isBefore: false, note: bracketed(part, change) };
    return before === undefined
      ? [bar]
      : [bar, { label: '', point: earlier, isBefore: true, note: ` before${bracketed(earlier?.part)}` }];
  });
}

function bracketed(...notes: readonly (string | undefined)[]): string {
  const present = notes.filter(note => note !== undefined);
  return present.length === 0 ? '' : ` (${present.join(', ')})`;
}

/** The scale ends at the extreme figures: the longest bar takes the full width. */
function exactScale(values: readonly number[]): { least: number; most: number } {
  const { ticks } = scaleFor(values, 1, { fromZero: true });
  let [least, most] = [0, 0];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return least === most ? { least: 0, most: ticks.at(-1) ?? 1 } : { least, most };
}

function rightBar(length: number, { unicode }: ChartStyle, isBefore: boolean): string {
  if (!unicode) return (isBefore ? '.' : '#').repeat(Math.round(length));
  if (isBefore) return '░'.repeat(Math.round(length));
  const eighths = Math.round(length * 8);
  return '█'.repeat(eighths >> 3) + (EIGHTHS[eighths & 7] ?? '');
}

function leftBar(length: number, { unicode }: ChartStyle, isBefore: boolean): string {
  const mark = unicode ? (isBefore ? '░' : '█') : isBefore ? '.' : '#';
  return mark.repeat(Math.max(1, Math.round(length)));
}
