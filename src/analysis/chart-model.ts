import type { DayRange } from '../apis/bda/days.ts';
import { fieldOf, type JsonRecord, textOf } from '../json/index.ts';
import {
  type Chart,
  overAxis,
  type Panel,
  type Point,
  type Position,
  type Series,
} from '../output/chart/chart.ts';
import { type Conclusion, figuresOf, withSomeRows } from '../output/conclusion.ts';
import {
  datesFormat,
  dateText,
  inOneUnit,
  type Locale,
  labelInSentence,
  presentationOf,
} from '../output/presentation/index.ts';
import { noRows, someRows } from '../output/row-scope.ts';
import { sentenceText } from '../output/sentence.ts';
import { shortNames } from '../output/short-names.ts';
import { valueName } from '../output/value-name.ts';
import { groupDigits, pluralize } from '../terminal/numbers.ts';
import { truncate } from '../terminal/width.ts';
import { type Roles, rowNumber } from './column-roles.ts';
import { unlikeChange } from './comparison.ts';
import { EXACT_ZERO, exactFigure } from './exact-change.ts';
import { isMean } from './metric-kinds.ts';
import { totalOfPoints } from './period-totals.ts';
import { grainOfName, type OpenDays } from './periods.ts';
import { type TimeAxis, timeAxisOf } from './time-axis.ts';

/** A shorter prefix is not removed. */
const LEAST_SHARED = 12;

const LONGEST_LINE_NAME = 100;
const DOTS = '...';

/** How much one panel shows at most. */
export interface ChartLimits {
  /** Figures, a panel each. */
  readonly panels: number;
  /** Lines over time; more become sparklines. */
  readonly lines: number;
  readonly sparklines: number;
  readonly bars: number;
}

export interface ChartOptions {
  readonly roles: Roles;
  /** Units by column, where they are known. */
  readonly units: ReadonlyMap<string, string>;
  /** What columns are called, by name, instead of their usual labels. */
  readonly labels?: ReadonlyMap<string, string> | undefined;
  /** The requested days, as far as there is data; a period beyond them is partial. */
  readonly days: DayRange | undefined;
  readonly open: OpenDays;
  readonly limits: ChartLimits;
  /** Whether the request sets an order. */
  readonly isSorted: boolean;
  /** How many rows match, as far as it is known, and the place of the first of these. */
  readonly matching?: { readonly total: number | undefined; readonly start: number } | undefined;
  /** In compared rows: the column of the days before for a figure or a time dimension. */
  readonly beforeOf?: ((column: string) => string) | undefined;
  /** In compared rows: what the period of a label in such a column lacks of its days; undefined where none lacks any. */
  readonly partOf?: ((column: string, label: string) => string | undefined) | undefined;
  /** The totals of the figures, to state with them. */
  readonly conclusions?: readonly Conclusion[] | undefined;
  /** How numbers and dates are written; the default is English. */
  readonly locale?: Locale | undefined;
}

/** The reason why there is no chart. */
export interface NotChartable {
  readonly nothing: string;
}

/** Of a value that can't be drawn. */
const LONGEST_VALUE = 40;

/** A chart of rows: lines over the first time dimension, bars over any other dimension. */
export function chartModel(rows: readonly JsonRecord[], options: ChartOptions): Chart | NotChartable {
  const { roles, limits } = options;
  if (rows.length === 0) {
    const reason = sentenceText(noRows(options.matching ?? { start: 0, total: undefined }), options);
    return { nothing: `${reason}, so there is nothing to draw` };
  }
  if (roles.figures.length === 0) return { nothing: 'cannot draw a chart: the rows have no numeric columns' };
  const shown = roles.figures.slice(0, limits.panels);
  const layout = layoutOf(rows, shown, options);
  const panels = shown.map(figure => panelOf(figure, layout, options));
  const isEmpty = panels.every(({ series }) => series.every(({ points }) => points.every(point => !point)));
  if (isEmpty)
    return { nothing: `${wordsOf(shown, options)}: no row has a figure, so there is nothing to draw` };
  const notes = [
    ...layout.notes,
    ...panels.slice(0, 1).flatMap(partialNotes),
    ...shown.flatMap(figure => omittedNotes(figure, layout, options)),
  ];
  if (shown.length < roles.figures.length)
    notes.push(`not drawn: ${wordsOf(roles.figures.slice(limits.panels), options)}`);
  const names = panels.map(({ title }, at) => (at === 0 ? title : labelInSentence(title)));
  const figures = [names.slice(0, -1).join(', '), ...names.slice(-1)]
    .filter(text => text !== '')
    .join(' and ');
  const axis = panels.slice(0, 1).map(panel => overAxis({ ...panel, isMean: panels.some(isMeanPanel) }));
  return { title: figures + axis.join(''), panels, notes };
}

