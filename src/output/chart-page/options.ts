import type { EChartsCoreOption } from 'echarts/core';
import { displayWidth, truncate, wrap } from '../../terminal/width.ts';
import { type Chart, chartHeading, isFigure, overAxis, type Panel, type Series } from '../chart/chart.ts';
import { figureOf } from '../chart/figures.ts';
import { captionOf } from '../chart/summary.ts';
import { shortNames } from '../short-names.ts';
import { categoryAxis, valueAxis } from './axes.ts';
import { barFigureWidth, barOptions, barsHeight, rowHeight, stepOptions } from './bar-options.ts';
import { endLabelWidth, lineOptions, rangeOptions } from './line-options.ts';
import {
  CHARACTER,
  type DocumentStyle,
  isNamed,
  isUpright,
  ON_PAPER,
  plotHeight,
  type Rows,
} from './panel-style.ts';
import { colourOf, type Theme } from './theme.ts';

// Pixels.
const FIGURE_HEIGHT = 92;
const PANEL_TITLE = 34;
const LEGEND_ROW = 24;
const PANEL_END = 46;
const SIDE = 16;
const TITLE_LINE = 26;
const NOTE_LINE = 17;
/** How much wider a long label may be than estimated. */
const FONT_SLACK = 32;
/** Of the bars that are drawn in one piece on paper, so that a sheet has room for them below a title. */
const PAPER_BARS = 640;

/** Of the outlines of bars. */
const DASHES = [3, 3];

/** Characters. */
const LEGEND_NAME_MAX = 48;

interface ChartDocument {
  readonly option: EChartsCoreOption;
  readonly height: number;
}

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
      right: SIDE + Math.max(12, isUpright(panel) ? endLabelWidth(panel, width) : barFigureWidth(panel)),
      top: plotTop,
      height,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    })),
    xAxis: plots.map(({ panel }, index) =>
      isUpright(panel) ? categoryAxis(panel, style, index) : valueAxis(panel, style, index),
    ),
    yAxis: plots.map(({ panel }, index) =>
      isUpright(panel) ? valueAxis(panel, style, index) : categoryAxis(panel, style, index),
    ),
    series: plots.flatMap(({ panel }, index) =>
      panel.series.map((_, at) => seriesOptions(panel, at, index, ids, style)),
    ),
  };
  return { option, height: bottom + (notes.length > 0 ? notes.length * NOTE_LINE + SIDE : 0) };
}

function headingOf({ title: given, subtitle, isTitled, panels }: Chart, width: number) {
  const [panel, ...others] = panels;
  const plain = panel === undefined ? '' : panel.title + overAxis(panel);
  const lacksUnit = !isTitled && others.length === 0 && panel !== undefined && given.startsWith(plain);
  const title =
    lacksUnit && panel.shape !== 'waterfall' ? chartHeading(panel) + given.slice(plain.length) : given;
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

function legendNames(names: Iterable<string>): (name: string) => string {
  return shortNames(names, LEGEND_NAME_MAX);
}

function legendRows(panel: Panel, { width, hidden }: DocumentStyle): number {
  if (!isNamed(panel)) return 0;
  const nameOf = legendNames(panel.series.map(({ name = '' }) => name));
  let [rows, used] = [1, 0];
  for (const { name = '' } of panel.series) {
    if (hidden.has(name)) continue;
    const item = displayWidth(nameOf(name)) * CHARACTER + 56;
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
  { series, shape }: Panel,
  ids: ReadonlyMap<string, string>,
  { theme, isStandalone, hidden }: DocumentStyle,
  top: number,
) {
  // The legend takes all of the look of bars but their dashes, and gives each line a marker.
  const itemStyleOf = ({ isBefore, bound }: Series) => {
    if (bound !== undefined) return { itemStyle: { opacity: 0 } };
    return shape === 'bars' && isBefore === true ? { itemStyle: { borderType: DASHES } } : {};
  };
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  const nameOf = legendNames(ids.keys());
  return {
    show: isStandalone,
    data: series
      .filter(({ name = '' }) => !hidden.has(name))
      .map(one => ({ name: ids.get(one.name ?? ''), ...itemStyleOf(one) })),
    selected: Object.fromEntries([...hidden].flatMap(name => ids.get(name) ?? []).map(id => [id, false])),
    left: SIDE,
    right: SIDE,
    top,
    itemWidth: 36,
    itemGap: 14,
    formatter: (id: string) => nameOf(names.get(id) ?? ''),
    textStyle: { color: theme.text },
  };
}

/** The bars of the period before, as dashed as its lines. */
function outline(colour: string, theme: Theme) {
  return { color: theme.background, borderColor: colour, borderWidth: 1.5, borderType: DASHES };
}

function seriesOptions(
  panel: Panel,
  at: number,
  index: number,
  ids: ReadonlyMap<string, string>,
  style: DocumentStyle,
) {
  const { name, isBefore = false, isBase = false } = panel.series[at] as Series;
  const { theme } = style;
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
  if (panel.shape === 'waterfall') return { ...shared, ...stepOptions(panel, isBase, style) };
  if (panel.shape === 'bars')
    return {
      ...shared,
      ...barOptions(panel, at, theme),
      ...(isBefore && { itemStyle: outline(colour, theme) }),
    };
  const line = lineOptions(panel, at, colour, style);
  return { ...shared, ...line, ...rangeOptions(panel, at, { index, data: line.data }, style) };
}
