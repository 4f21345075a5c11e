import type { EChartsCoreOption } from 'echarts/core';
import { displayWidth, shortenedMiddle, truncate, wrap } from '../../terminal/width.ts';
import { type Chart, chartHeading, isFigure, type Panel, type Series } from '../chart/chart.ts';
import { axisFor, figureOf, panelFormat } from '../chart/figures.ts';
import { captionOf } from '../chart/summary.ts';
import { type Step, stepFormat, waterfallOf } from '../chart/waterfall.ts';
import { LINE_STYLES, type Theme } from './theme.ts';

// Pixels.
const PLOT_HEIGHT = 260;
const FIGURE_HEIGHT = 92;
const BAR_HEIGHT = 26;
const PANEL_TITLE = 34;
const LEGEND_ROW = 24;
const PANEL_END = 46;
/** Paper is narrower than a page on a screen, and has no more sheets than it takes. */
const ON_PAPER = { plotHeight: 160, panelEnd: 30 };
const SIDE = 16;
const TITLE_LINE = 26;
const NOTE_LINE = 17;
/** Average width of a character at the font size of labels. The reader's font is not known. */
const CHARACTER = 7;
/** How much wider a long label may be than estimated. */
const FONT_SLACK = 32;
/** Narrower charts have no names at the ends of lines. */
const END_LABELS_FROM = 560;
/** Labels on the value axis. */
const STEPS = 5;
const MARKERS_A_LINE = 8;
const END_LABEL_HEIGHT = 15;
/** Of the bars that are drawn in one piece on paper, so that a sheet has room for them below a title. */
const PAPER_BARS = 640;
const PARTIAL_MARKER = 8;
/** Of more days, the shades of weekends would be stripes. */
const SHADED_DAYS = 100;
/** A zigzag. */
const BREAK_MARK = 'path://M0,0 L2,0 L9,4 L2,8 L9,12 L2,16 L0,16 L7,12 L0,8 L7,4 Z';
/** Steps between labels of time: days, weeks, quarters, years. */
const LABEL_STEPS = [1, 2, 7, 14, 28, 91, 182, 364];

// In characters.
const LABEL_MAX = 36;
const END_LABEL_MAX = 24;
const LEGEND_NAME_MAX = 48;

interface ChartDocument {
  readonly option: EChartsCoreOption;
  readonly height: number;
}

interface DocumentStyle {
  readonly theme: Theme;
  /** Pixels. */
  readonly width: number;
  /** A standalone file has title, legend and notes in the drawing; a page has them in its markup. */
  readonly isStandalone: boolean;
  /** Names of series that are not drawn. */
  readonly hidden: ReadonlySet<string>;
  readonly fontFamily?: string;
  readonly isPaper?: boolean;
  /** The first and the last row of bars to draw; the default is all. */
  readonly rows?: Rows | undefined;
}

type Rows = readonly [first: number, last: number];

interface PlacedPanel {
  readonly panel: Panel;
  readonly top: number;
  readonly plotTop: number;
  readonly height: number;
}

/** A part of a chart that no page break may cut. */
interface Piece {
  readonly panel: Panel;
  /** Its rows of bars; undefined for all. */
  readonly rows: Rows | undefined;
}

/** A piece for each panel; on paper, many bars are several pieces, of equally many rows and on the same scale. */
export function piecesOf({ panels }: Chart, isPaper: boolean): Piece[] {
  return panels.flatMap(panel => {
    const all = panel.positions.length;
    const most = Math.floor(PAPER_BARS / rowHeight(panel));
    if (!isPaper || isUpright(panel) || all <= most) return [{ panel, rows: undefined }];
    const size = Math.ceil(all / Math.ceil(all / most));
    return Array.from({ length: Math.ceil(all / size) }, (_, at): Piece => {
      const first = at * size;
      return { panel, rows: [first, Math.min(all, first + size) - 1] };
    });
  });
}