function isMeanPanel({ isMean = false }: Panel): boolean {
  return isMean;
}

/** The positions of the rows. */
interface Layout {
  readonly shape: Panel['shape'];
  /** The column of times. */
  readonly timeColumn?: string;
  readonly axis: Pick<Panel, 'time' | 'axis'>;
  readonly positions: readonly Position[];
  readonly groups: readonly Group[];
  readonly notes: readonly string[];
  /** The rows of bars, where these are not all. */
  readonly limitedTo?: string | undefined;
  /** Whether the axis is time, and has each row once. */
  readonly isSummable: boolean;
}

interface Group {
  readonly name: string | undefined;
  /** For each position its row. */
  readonly rows: readonly (JsonRecord | undefined)[];
}

function layoutOf(rows: readonly JsonRecord[], figures: readonly string[], options: ChartOptions): Layout {
  const time = timeAxisOf(rows, { ...options, dimensions: options.roles.dimensions });
  if (time === undefined || time.positions.length === 1) return bars(rows, options, time);
  return overTime(rows, figures, time, options);
}

function overTime(
  rows: readonly JsonRecord[],
  figures: readonly string[],
  time: TimeAxis,
  options: ChartOptions,
): Layout {
  const { roles, limits, beforeOf } = options;
  const others = roles.dimensions.filter(column => column !== time.column);
  let timeless = 0;
  // In a list, not by place: many groups of a few rows each would be long and empty.
  const groups = new Map<string, JsonRecord[]>();
  for (const row of rows) {
    if (placeOf(row, time) === undefined) timeless += 1;
    const name = nameOf(row, others);
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(row);
  }
  const linesEach = beforeOf === undefined ? 1 : 2;
  const isLine = groups.size * linesEach <= limits.lines;
  const kept = isLine ? [...groups] : largestOf(groups, figures[0] ?? '', limits.sparklines);
  const lines = kept.map(([name, group]) => ({
    name: others.length === 0 ? undefined : name,
    ...inPlace(group, time),
  }));
  const doubles = lines.reduce((count, line) => count + line.doubles, 0);
  const notes: string[] = [];
  const remainder = countOf(rows.length, rows, options);
  if (remainder !== undefined) notes.push(remainder);
  if (kept.length < groups.size)
    notes.push(
      `the ${kept.length} largest of ${groupDigits(groups.size)} by ${wordsOf(figures.slice(0, 1), options)}`,
    );
  if (!isLine && beforeOf !== undefined) notes.push('the earlier period is not drawn: too many lines');
  if (timeless > 0) notes.push(`${rowsOf(timeless)} not drawn: no ${wordsOf([time.column], options)}`);
  if (doubles > 0) notes.push(`${rowsOf(doubles)} not drawn: duplicate position`);
  const names = lines.flatMap(({ name }) => name ?? []);
  const prefix = sharedPath(names);
  const shortName = shortNames(
    names.map(name => name.slice(prefix.length)),
    LONGEST_LINE_NAME,
    DOTS,
  );
  if (prefix !== '') notes.push(`each ${wordsOf(others, options)} starts with ${prefix}`);
  return {
    shape: isLine ? 'line' : 'sparklines',
    timeColumn: time.column,
    axis: axisOf(time.column, others, options),
    positions: time.positions,
    groups: lines.map(line => ({ ...line, name: line.name && shortName(line.name.slice(prefix.length)) })),
    notes,
    isSummable: grainOfName(time.column) !== undefined && doubles === 0 && timeless === 0,
  };
}

/** The groups with the most of a figure, by all of its digits. */
function largestOf(
  groups: ReadonlyMap<string, readonly JsonRecord[]>,
  figure: string,
  count: number,
): [string, readonly JsonRecord[]][] {
  const amountIn = (row: JsonRecord) => exactFigure(pointIn(row, figure)?.digits ?? '0')?.abs() ?? EXACT_ZERO;
  const sized = [...groups].map(([name, rows]) => ({
    name,
    rows,
    size: rows.reduce((sum, row) => sum.plus(amountIn(row)), EXACT_ZERO),
  }));
  return sized
    .sort((a, b) => b.size.comparedTo(a.size))
    .slice(0, count)
    .map(({ name, rows }) => [name, rows]);
}

