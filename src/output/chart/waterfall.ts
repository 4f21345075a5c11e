import { displayWidth, padEnd, padStart, wrap } from '../../terminal/width.ts';
import { printable } from '../../text/printable.ts';
import { compareDigits } from '../number.ts';
import { changeOf, type FigureStyle, figuresFormat } from '../presentation/index.ts';
import { shortNames } from '../short-names.ts';
import { type ChartStyle, inBrackets, LONGEST_LABEL, type Panel, type Point } from './chart.ts';
import { panelFormat } from './figures.ts';

/** One bar of a waterfall, from one level to the next. */
export interface Step {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly point: Point;
  /** The first and the last bar, which begin at the end of the axis. */
  readonly isTotal: boolean;
  /** Whether it is of several values together. */
  readonly isGroup: boolean;
}

interface Waterfall {
  readonly steps: readonly Step[];
  /** The ends of the axis: it begins near the levels where the steps could not be seen from zero. */
  readonly least: number;
  readonly most: number;
}

/** Steps that take less than this share of an axis from zero need one of their own. */
const LEAST_SPAN = 0.3;
const MARGIN = 0.25;

export function waterfallOf({ positions, series }: Panel): Waterfall {
  const base = series.find(({ isBase }) => isBase);
  const bars = series.find(({ isBase }) => !isBase);
  const last = positions.length - 1;
  const steps = positions.flatMap(({ label, isGroup = false }, at): Step[] => {
    const point = bars?.points[at];
    const from = base?.points[at]?.value ?? 0;
    return point === undefined
      ? []
      : [{ label, from, to: from + point.value, point, isTotal: at === 0 || at === last, isGroup }];
  });
  const levels = steps.flatMap(({ from, to, isTotal }) => (isTotal ? [to] : [from, to]));
  let [low, high] = [levels[0] ?? 0, levels[0] ?? 0];
  for (const level of levels) [low, high] = [Math.min(low, level), Math.max(high, level)];
  const isNarrow = low > 0 && high - low < LEAST_SPAN * high;
  const least = isNarrow ? Math.max(0, low - MARGIN * (high - low || high)) : Math.min(0, low);
  const most = Math.max(high, least + Number.MIN_VALUE, low === high && high === 0 ? 1 : high);
  return { steps, least, most };
}

const GAP = 1;
const LEAST_BAR = 10;

/** A bar for each step, with its figure before it: a step is signed, a total is not. Bars that are cut have a mark, which the last line explains. */
export function waterfallChart(panel: Panel, style: ChartStyle): string[] {
  const { steps, least, most } = waterfallOf(panel);
  const figures = steps.map(stepFormat(panel, style));
  const figureWidth = Math.max(...figures.map(displayWidth));
  const labels = steps.map(({ label }) => printable(label));
  const labelRoom = Math.max(
    6,
    Math.min(Math.floor(style.width * 0.4), style.width - figureWidth - LEAST_BAR - 2 * GAP),
  );
  const labelWidth = Math.min(Math.max(...labels.map(displayWidth)), labelRoom);
  const room = Math.max(LEAST_BAR, style.width - labelWidth - figureWidth - 2 * GAP);
  const columnOf = (level: number) => Math.round(((level - least) / (most - least)) * room);
  const [up, down, total, cut] = (style.unicode ? ['▓', '░', '█', '≈'] : ['+', '-', '#', '~']) as [
    string,
    string,
    string,
    string,
  ];
  const isCut = least > 0;
  const nameOf = shortNames(labels, labelWidth, style.unicode ? '…' : '...');
  const lines = steps.map(({ from, to, isTotal, point }, at) => {
    const [a, b] = [columnOf(isTotal ? least : from), columnOf(to)];
    const [start, end] = [Math.min(a, b), Math.max(a, b)];
    const isUp = point.value >= 0;
    const mark = isTotal ? total : isUp ? up : down;
    const paint = isTotal ? style.paint.cyan : isUp ? style.paint.green : style.paint.red;
    const length = Math.max(point.value === 0 ? 0 : 1, end - start);
    const bar = isTotal && isCut ? cut + total.repeat(Math.max(1, length - 1)) : mark.repeat(length);
    const label = padEnd(nameOf(labels[at] ?? ''), labelWidth);
    const place = ' '.repeat(Math.min(start, room - 1));
    return `${label} ${padStart(figures[at] ?? '', figureWidth)} ${place}${paint(bar)}`.trimEnd();
  });
  if (!isCut) return lines;
  const start = panelFormat(panel, style)(String(Number(least.toPrecision(4))));
  return [...lines, ...wrap(`${cut}: the bar is cut, because the axis starts at ${start}`, style.width)];
}

/** Formats the figures of the steps, those of changes with their sign. */
export function stepFormat(panel: Panel, style: FigureStyle = {}): (step: Step) => string {
  const format = panelFormat(panel, style);
  const { figure, locale } = panel;
  const digits = waterfallOf(panel).steps.map(({ point }) => point.digits);
  const change = figuresFormat(changeOf({ figure, isChange: false }), digits, { locale, ...style });
  return ({ point, isTotal }) => (isTotal ? format(point.digits) : change(point.digits));
}

/** The totals and the largest step, in words. */
export function waterfallInWords(panel: Panel): string {
  const { steps } = waterfallOf(panel);
  const format = stepFormat(panel);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return 'no figures';
  // Several values together are no step.
  const inner = steps.slice(1, -1).filter(({ isGroup }) => !isGroup);
  const sizeOf = ({ point }: Step) => point.digits.replace(/^-/, '');
  const largest = inner.reduce<Step | undefined>(
    (most, step) => (most === undefined || compareDigits(sizeOf(step), sizeOf(most)) > 0 ? step : most),
    undefined,
  );
  const nameOf = shortNames(
    steps.map(({ label }) => label),
    LONGEST_LABEL,
    '...',
  );
  const by =
    largest === undefined ? '' : `, largest step ${format(largest)} ${inBrackets(nameOf(largest.label))}`;
  return `${format(first)} ${first.label}, ${format(last)} ${last.label}${by}`;
}