/** The chart as options of the charting library: a plot for each panel, one below the other. None of its text is markup. */
export function chartDocument(chart: Chart, style: DocumentStyle): ChartDocument {
  const { theme, width, isStandalone } = style;
  const heading = isStandalone ? headingOf(chart, width) : [];
  // The title of a single panel is its heading.
  const hasHeadings = !isStandalone || chart.isTitled === true || chart.panels.length > 1;
  let bottom = isStandalone ? SIDE + heading.length * TITLE_LINE + 10 : 8;
  const panels = chart.panels.map((panel): PlacedPanel => {
    const height = isFigure(panel)
      ? FIGURE_HEIGHT
      : isUpright(panel)
        ? plotHeight(style)
        : barsHeight(panel, style);
    const legendHeight = isStandalone && !isFigure(panel) ? legendRows(panel, style) * LEGEND_ROW : 0;
    const placed = {
      panel,
      top: bottom,
      plotTop: bottom + (hasHeadings ? PANEL_TITLE : 10) + legendHeight,
      height,
    };
    bottom = placed.plotTop + height + (isFigure(panel) ? 0 : style.isPaper ? ON_PAPER.panelEnd : PANEL_END);
    return placed;
  });
  const texts = [...chart.panels.flatMap(captionOf), ...chart.notes];
  const notes = isStandalone ? texts.flatMap(text => wrap(text, columnsIn(width, 6.2))) : [];
  // The panels of a chart have the same rows.
  const plots = panels.filter(({ panel }) => !isFigure(panel));
  const ids = seriesIds(chart);
  const option: EChartsCoreOption = {
    animation: false,
    // A page has its own.
    ...(isStandalone && { backgroundColor: theme.background }),
    textStyle: { fontFamily: style.fontFamily ?? 'system-ui, sans-serif', color: theme.text },
    title: [
      ...heading.map((line, i) =>
        textLine(line.text, SIDE + i * TITLE_LINE, line.size, line.isFaint ? theme.faint : theme.text),
      ),
      ...panels.flatMap(({ panel, top }) =>
        hasHeadings ? [textLine(chartHeading(panel), top, 14, theme.text)] : [],
      ),
      ...panels.flatMap(({ panel, plotTop }) => (isFigure(panel) ? figureLines(panel, plotTop, theme) : [])),
      ...notes.map((note, i) => textLine(note, bottom + i * NOTE_LINE, 12, theme.faint)),
    ],
    legend: plots.flatMap(({ panel, top }) =>
      isNamed(panel) ? [legendOf(panel, ids, style, hasHeadings ? top + PANEL_TITLE - 10 : top)] : [],
    ),
    grid: plots.map(({ panel, plotTop, height }) => ({
      left: isUpright(panel) ? SIDE : SIDE + FONT_SLACK,
      right: SIDE + Math.max(isUpright(panel) ? 12 : 56, endLabelWidth(panel, width)),
      top: plotTop,
      height,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    })),
    xAxis: plots.map(({ panel }, index) =>
      isUpright(panel) ? categoryAxis(panel, style, index) : valueAxis(panel, theme, index),
    ),
    yAxis: plots.map(({ panel }, index) =>
      isUpright(panel) ? valueAxis(panel, theme, index) : categoryAxis(panel, style, index),
    ),
    series: plots.flatMap(({ panel }, index) =>
      panel.series.map((_, at) => seriesOptions(panel, at, index, ids, style)),
    ),
  };
  return { option, height: bottom + (notes.length > 0 ? notes.length * NOTE_LINE + SIDE : 0) };
}

function headingOf({ title: given, subtitle, isTitled, panels }: Chart, width: number) {
  const [panel, ...others] = panels;
  const hasUnit = !isTitled && others.length === 0 && panel !== undefined && given.startsWith(panel.title);
  const title = hasUnit && panel.shape !== 'waterfall' ? chartHeading(panel) : given;
  const lines = wrap(title, columnsIn(width, 10.5)).map(text => ({ text, size: 20, isFaint: false }));
  return subtitle === undefined
    ? lines
    : [...lines, { text: truncate(subtitle, columnsIn(width, CHARACTER)), size: 14, isFaint: true }];
}

/** The only row of a panel. */
function figureLines(panel: Panel, top: number, theme: Theme) {
  const { figure, note } = figureOf(panel);
  return [textLine(figure, top, 36, theme.text), textLine(note, top + 48, 14, theme.faint)];
}

/** How many characters of an average width fit side by side. */
function columnsIn(width: number, character: number): number {
  return Math.max(20, Math.floor((width - 2 * SIDE) / character));
}