function placeOf(row: JsonRecord, time: TimeAxis): number | undefined {
  return time.indexOf(textOf(fieldOf(row, time.column)));
}

/** For each position its row, and how many rows found theirs taken. */
function inPlace(
  group: readonly JsonRecord[],
  time: TimeAxis,
): { readonly rows: readonly (JsonRecord | undefined)[]; readonly doubles: number } {
  const rows: (JsonRecord | undefined)[] = time.positions.map(() => undefined);
  let doubles = 0;
  for (const row of group) {
    const place = placeOf(row, time);
    if (place === undefined) continue;
    if (rows[place] !== undefined) doubles += 1;
    rows[place] = row;
  }
  return { rows, doubles };
}

/** In the order of the rows, which is the requested one. */
function bars(rows: readonly JsonRecord[], options: ChartOptions, time: TimeAxis | undefined): Layout {
  const { roles, limits, isSorted } = options;
  // A time that is equal in all rows does not distinguish them.
  const several = roles.dimensions.filter(column => column !== time?.column);
  const dimensions = several.length > 0 ? several : roles.dimensions;
  const shown = rows.slice(0, limits.bars);
  const prefix = sharedPath(shown.map(row => nameOf(row, dimensions)));
  const notes =
    time !== undefined && several.length > 0
      ? [`${labelOf(time.column, options)}: ${dateText(time.positions[0]?.label ?? '', options)}`]
      : [];
  const limitedTo = countOf(shown.length, rows, options);
  if (limitedTo !== undefined && !isSorted) notes.push('the rows are in the order in which they came');
  if (prefix !== '') notes.push(`each ${wordsOf(dimensions, options)} starts with ${prefix}`);
  return {
    shape: 'bars',
    ...(several.length === 0 && time && { timeColumn: time.column }),
    axis: axisOf(several.length === 0 ? time?.column : undefined, several, options),
    positions: shown.map(row => ({
      label: nameOf(row, dimensions).slice(prefix.length),
      part: several.length === 0 ? time?.positions[0]?.part : undefined,
    })),
    groups: [{ name: undefined, rows: shown }],
    notes,
    limitedTo,
    isSummable: false,
  };
}

/** The rows that are drawn; undefined for all that match. */
function countOf(
  shown: number,
  { length }: readonly JsonRecord[],
  { matching = { total: undefined, start: 0 }, locale }: ChartOptions,
): string | undefined {
  const { start } = matching;
  const total = start === 0 ? Math.max(matching.total ?? 0, length) : matching.total;
  if (start === 0 && shown === total) return undefined;
  return sentenceText(someRows({ start, count: shown, total }), { locale });
}

/** What the columns of an axis are called. */
function axisOf(
  timeColumn: string | undefined,
  dimensions: readonly string[],
  options: ChartOptions,
): Layout['axis'] {
  const time = timeColumn === undefined ? undefined : presentationOf(timeColumn).time;
  const named = timeColumn === undefined || time !== undefined ? dimensions : [timeColumn, ...dimensions];
  return { ...(time && { time }), axis: wordsOf(named, options) };
}

/** Columns within a sentence. */
function wordsOf(columns: readonly string[], { labels }: ChartOptions): string {
  return columns
    .map(column => labels?.get(column) ?? labelInSentence(presentationOf(column).label))
    .join(', ');
}

function labelOf(column: string, { labels }: ChartOptions): string {
  return labels?.get(column) ?? presentationOf(column).label;
}

