import { truncate } from '../../terminal/width.ts';
import { groupThousands } from '../number.ts';
import { type Panel, pointsOf, type Series } from './chart.ts';
import { figureFormat, shortChange } from './figures.ts';
import { waterfallInWords } from './waterfall.ts';

/** Series with a line of their own in a summary. */
const SERIES_MAX = 8;
const LONGEST_LABEL = 60;

type Format = (value: number) => string;

/** What a panel shows, in words: a line for each series. */
export function summaryOf(panel: Panel): string[] {
  const { title, unit, series } = panel;
  const what = unit === undefined ? title : `${title} (${unit})`;
  if (panel.shape === 'waterfall') return [`${what}: ${waterfallInWords(panel)}`];
  const format = figureFormat(series.flatMap(({ points }) => points.flatMap(point => point?.value ?? [])));
  const lines = series.slice(0, SERIES_MAX).map(one => {
    const name = one.name === undefined ? '' : `, ${one.name}`;
    return `${what}${name}: ${panel.shape === 'bars' ? barsInWords(one, panel, format) : lineInWords(one, panel, format)}`;
  });
  return panel.shape === 'sparklines' ? [] : lines;
}

/** Range, first, last, change and peak of a line. */
function lineInWords(series: Series, { positions }: Panel, format: Format): string {
  const points = pointsOf(series, positions);
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return 'no figures';
  if (points.length === 1) return alone(first.point.digits, first.label);
  let [low, high] = [first, first];
  for (const one of points) {
    if (one.point.value < low.point.value) low = one;
    if (one.point.value > high.point.value) high = one;
  }
  const [from, to] = [first.point.value, last.point.value];
  const relative = shortChange(from, to);
  const change = `${to < from ? '' : '+'}${format(to - from)}${relative === undefined ? '' : ` (${relative})`}`;
  return [
    `${format(low.point.value)} to ${format(high.point.value)}`,
    `first ${format(from)} (${short(first.label)})`,
    `last ${format(to)} (${short(last.label)})`,
    `change ${change}`,
    `peak ${format(high.point.value)} (${short(high.label)})`,
  ].join(', ');
}

function barsInWords(series: Series, { positions }: Panel, format: Format): string {
  const points = pointsOf(series, positions);
  const [first] = points;
  if (first === undefined) return 'no figures';
  if (points.length === 1) return alone(first.point.digits, first.label);
  let [low, high] = [first, first];
  for (const one of points) {
    if (one.point.value < low.point.value) low = one;
    if (one.point.value > high.point.value) high = one;
  }
  return `${points.length} bars, from ${format(low.point.value)} (${short(low.label)}) to ${format(high.point.value)} (${short(high.label)})`;
}

function alone(digits: string, label: string): string {
  return label === '' ? exact(digits) : `${exact(digits)} (${short(label)})`;
}

/** A long address would hide the figures. */
function short(label: string): string {
  return truncate(label, LONGEST_LABEL, '...');
}

function exact(digits: string): string {
  return groupThousands(digits);
}