function textLine(text: string, top: number, fontSize: number, color: string) {
  return { text, left: SIDE, top, padding: 0, textStyle: { fontSize, fontWeight: 'normal', color } };
}

function plotHeight({ isPaper = false }: DocumentStyle): number {
  return isPaper ? ON_PAPER.plotHeight : PLOT_HEIGHT;
}

/** Bars are horizontal, so that their labels can be read. */
function isUpright({ shape }: Panel): boolean {
  return shape !== 'bars' && shape !== 'waterfall';
}

function isNamed({ series }: Panel): boolean {
  return series.some(({ name }) => name !== undefined);
}

function barsHeight(panel: Panel, { rows = [0, panel.positions.length - 1] }: DocumentStyle): number {
  const [first, last] = rows;
  return Math.max(1, last - first + 1) * rowHeight(panel) + 10;
}

function rowHeight({ series }: Panel): number {
  return BAR_HEIGHT * (series.filter(({ isBase }) => !isBase).length > 1 ? 1.6 : 1);
}

function legendRows(panel: Panel, { width, hidden }: DocumentStyle): number {
  if (!isNamed(panel)) return 0;
  let [rows, used] = [1, 0];
  for (const { name = '' } of panel.series) {
    if (hidden.has(name)) continue;
    const item = displayWidth(truncate(name, LEGEND_NAME_MAX)) * CHARACTER + 56;
    if (used > 0 && used + item > width - 2 * SIDE) [rows, used] = [rows + 1, 0];
    used += item;
  }
  return rows;
}

/**
 * What the library calls the series of a name. Series and positions are named by numbers, because the library has their names as keys
 * of plain objects, where a name such as __proto__ changes the objects of the whole process.
 */
function seriesIds({ panels }: Chart): ReadonlyMap<string, string> {
  const names = new Set(panels.flatMap(({ series }) => series.map(({ name = '' }) => name)));
  return new Map([...names].map((name, index) => [name, `series ${index}`]));
}

function legendOf(
  { series }: Panel,
  ids: ReadonlyMap<string, string>,
  { theme, isStandalone, hidden }: DocumentStyle,
  top: number,
) {
  const idsOf = (names: Iterable<string>) => [...names].flatMap(name => ids.get(name) ?? []);
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  return {
    show: isStandalone,
    data: idsOf(series.map(({ name = '' }) => name).filter(name => !hidden.has(name))),
    selected: Object.fromEntries(idsOf(hidden).map(id => [id, false])),
    left: SIDE,
    right: SIDE,
    top,
    itemWidth: 36,
    itemGap: 14,
    formatter: (id: string) => truncate(names.get(id) ?? '', LEGEND_NAME_MAX),
    textStyle: { color: theme.text },
  };
}

function categoryAxis(panel: Panel, { theme, width, rows }: DocumentStyle, gridIndex: number) {
  const { positions } = panel;
  const isList = !isUpright(panel);
  const longest = Math.min(LABEL_MAX, Math.max(8, Math.floor((width * 0.4) / CHARACTER)));
  const labels = positions.map(
    ({ label, part }) => shortenedMiddle(label, longest) + (part === undefined ? '' : '*'),
  );
  return {
    gridIndex,
    type: 'category',
    data: [...labels.keys()].map(String),
    ...(rows && { min: rows[0], max: rows[1] }),
    boundaryGap: isList,
    inverse: isList,
    axisLine: { lineStyle: { color: theme.faint } },
    axisTick: { show: !isList },
    ...(!isList && positions.length <= SHADED_DAYS && { splitArea: weekends(positions, theme) }),
    axisLabel: {
      color: theme.text,
      formatter: (position: string) => labels[Number(position)] ?? '',
      hideOverlap: true,
      interval: isList ? 0 : (index: number) => index % labelStep(positions, width) === 0,
    },
  };
}

/** A shade from each day of a weekend to the next. */
function weekends(positions: Panel['positions'], theme: Theme) {
  const color = positions.map(({ isWeekend }, at) =>
    isWeekend && positions[at + 1]?.isWeekend ? theme.shade : 'transparent',
  );
  return { show: color.includes(theme.shade), interval: 0, areaStyle: { color } };
}