function panelOf(figure: string, layout: Layout, options: ChartOptions): Panel {
  const { shape, timeColumn, axis, positions, groups, limitedTo } = layout;
  const { units, beforeOf, locale } = options;
  const unit = units.get(figure);
  const shown = presentationOf(figure, name =>
    name === figure && unit !== undefined ? { unit } : undefined,
  );
  const conclusion = options.conclusions?.find(({ metric }) => metric === figure);
  const series = groups.flatMap(({ name, rows }): Series[] => {
    const points = rows.map(row => pointIn(row, figure));
    const totalOf = (of: readonly (Point | undefined)[]) => {
      const total = layout.isSummable ? totalOfPoints(figure, of) : undefined;
      return total !== undefined && { total };
    };
    const now = { name, points, ...totalOf(points) };
    if (beforeOf === undefined || shape === 'sparklines') return [now];
    const timeBefore = timeColumn && beforeOf(timeColumn);
    const before = rows.map(row => {
      const point = pointIn(row, beforeOf(figure), timeBefore);
      const part = timeBefore && point?.label && options.partOf?.(timeBefore, point.label);
      return point && { ...point, ...(part && { part }), ...(row && unlikeChange(row, figure)) };
    });
    const suffix = (word: string) => (name === undefined ? word : `${name} ${word}`);
    return [
      { ...now, name: suffix('now') },
      { name: suffix('before'), points: before, ...totalOf(before), isBefore: true },
    ];
  });
  const figures = [
    ...series.flatMap(({ points }) => points.flatMap(point => point?.digits ?? [])),
    ...(conclusion === undefined ? [] : figuresOf(conclusion)),
  ];
  return withDates({
    title: labelOf(figure, options),
    unit: shown.unit,
    figure: inOneUnit(shown, figures).figure,
    ...(isMean(figure, shown) && { isMean: true }),
    ...(locale && { locale }),
    shape,
    ...axis,
    positions,
    limitedTo,
    series,
    ...(conclusion && { conclusion: limitedTo === undefined ? conclusion : withSomeRows(conclusion) }),
  });
}

/** Days and months as people read them. */
function withDates(panel: Panel): Panel {
  if (panel.time === undefined) return panel;
  const labels = [
    ...panel.positions,
    ...panel.series.flatMap(({ points }) => points.flatMap(point => point ?? [])),
  ];
  const format = datesFormat(
    labels.flatMap(({ label }) => label ?? []),
    panel,
  );
  const shown = <Labelled extends { readonly label?: string | undefined }>(one: Labelled): Labelled =>
    one.label === undefined ? one : { ...one, label: format(one.label) };
  return {
    ...panel,
    positions: panel.positions.map(shown),
    series: panel.series.map(one => ({ ...one, points: one.points.map(point => point && shown(point)) })),
  };
}

/** Notes values that a chart cannot show. */
function omittedNotes(figure: string, { groups }: Layout, options: ChartOptions): string[] {
  const values = groups.flatMap(({ rows }) =>
    rows.flatMap(row => (row === undefined || pointIn(row, figure) ? [] : [textOf(fieldOf(row, figure))])),
  );
  const present = values.filter(value => value !== '');
  if (present.length === 0) return [];
  const which = `${truncate(present[0] ?? '', LONGEST_VALUE)}${present.length === 1 ? '' : ' and others'}`;
  return [`${labelOf(figure, options)}: ${pluralize(present.length, 'value')} cannot be drawn: ${which}`];
}

function pointIn(row: JsonRecord | undefined, column: string, labelColumn?: string): Point | undefined {
  if (row === undefined) return undefined;
  const digits = rowNumber(fieldOf(row, column));
  const value = Number(digits ?? Number.NaN);
  if (digits === undefined || !Number.isFinite(value)) return undefined;
  const label = labelColumn === undefined ? '' : textOf(fieldOf(row, labelColumn));
  return { value, digits, ...(label !== '' && { label }) };
}

/** `1 row is`, `5 rows are`. */
function rowsOf(count: number): string {
  return count === 1 ? '1 row is' : `${groupDigits(count)} rows are`;
}

function partialNotes({ positions, shape, series }: Panel): string[] {
  if (shape === 'bars') return [];
  const before = series.flatMap(({ points }) => points.flatMap(point => (point?.part ? [point] : [])));
  const earlier = new Map(before.map(({ label, part }) => [label, part]));
  return [
    ...positions
      .filter(({ part }) => part !== undefined)
      .slice(0, 2)
      .map(({ label, part }) => `* ${label} is partial (${part})`),
    ...[...earlier].slice(0, 2).map(([label, part]) => `${label}, before, is partial (${part})`),
  ];
}

/** A common prefix of several URLs, which is omitted from labels: `https://www.`, or a long one up to a slash. */
function sharedPath(names: readonly string[]): string {
  const [first = '', ...others] = names;
  if (others.length === 0) return '';
  let end = first.length;
  for (const name of others) while (!name.startsWith(first.slice(0, end))) end -= 1;
  const shared = first.slice(0, end);
  const path = first.slice(0, Math.max(0, first.lastIndexOf('/', end - 1)));
  if (path.length >= LEAST_SHARED && !/^https?:\/$/.test(path)) return path;
  return /^https?:\/\/(?:www\.)?/.exec(shared)?.[0] ?? '';
}

/** The dimensions of a row as a label. */
function nameOf(row: JsonRecord, columns: readonly string[]): string {
  return columns.map(column => valueName(fieldOf(row, column) ?? null)).join(', ');
}
