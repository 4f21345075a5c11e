import { displayWidth, padStart, wrap } from '../../terminal/width.ts';
import { printable } from '../../text/printable.ts';
import { BrailleCanvas } from './braille.ts';
import { type Canvas, MarkCanvas } from './canvas.ts';
import type { ChartStyle, Panel, Position } from './chart.ts';
import { axisFor } from './figures.ts';
import { MARKS } from './marks.ts';
import type { Scale } from './ticks.ts';

const GAP = 3;

/** Steps between labels: days, weeks, quarters, years. */
const STEPS = [1, 2, 3, 7, 14, 28, 56, 91, 182, 364];

/** Rows between two labels of the value axis. */
const ROWS_A_STEP = 3;

/** Marks on each of several lines. */
const MARKS_A_LINE = 6;

/** A plot of lines over positions, about `wanted` rows high, with axes and a legend. */
export function lineChart(panel: Panel, style: ChartStyle, wanted: number): string[] {
  const { series, positions } = panel;
  const values = series.flatMap(({ points }) => points.flatMap(point => (point ? [point.value] : [])));
  const scale = axisFor(panel, values, Math.floor(wanted / ROWS_A_STEP), style);
  const steps = scale.ticks.length - 1;
  // The same number of rows for each step.
  const height = steps * Math.max(1, Math.round((wanted - 1) / steps)) + 1;
  const labels = labelsByRow(scale, height);
  const gutter = Math.max(...[...labels.values()].map(displayWidth));
  const plotWidth = style.width - gutter - 1;
  const canvas = canvasFor(panel, style, plotWidth, height);
  series.forEach((one, index) => {
    drawLine(
      canvas,
      index,
      one.points.map(point => point?.value),
      scale,
    );
  });

  const colours = painters(panel, style);
  const marks = style.unicode ? ['│', '┤', '└', '─', '┴', '≈'] : ['|', '+', '+', '-', '+', '~'];
  const [axis = '', tick, corner, floor = '', notch = '', axisBreak] = marks;
  const rows = Array.from({ length: height }, (_, row) => {
    const label = labels.get(row);
    const line = row === 0 && scale.most < 0 ? axisBreak : label === undefined ? axis : tick;
    return `${padStart(label ?? '', gutter)}${line}${canvas.line(row, colours)}`.trimEnd();
  });
  const places = placedLabels(positions, plotWidth);
  const ruler = Array.from({ length: plotWidth }, (_, at) => (places.notches.has(at) ? notch : floor)).join(
    '',
  );
  return [
    ...legend(panel, style, canvas),
    ...rows,
    `${' '.repeat(gutter)}${scale.least > 0 ? axisBreak : corner}${ruler}`,
    `${' '.repeat(gutter + 1)}${places.line}`.trimEnd(),
  ];
}

function drawLine(
  canvas: Canvas,
  series: number,
  values: readonly (number | undefined)[],
  scale: Scale,
): void {
  const span = scale.most - scale.least;
  const x = (index: number) =>
    values.length === 1 ? (canvas.width - 1) / 2 : (index * (canvas.width - 1)) / (values.length - 1);
  const y = (value: number) => ((scale.most - value) / span) * (canvas.height - 1);
  const every = Math.ceil(values.length / MARKS_A_LINE);
  // Lines that meet are not marked at the same place.
  const offset = (series * 2) % every;
  let before: { x: number; y: number } | undefined;
  values.forEach((value, index) => {
    if (value === undefined) {
      before = undefined;
      return;
    }
    const here = { x: Math.round(x(index)), y: Math.round(y(value)) };
    if (before !== undefined) canvas.connect(series, before, here);
    const isLone = values[index - 1] === undefined && values[index + 1] === undefined;
    canvas.mark(series, here, isLone || (index + offset) % every === 0);
    before = here;
  });
}

/** Braille dots draw eight times finer. A single line, and a line with its earlier period, need no marks. */
function canvasFor({ series }: Panel, { unicode }: ChartStyle, columns: number, rows: number): Canvas {
  const marks = unicode ? MARKS.unicode : MARKS.ascii;
  const markOf = (index: number) => marks[index % marks.length] ?? '*';
  if (!unicode)
    return new MarkCanvas(
      columns,
      rows,
      series.map((_, index) => markOf(index)),
      '.',
    );
  const isPair = series.length === 2 && series.some(({ isBefore }) => isBefore);
  const isMarked = series.length > 1 && !isPair;
  return new BrailleCanvas(
    columns,
    rows,
    series.map(({ isBefore = false }, index) => ({
      isLight: isBefore,
      mark: isMarked ? markOf(index) : undefined,
    })),
  );
}

/** A series and its earlier period share a colour. */
function painters({ series }: Panel, { paint }: ChartStyle): ((text: string) => string)[] {
  const colours = [paint.cyan, paint.yellow, paint.green, paint.red];
  const isPaired = series.some(({ isBefore }) => isBefore);
  return series.map(({ isBefore }, index) => {
    const colour = colours[(isPaired ? index >> 1 : index) % colours.length] ?? paint.cyan;
    return isBefore ? text => paint.dim(colour(text)) : colour;
  });
}

function legend(panel: Panel, style: ChartStyle, canvas: Canvas): string[] {
  const { series } = panel;
  if (series.length === 1 && series[0]?.name === undefined) return [];
  const colours = painters(panel, style);
  const words = series.map(({ name }, index) => `${canvas.sample(index)} ${printable(name ?? '')}`);
  const lines = wrap(words.map(word => word.replaceAll(' ', '\u00a0')).join('  '), style.width);
  // Painted last, since wrapping counts plain characters alone.
  return lines.map(line =>
    words
      .reduce((painted, word, index) => {
        const sample = word.slice(0, word.indexOf(' '));
        const bare = word.replaceAll(' ', '\u00a0');
        const colour = colours[index % colours.length] ?? (text => text);
        return painted.replace(bare, () => colour(sample) + bare.slice(sample.length));
      }, line)
      .replaceAll('\u00a0', ' '),
  );
}

/** The label of each tick, by the row nearest to it. */
function labelsByRow(
  { ticks, least, most, labelOf }: ReturnType<typeof axisFor>,
  height: number,
): Map<number, string> {
  return new Map(
    ticks.map(tick => [Math.round(((most - tick) / (most - least)) * (height - 1)), labelOf(tick)]),
  );
}

/** Labels below a plot, and the columns of their notches on the axis. */
interface PlacedLabels {
  readonly line: string;
  readonly notches: ReadonlySet<number>;
}

/** As many labels as fit, in even steps from the first. The label of a partial period has a star. */
function placedLabels(positions: readonly Position[], width: number): PlacedLabels {
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