function labelStep(positions: Panel['positions'], width: number): number {
  const longest = positions.reduce((most, { label }) => Math.max(most, label.length), 0);
  const fitting = width / ((longest + 3) * CHARACTER);
  return LABEL_STEPS.find(step => positions.length / step <= fitting) ?? positions.length;
}

function valueAxis(panel: Panel, theme: Theme, gridIndex: number) {
  const { least, most, step, labelOf } = valueScale(panel);
  return {
    gridIndex,
    type: 'value',
    min: least,
    max: most,
    interval: step,
    // An axis that does not begin at zero has a break mark at its foot.
    axisLine: {
      show: least > 0,
      lineStyle: { color: theme.faint },
      symbol: [BREAK_MARK, 'none'],
      symbolSize: [9, 16],
    },
    axisLabel: { color: theme.faint, formatter: labelOf },
    splitLine: { lineStyle: { color: theme.line } },
  };
}

function valueScale(panel: Panel) {
  if (panel.shape !== 'waterfall')
    return axisFor(panel, valuesIn(panel.series), STEPS, { fromZero: panel.shape === 'bars' });
  const { least, most } = waterfallOf(panel);
  return axisFor(panel, [least, most], STEPS);
}

function valuesIn(series: readonly Series[]): number[] {
  return series.flatMap(({ points }) => points.flatMap(point => (point ? [point.value] : [])));
}

/** The colour of a series. What the only series is compared with is grey; of several, each earlier period has the colour of its own. */
export function colourOf(panel: Panel, at: number, theme: Theme): string {
  const { series } = panel;
  const isOnly = series.filter(({ isBefore }) => !isBefore).length === 1 && series[at]?.isBefore === true;
  return isOnly ? theme.faint : (theme.series[colourIndex(panel, at) % theme.series.length] ?? theme.text);
}

/** The index in the theme's colours: a series and its earlier period share one. */
export function colourIndex({ series }: Panel, at: number): number {
  return series.some(({ isBefore }) => isBefore) ? Math.floor(at / 2) : at;
}

function seriesOptions(
  panel: Panel,
  at: number,
  index: number,
  ids: ReadonlyMap<string, string>,
  style: DocumentStyle,
) {
  const { name, points, isBefore = false, isBase = false } = panel.series[at] as Series;
  const { theme, width } = style;
  const colour = colourOf(panel, at, theme);
  const shared = {
    name: ids.get(name ?? ''),
    emphasis: { disabled: true },
    xAxisIndex: index,
    yAxisIndex: index,
    // A hollow marker would be hidden by one of the earlier period.
    z: isBefore ? 2 : 3,
    itemStyle: { color: colour, opacity: isBefore && colour !== theme.faint ? 0.5 : 1 },
  };
  if (panel.shape === 'waterfall') return { ...shared, ...stepOptions(panel, isBase, theme) };
  if (panel.shape === 'bars') {
    const format = panelFormat(panel);
    const formatter = ({ dataIndex }: { readonly dataIndex: number }) => {
      const digits = points[dataIndex]?.digits;
      return digits === undefined ? '' : format(digits);
    };
    const label = { show: true, position: 'right', color: theme.text, formatter };
    const data = points.map(point => point?.value ?? null);
    return { ...shared, data, type: 'bar', barMaxWidth: BAR_HEIGHT - 8, label };
  }
  const { symbol, dash } = LINE_STYLES[colourIndex(panel, at) % LINE_STYLES.length] ?? { symbol: 'circle' };
  const sizeOf = markerSize(panel, at);
  const last = endLabelWidth(panel, width) === 0 ? -1 : points.findLastIndex(point => point !== undefined);
  const endLabel = {
    show: true,
    position: 'right',
    offset: [0, endLabelShift(panel, at, plotHeight(style))],
    color: colour,
    formatter: () => endName(name),
  };
  // The figure of a partial period is not final: its marker is hollow.
  const hollow = {
    symbol: 'circle',
    symbolSize: PARTIAL_MARKER,
    itemStyle: { color: theme.background, borderColor: colour, borderWidth: 2 },
  };
  const isPartial = (i: number) => !isBefore && panel.positions[i]?.part !== undefined;
  return {
    ...shared,
    type: 'line',
    data: points.map((point, i) =>
      point === undefined
        ? null
        : {
            value: point.value,
            // A marker without a size would be drawn nevertheless.
            ...(i !== last && sizeOf(i) === 0 && { symbol: 'none' }),
            ...(i === last && { label: endLabel }),
            ...(isPartial(i) && hollow),
          },
    ),
    lineStyle: { width: 2, color: colour, type: isBefore ? [3, 4] : dash },
    symbol,
    symbolSize: (_: unknown, { dataIndex }: { readonly dataIndex: number }) => sizeOf(dataIndex),
    showAllSymbol: true,
    connectNulls: false,
  };
}

