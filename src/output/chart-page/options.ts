import type { EChartsCoreOption } from 'echarts/core';
import { cut } from '../../terminal/width.ts';
import type { Chart, Panel, Series } from '../chart/chart.ts';
import { shortFigure, tickLabel } from '../chart/figures.ts';
import { scaleFor } from '../chart/ticks.ts';
import type { Theme } from './theme.ts';

// Pixels.
const PLOT_HEIGHT = 260;
const BAR_HEIGHT = 26;
const PANEL_TITLE = 34;
const LEGEND_HEIGHT = 26;
const PANEL_END = 46;
const SIDE = 16;
/** How much wider a long label may come out than is reckoned without the reader's font. */
const FONT_SLACK = 32;
const LABEL_COLUMNS = 36;
/** Marks on the axis of figures. */
const STEPS = 5;

export interface ChartDocument {
  readonly option: EChartsCoreOption;
  readonly height: number;
}

interface Place {
  readonly panel: Panel;
  readonly top: number;
  readonly plotTop: number;
  readonly height: number;
}

/** The picture in the words of the charting library, from `top` pixels down: a plot for each panel. No text of it is markup. */
export function chartDocument(picture: Chart, look: Theme, top: number): ChartDocument {
  let below = top;
  const places = picture.panels.map((panel): Place => {
    const height = panel.shape === 'bars' ? barsHeight(panel) : PLOT_HEIGHT;
    const plotTop = below + PANEL_TITLE + (isNamed(panel) ? LEGEND_HEIGHT : 0);
    const place = { panel, top: below, plotTop, height };
    below = plotTop + height + PANEL_END;
    return place;
  });
  const option: EChartsCoreOption = {
    animation: false,
    ...(look.background !== undefined && { backgroundColor: look.background }),
    textStyle: { fontFamily: 'system-ui, sans-serif', color: look.text },
    title: places.map(({ panel, top: at }) => ({
      text: chartHeading(panel),
      left: SIDE,
      padding: 0,
      top: at,
      textStyle: { fontSize: 14, color: look.text },
    })),
    legend: places.flatMap(({ panel, top: at }) =>
      isNamed(panel) ? [legendOf(panel, look, at + PANEL_TITLE - 6)] : [],
    ),
    grid: places.map(({ panel, plotTop, height }) => ({
      left: isUpright(panel) ? SIDE : SIDE + FONT_SLACK,
      right: SIDE + 56,
      top: plotTop,
      height,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    })),
    xAxis: places.map(({ panel }, index) =>
      isUpright(panel) ? categories(panel, look, index) : figures(panel, look, index),
    ),
    yAxis: places.map(({ panel }, index) =>
      isUpright(panel) ? figures(panel, look, index) : categories(panel, look, index),
    ),
    series: places.flatMap(({ panel }, index) =>
      panel.series.map((one, at) => seriesOf(one, at, panel, look, index)),
    ),
  };
  return { option, height: below };
}

export function chartHeading({ title, unit, axis }: Panel): string {
  const what = unit === undefined ? title : `${title} (${unit})`;
  return axis === '' ? what : `${what} by ${axis}`;
}

/** Bars lie, so that their labels can be read. */
function isUpright({ shape }: Panel): boolean {
  return shape !== 'bars';
}

function isNamed({ series }: Panel): boolean {
  return series.some(({ name }) => name !== undefined);
}

function barsHeight({ positions, series }: Panel): number {
  return Math.max(1, positions.length) * BAR_HEIGHT * (series.length > 1 ? 1.6 : 1) + 10;
}

function legendOf({ series }: Panel, look: Theme, top: number) {
  return {
    data: series.map(({ name }) => name ?? ''),
    type: 'scroll',
    left: SIDE,
    right: SIDE,
    top,
    textStyle: { color: look.text },
    pageTextStyle: { color: look.text },
  };
}

function categories({ positions, shape }: Panel, look: Theme, gridIndex: number) {
  return {
    gridIndex,
    type: 'category',
    data: positions.map(({ label, part }) => cut(label, LABEL_COLUMNS) + (part === undefined ? '' : '*')),
    boundaryGap: shape === 'bars',
    inverse: shape === 'bars',
    axisLine: { lineStyle: { color: look.faint } },
    axisTick: { show: shape !== 'bars' },
    axisLabel: {
      color: look.text,
      hideOverlap: true,
      ...(shape === 'bars' && { interval: 0 }),
    },
  };
}

function figures({ series, shape }: Panel, look: Theme, gridIndex: number) {
  const values = series.flatMap(({ points }) => points.flatMap(point => (point ? [point.value] : [])));
  const { least, most, step } = scaleFor(values, STEPS, { fromZero: shape === 'bars' });
  return {
    gridIndex,
    type: 'value',
    min: least,
    max: most,
    interval: step,
    axisLabel: { color: look.faint, formatter: (value: number) => tickLabel(value, step) },
    splitLine: { lineStyle: { color: look.line } },
  };
}

function seriesOf(series: Series, at: number, panel: Panel, look: Theme, index: number) {
  const { name, points, isBefore = false } = series;
  // A line and its days before share a colour.
  const pair = panel.series.some(one => one.isBefore) ? Math.floor(at / 2) : at;
  const colour = look.series[pair % look.series.length];
  const shared = {
    name: name ?? panel.title,
    emphasis: { disabled: true },
    xAxisIndex: index,
    yAxisIndex: index,
    data: points.map(point => point?.value ?? null),
    itemStyle: { color: colour, opacity: isBefore ? 0.5 : 1 },
  };
  if (panel.shape === 'bars') {
    const label = { show: true, position: 'right', color: look.text, formatter: labelOf };
    return { ...shared, type: 'bar', barMaxWidth: BAR_HEIGHT - 8, label };
  }
  const lone = points.map((point, i) => point !== undefined && !points[i - 1] && !points[i + 1]);
  return {
    ...shared,
    type: 'line',
    lineStyle: { width: 2, color: colour, type: isBefore ? 'dashed' : 'solid', opacity: isBefore ? 0.7 : 1 },
    symbol: 'circle',
    // A point without neighbours is no line: only its dot shows.
    symbolSize: (_: unknown, { dataIndex }: { dataIndex: number }) => (lone[dataIndex] ? 6 : 3),
    showAllSymbol: true,
    connectNulls: false,
  };
}

function labelOf({ value }: { readonly value?: unknown }): string {
  return typeof value === 'number' ? shortFigure(value) : '';
}
