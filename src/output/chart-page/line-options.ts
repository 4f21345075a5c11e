import { displayWidth } from '../../terminal/width.ts';
import type { Panel, Series } from '../chart/chart.ts';
import { shortNames } from '../short-names.ts';
import { valueScale } from './axes.ts';
import { CHARACTER, type DocumentStyle, isNamed, isUpright, plotHeight } from './panel-style.ts';
import { BOUND_STYLES, colourIndex, LINE_STYLES } from './theme.ts';

// Pixels.
/** Narrower charts have no names at the ends of lines. */
const END_LABELS_FROM = 560;
const END_LABEL_HEIGHT = 15;
const PARTIAL_MARKER = 8;

const MARKERS_A_LINE = 8;

/** Characters. */
const END_LABEL_MAX = 24;

/** The line of a series in its colour, with its name at its end. */
export function lineOptions(panel: Panel, at: number, colour: string, style: DocumentStyle) {
  const { name, points, isBefore = false } = panel.series[at] as Series;
  const { theme, width } = style;
  const { symbol, dash } = LINE_STYLES[colourIndex(panel, at) % LINE_STYLES.length] ?? { symbol: 'circle' };
  const sizeOf = markerSize(panel, at);
  const last = endLabelWidth(panel, width) === 0 ? -1 : points.findLastIndex(point => point !== undefined);
  const endLabel = {
    show: true,
    position: 'right',
    offset: [0, endLabelShift(panel, at, style)],
    color: colour,
    formatter: () => endNames(panel)(name ?? ''),
  };
  // The figure of a partial period is not final: its marker is hollow.
  const hollow = {
    symbol: 'circle',
    symbolSize: PARTIAL_MARKER,
    itemStyle: { color: theme.background, borderColor: colour, borderWidth: 2 },
  };
  const isPartial = (i: number) => (isBefore ? points : panel.positions)[i]?.part !== undefined;
  return {
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

/** What the line of an end of a range has instead: it is thin and without markers, the upper one with the shade down to the lower one. */
export function rangeOptions(
  panel: Panel,
  at: number,
  { index, data }: { readonly index: number; readonly data: ReturnType<typeof lineOptions>['data'] },
  { theme, hidden }: DocumentStyle,
) {
  const bound = panel.series[at]?.bound;
  if (bound === undefined) return {};
  const lineStyle = { width: 1.25, color: theme.faint, type: BOUND_STYLES[bound].dash };
  // A line without a symbol has no name at its end.
  const line = { lineStyle, symbolSize: 0 };
  const lower = panel.series.find(one => one.bound === 'lowest');
  if (lower === undefined || hidden.has(lower.name ?? '')) return line;
  const stacked = { ...line, stack: `range ${index}`, stackStrategy: 'all' };
  if (bound === 'lowest') return stacked;
  return {
    ...stacked,
    areaStyle: { color: theme.faint, opacity: 0.16 },
    data: data.map((one, i) => one && { ...one, value: one.value - (lower.points[i]?.value ?? 0) }),
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

function endNames({ series }: Panel): (name: string) => string {
  return shortNames(
    series.map(({ name = '' }) => name),
    END_LABEL_MAX,
  );
}

/** Pixels by which a line's name is moved down, so that names do not overlap. */
function endLabelShift(panel: Panel, at: number, style: DocumentStyle): number {
  const height = plotHeight(style);
  const { series } = panel;
  const { least, most } = valueScale(panel, style);
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
export function endLabelWidth(panel: Panel, width: number): number {
  if (width < END_LABELS_FROM || !isUpright(panel) || !isNamed(panel)) return 0;
  const nameOf = endNames(panel);
  return Math.max(...panel.series.map(({ name = '' }) => displayWidth(nameOf(name)) * CHARACTER)) + 12;
}
