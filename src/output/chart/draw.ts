import { wrap } from '../../terminal/width.ts';
import { printable } from '../../text/printable.ts';
import type { Style } from '../view.ts';
import { barChart } from './bar-chart.ts';
import { type Chart, type ChartStyle, chartHeading, isFigure, type Panel } from './chart.ts';
import { lineChart } from './line-chart.ts';
import { sparkTable } from './spark-table.ts';
import { styledSummary } from './summary.ts';
import { waterfallChart } from './waterfall.ts';

const WIDTH_WITHOUT_TERMINAL = 80;
/** A narrower chart could not be read. */
const LEAST_WIDTH = 30;
/** Rows of a single plot, and of each of several. */
const TALL = 12;
const SHORT = 8;

/**
 * Draws a chart with characters, with a text summary below each panel. Its width is that of the style (80 columns without a
 * terminal, at least 30); it distinguishes lines without colour, and uses ASCII only if the style has no Unicode.
 */
export function drawChart(chart: Chart, style: Style): string {
  const width = Math.max(LEAST_WIDTH, style.width ?? WIDTH_WITHOUT_TERMINAL);
  const fitted = { ...style, width };
  const height = chart.panels.length > 1 ? SHORT : TALL;
  const lines = (text: string) => wrap(printable(text), width);
  const heading = [
    ...(chart.isTitled ? lines(chart.title).map(style.paint.bold) : []),
    ...(chart.subtitle === undefined ? [] : lines(chart.subtitle)),
  ];
  const parts = chart.panels.map(panel => [
    ...lines(chartHeading(panel)).map(style.paint.bold),
    ...drawPanel(panel, fitted, height),
    ...styledSummary(panel, style).flatMap(lines),
  ]);
  const all = [heading, ...parts, chart.notes.flatMap(lines)].filter(part => part.length > 0);
  return all.map(part => part.map(line => `${line}\n`).join('')).join('\n');
}

/** A figure has no plot: the summary states it. */
function drawPanel(panel: Panel, style: ChartStyle, height: number): string[] {
  const points = panel.series.reduce((count, { points }) => count + points.filter(Boolean).length, 0);
  if (points < 2 || isFigure(panel)) return [];
  switch (panel.shape) {
    case 'line':
      return lineChart(panel, style, height);
    case 'bars':
      return barChart(panel, style);
    case 'sparklines':
      return sparkTable(panel, style);
    case 'waterfall':
      return waterfallChart(panel, style);
  }
}
