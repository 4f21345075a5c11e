import { conclusionText, presentationOfMetric } from '../conclusion.ts';
import { compareDigits } from '../number.ts';
import { type FigureStyle, figuresFormat, headingOf } from '../presentation/index.ts';
import { shortNames } from '../short-names.ts';
import { inBrackets, isFigure, LONGEST_LABEL, type Panel, pointsOf, type Series } from './chart.ts';
import { figureOf, panelFormat } from './figures.ts';
import { waterfallInWords, waterfallOf } from './waterfall.ts';

/** Series with a line of their own in a summary. */
const SERIES_MAX = 8;

/** What a panel shows, in words: what the figure proves, and a line for each series. */
export function summaryOf(panel: Panel): string[] {
  return styledSummary(panel, {});
}

/** The same, with figures of a style. */
export function styledSummary(panel: Panel, style: FigureStyle): string[] {
  if (panel.shape === 'waterfall') return [`${figureName(panel)}: ${waterfallInWords(panel)}`];
  const stated = statedOf(panel, style);
  if (panel.shape === 'sparklines') return stated;
  if (!isFigure(panel)) return [...stated, ...seriesLines(panel, panel.series, style)];
  return stated.length > 0 && isTotalRow(panel) ? stated : [...stated, figureLine(panel, style)];
}

/** Whether the only row is the total that is stated: it has no dimension, or the only day that the total is of. */
function isTotalRow({ positions: [position], series, time, conclusion }: Panel): boolean {
  if (position === undefined || position.label === '') return true;
  const now = series.find(({ isBefore = false }) => !isBefore)?.points[0];
  const isSame =
    now !== undefined && conclusion?.value !== undefined && compareDigits(now.digits, conclusion.value) === 0;
  return time !== undefined && position.part === undefined && isSame;
}

/** What is said below the picture of a waterfall whose axis does not start at zero. */
export function cutBarsOf(panel: Panel): string[] {
  const isCut = panel.shape === 'waterfall' && waterfallOf(panel).least > 0;
  return isCut ? ['The bars of the totals are cut: the axis does not start at 0.'] : [];
}

/** The words below a picture: what the figure proves, the extremes of its only line or bars, and that bars are cut. */
export function captionOf(panel: Panel): string[] {
  if (panel.shape === 'sparklines') return [];
  if (panel.shape === 'waterfall') return cutBarsOf(panel);
  const current = panel.series.filter(({ isBefore }) => !isBefore);
  const isAlone = current.length === 1 && !isFigure(panel);
  return [...statedOf(panel, {}), ...(isAlone ? seriesLines(panel, current, {}) : [])];
}

function statedOf({ conclusion, locale, figure }: Panel, style: FigureStyle): string[] {
  if (conclusion === undefined) return [];
  const presentation = { ...presentationOfMetric(conclusion), figure };
  return [conclusionText(conclusion, { locale, ...style }, presentation)];
}

function seriesLines(panel: Panel, series: readonly Series[], style: FigureStyle): string[] {
  return series.slice(0, SERIES_MAX).map(one => {
    const name = one.name === undefined ? '' : `, ${one.name}`;
    const scope = panel.limitedTo === undefined ? '' : `${name && ','} in ${panel.limitedTo}`;
    return `${figureName(panel)}${name}${scope}: ${seriesInWords(one, panel, style)}`;
  });
}

function figureLine(panel: Panel, style: FigureStyle): string {
  const { figure, note } = figureOf(panel, style);
  return `${figureName(panel)}: ${figure}${note === '' ? '' : ` ${inBrackets(shortNames([], LONGEST_LABEL, '...')(note))}`}`;
}

function figureName({ title, unit }: Panel): string {
  return headingOf({ label: title, unit });
}

/** Total and extremes of a line, extremes of bars. The first and the last point prove nothing about a period. */
function seriesInWords(series: Series, panel: Panel, style: FigureStyle): string {
  const { positions, time } = panel;
  const points = pointsOf(series, positions);
  const [first] = points;
  if (first === undefined) return 'no figures';
  const format = panelFormat(panel, style);
  const nameOf = shortNames(
    points.map(({ label }) => label),
    LONGEST_LABEL,
    '...',
  );
  const at = ({ point, label }: typeof first) =>
    label === '' ? format(point.digits) : `${format(point.digits)} ${inBrackets(nameOf(label))}`;
  // A part of a period is lower for no other reason.
  const partOf = ({ point, index }: typeof first) => (series.isBefore ? point.part : positions[index]?.part);
  const complete = points.filter(one => partOf(one) === undefined);
  const whole = complete.length > 0 ? complete : points;
  const scope = whole.length < points.length ? `of complete ${time ?? 'period'}s ` : '';
  const sum = totalInWords(series, panel, style);
  // One point has neither a lowest nor a highest.
  if (whole.length < 2) {
    const only = `${scope === '' ? '' : `${scope}only `}${at(whole[0] ?? first)}`;
    return points.length > 1 && sum !== undefined ? `${sum}, ${only}` : only;
  }
  let [low, high] = [whole[0] ?? first, whole[0] ?? first];
  for (const one of whole) {
    if (compareDigits(one.point.digits, low.point.digits) < 0) low = one;
    if (compareDigits(one.point.digits, high.point.digits) > 0) high = one;
  }
  const isFlat = compareDigits(low.point.digits, high.point.digits) === 0;
  const extremes = isFlat ? `all ${format(low.point.digits)}` : `lowest ${at(low)}, highest ${at(high)}`;
  return [...(sum === undefined ? [] : [sum]), scope + extremes].join(', ');
}

/** The total of a line with the number of its points if it has gaps; undefined if the total of its figure is stated. */
function totalInWords(
  { total, points }: Series,
  { figure, conclusion, locale }: Panel,
  style: FigureStyle,
): string | undefined {
  if (total === undefined || conclusion !== undefined) return undefined;
  const count = points.filter(point => point !== undefined).length;
  const some = count < points.length ? ` in ${count} of ${points.length} points` : '';
  return `total ${figuresFormat({ figure, isChange: false }, [total], { locale, ...style })(total)}${some}`;
}
