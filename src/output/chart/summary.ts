import { truncate } from '../../terminal/width.ts';
import { conclusionText } from '../conclusion.ts';
import { compareDigits, digitsFormat, groupThousands } from '../number.ts';
import { type Panel, pointsOf, type Series } from './chart.ts';
import { waterfallInWords } from './waterfall.ts';

/** Series with a line of their own in a summary. */
const SERIES_MAX = 8;
const LONGEST_LABEL = 60;

/** What a panel shows, in words: what the figure proves, and a line for each series. */
export function summaryOf(panel: Panel): string[] {
  const { title, unit, series, conclusion } = panel;
  const what = unit === undefined ? title : `${title} (${unit})`;
  if (panel.shape === 'waterfall') return [`${what}: ${waterfallInWords(panel)}`];
  const stated = conclusion === undefined ? [] : [conclusionText(conclusion)];
  if (panel.shape === 'sparklines') return stated;
  const lines = series.slice(0, SERIES_MAX).map(one => {
    const name = one.name === undefined ? '' : `, ${one.name}`;
    return `${what}${name}: ${seriesInWords(one, panel)}`;
  });
  return [...stated, ...lines];
}

/** Total and extremes of a line, extremes of bars. The first and the last point prove nothing about a period. */
function seriesInWords(series: Series, { positions, shape, conclusion }: Panel): string {
  const points = pointsOf(series, positions);
  const [first] = points;
  if (first === undefined) return 'no figures';
  if (points.length === 1) return alone(first.point.digits, first.label);
  const format = digitsFormat(points.map(({ point }) => point.digits));
  let [low, high] = [first, first];
  for (const one of points) {
    if (compareDigits(one.point.digits, low.point.digits) < 0) low = one;
    if (compareDigits(one.point.digits, high.point.digits) > 0) high = one;
  }
  const at = ({ point, label }: typeof first) => `${format(point.digits)} (${short(label)})`;
  const count = shape === 'bars' ? `${points.length} bars, ` : totalInWords(series, conclusion !== undefined);
  if (compareDigits(low.point.digits, high.point.digits) === 0)
    return `${count}all ${format(low.point.digits)}`;
  return `${count}lowest ${at(low)}, highest ${at(high)}`;
}

/** The total of a line, unless that of its figure is stated; one with gaps says how many points it has. */
function totalInWords({ total, points }: Series, isStated: boolean): string {
  if (total === undefined || isStated) return '';
  const count = points.filter(point => point !== undefined).length;
  const some = count < points.length ? ` in ${count} of ${points.length} points` : '';
  return `total ${digitsFormat([total])(total)}${some}, `;
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
