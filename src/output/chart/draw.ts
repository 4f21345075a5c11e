import { printable } from '../../terminal/printable.ts';
import { wrap } from '../../terminal/width.ts';
import type { Style } from '../view.ts';
import { barChart } from './bar-chart.ts';
import type { Chart, Panel } from './chart.ts';
import type { ChartStyle } from './chart-style.ts';
import { lineChart } from './line-chart.ts';
import { sparkTable } from './spark-table.ts';
import { summaryOf } from './summary.ts';

const WIDTH_WITHOUT_TERMINAL = 80;
/** Narrower than this there is nothing to see. */
const LEAST_WIDTH = 30;
/** Rows of a plot: of one alone, and of each where there are several. */
const TALL = 12;
const SHORT = 8;

/**
 * A picture in the characters of a terminal, in words below each panel too. It is as wide as the style says (80 columns where
 * there is no terminal) and never wider, tells its lines apart without colour, and is plain ASCII where the style has no Unicode.
 */
export function drawChart(picture: Chart, style: Style): string {
  const width = Math.max(LEAST_WIDTH, style.width ?? WIDTH_WITHOUT_TERMINAL);
  const fitted = { ...style, width };
  const height = picture.panels.length > 1 ? SHORT : TALL;
  const parts = picture.panels.map(panel => [
    ...wrap(printable(headingOf(panel)), width).map(style.paint.bold),
    ...drawPanel(panel, fitted, height),
    ...summaryOf(panel).flatMap(line => wrap(printable(line), width)),
  ]);
  const remarks = picture.remarks.flatMap(remark => wrap(printable(remark), width));
  const all = remarks.length > 0 ? [...parts, remarks] : parts;
  return `${all.map(lines => lines.map(line => `${line}\n`).join('')).join('\n')}`;
}

function headingOf({ title, unit, axis }: Panel): string {
  const what = unit === undefined ? title : `${title} (${unit})`;
  return axis === '' ? what : `${what} by ${axis}`;
}

/** A single figure needs no plot: the words below say it. */
function drawPanel(panel: Panel, style: ChartStyle, height: number): string[] {
  const points = panel.series.reduce((count, { points }) => count + points.filter(Boolean).length, 0);
  if (points < 2) return [];
  switch (panel.shape) {
    case 'line':
      return lineChart(panel, style, height);
    case 'bars':
      return barChart(panel, style);
    case 'sparklines':
      return sparkTable(panel, style);
  }
}