/** The bars of a waterfall stand on bars that are not drawn; a step down is drawn from its lower end. */
function stepOptions(panel: Panel, isBase: boolean, theme: Theme) {
  const { steps } = waterfallOf(panel);
  const { least } = valueScale(panel);
  const stacked = { type: 'bar', stack: 'steps', stackStrategy: 'all', barMaxWidth: BAR_HEIGHT - 8 };
  const bottom = ({ from, to, isTotal }: Step) => (isTotal ? least : Math.min(from, to));
  if (isBase)
    return {
      ...stacked,
      data: steps.map(bottom),
      itemStyle: { color: 'transparent' },
      silent: true,
      tooltip: { show: false },
    };
  const format = stepFormat(panel);
  const [total, down, up] = theme.series;
  return {
    ...stacked,
    data: steps.map(step => ({
      value: Math.max(step.from, step.to) - bottom(step),
      itemStyle: { color: step.isTotal ? total : step.point.value < 0 ? down : up },
    })),
    label: {
      show: true,
      position: 'right',
      color: theme.text,
      formatter: ({ dataIndex }: { readonly dataIndex: number }) => {
        const step = steps[dataIndex];
        return step === undefined ? '' : format(step);
      },
    },
  };
}

/**
 * A line alone has a marker at its last point, and one of several at some of its points; an isolated point would be invisible without
 * one.
 */
function markerSize({ series }: Panel, at: number): (dataIndex: number) => number {
  const { points } = series[at] as Series;
  const every = Math.ceil(points.length / MARKERS_A_LINE);
  const offset = Math.floor((at * every) / series.length);
  const last = points.findLastIndex(point => point !== undefined);
  return dataIndex => {
    const isLone = points[dataIndex - 1] === undefined && points[dataIndex + 1] === undefined;
    if (series.length === 1) return isLone || dataIndex === last ? 6 : 0;
    return isLone || (dataIndex + offset) % every === 0 ? 8 : 0;
  };
}

function endName(name = ''): string {
  return shortenedMiddle(name, END_LABEL_MAX);
}

/** Pixels by which a line's name is moved down, so that names do not overlap. */
function endLabelShift(panel: Panel, at: number, height: number): number {
  const { series } = panel;
  const { least, most } = valueScale(panel);
  const ends = series.map(({ points }, index) => {
    const { value = least } = points.findLast(point => point !== undefined) ?? {};
    return { index, top: ((most - value) / (most - least)) * height };
  });
  ends.sort((one, other) => one.top - other.top);
  const places = spreadLabels(
    ends.map(({ top }) => top),
    height,
  );
  const found = ends.findIndex(({ index }) => index === at);
  return (places[found] ?? 0) - (ends[found]?.top ?? 0);
}

/** Places from the top for labels at least their height apart: as near to theirs as possible, and none below the plot. */
function spreadLabels(tops: readonly number[], height: number): number[] {
  let free = Number.NEGATIVE_INFINITY;
  const places = tops.map(top => {
    const place = Math.max(top, free);
    free = place + END_LABEL_HEIGHT;
    return place;
  });
  let limit = height;
  for (let index = places.length - 1; index >= 0; index -= 1) {
    places[index] = Math.min(places[index] ?? 0, limit);
    limit = (places[index] ?? 0) - END_LABEL_HEIGHT;
  }
  return places;
}

/** Pixels to the right of a plot for the names of its lines; 0 without lines. */
function endLabelWidth(panel: Panel, width: number): number {
  if (width < END_LABELS_FROM || !isUpright(panel) || !isNamed(panel)) return 0;
  return Math.max(...panel.series.map(({ name }) => displayWidth(endName(name)) * CHARACTER)) + 12;
}
