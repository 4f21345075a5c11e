import { cut } from '../../terminal/width.ts';
import { groupThousands } from '../number.ts';
import { type Panel, pointsOf, type Series } from './chart.ts';
import { shortChange, shortFigure } from './figures.ts';

/** How many series a summary tells one by one. */
const MAX_TOLD = 8;
const LONGEST_LABEL = 60;

/** What a panel shows, in words: a line for each series, for those who don't see it. */
export function summaryOf(panel: Panel): string[] {
  const { title, unit, series } = panel;
  const what = unit === undefined ? title : `${title} (${unit})`;
  const told = series.slice(0, MAX_TOLD).map(one => {
    const name = one.name === undefined ? '' : `, ${one.name}`;
    return `${what}${name}: ${panel.shape === 'bars' ? barsInWords(one, panel) : lineInWords(one, panel)}`;
  });
  return panel.shape === 'sparklines' ? [] : told;
}

/** Range, first, last, change and peak of a line. */
function lineInWords(series: Series, { positions }: Panel): string {
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
  const change = `${to < from ? '' : '+'}${shortFigure(to - from)}${relative === undefined ? '' : ` (${relative})`}`;
  return [
    `${shortFigure(low.point.value)} to ${shortFigure(high.point.value)}`,
    `first ${shortFigure(from)} (${short(first.label)})`,
    `last ${shortFigure(to)} (${short(last.label)})`,
    `change ${change}`,
    `peak ${shortFigure(high.point.value)} (${short(high.label)})`,
  ].join(', ');
}

function barsInWords(series: Series, { positions }: Panel): string {
  const points = pointsOf(series, positions);
  const [first] = points;
  if (first === undefined) return 'no figures';
  if (points.length === 1) return alone(first.point.digits, first.label);
  let [low, high] = [first, first];
  for (const one of points) {
    if (one.point.value < low.point.value) low = one;
    if (one.point.value > high.point.value) high = one;
  }
  return `${points.length} bars, from ${shortFigure(low.point.value)} (${short(low.label)}) to ${shortFigure(high.point.value)} (${short(high.label)})`;
}

/** A figure without a dimension stands for itself. */
function alone(digits: string, label: string): string {
  return label === '' ? exact(digits) : `${exact(digits)} (${short(label)})`;
}

/** A long address would drown the figures. */
function short(label: string): string {
  return cut(label, LONGEST_LABEL, '...');
}

function exact(digits: string): string {
  return groupThousands(digits);
}
