import type { Panel, Series } from '../chart/chart.ts';
import { axisFor } from '../chart/figures.ts';
import { waterfallOf } from '../chart/waterfall.ts';
import { shortNames } from '../short-names.ts';
import { CHARACTER, type DocumentStyle, isUpright } from './panel-style.ts';
import type { Theme } from './theme.ts';

const LABEL_MAX = 36;
/** Labels on the value axis, and those for which a narrow one has room. */
const [STEPS, NARROW_STEPS] = [5, 2];
/** Pixels. */
const NARROW = 560;
/** Of more days, the shades of weekends would be stripes. */
const SHADED_DAYS = 100;
/** A zigzag. */
const BREAK_MARK = 'path://M0,0 L2,0 L9,4 L2,8 L9,12 L2,16 L0,16 L7,12 L0,8 L7,4 Z';
/** Steps between labels of time: days, weeks, quarters, years. */
const LABEL_STEPS = [1, 2, 3, 7, 14, 28, 91, 182, 364];
/** From so many days on, labels are on the same day of the week. */
const WHOLE_WEEKS_FROM = 14;

/** The axis of the rows or times of a panel. */
export function categoryAxis(panel: Panel, { theme, width, rows }: DocumentStyle, gridIndex: number) {
  const { positions } = panel;
  const isList = !isUpright(panel);
  const longest = Math.min(LABEL_MAX, Math.max(8, Math.floor((width * 0.4) / CHARACTER)));
  const nameOf = shortNames(
    positions.map(({ label }) => label),
    longest,
  );
  const labels = positions.map(({ label, part }) => nameOf(label) + (part === undefined ? '' : '*'));
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
  const isUneven = (step: number) => step === 3 && positions.length >= WHOLE_WEEKS_FROM;
  return LABEL_STEPS.find(step => !isUneven(step) && positions.length / step <= fitting) ?? positions.length;
}

/** The axis of its values. */
export function valueAxis(panel: Panel, style: DocumentStyle, gridIndex: number) {
  const { least, most, step, labelOf } = valueScale(panel, style);
  const { theme } = style;
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
    axisLabel: { color: theme.faint, formatter: labelOf, hideOverlap: true },
    splitLine: { lineStyle: { color: theme.line } },
  };
}

/** The ends and the steps of that axis. */
export function valueScale(panel: Panel, { width }: DocumentStyle) {
  const steps = isUpright(panel) || width >= NARROW ? STEPS : NARROW_STEPS;
  if (panel.shape !== 'waterfall')
    return axisFor(panel, valuesIn(panel.series), steps, { fromZero: panel.shape === 'bars' });
  const { least, most } = waterfallOf(panel);
  return axisFor(panel, [least, most], steps);
}

function valuesIn(series: readonly Series[]): number[] {
  return series.flatMap(({ points }) => points.flatMap(point => (point ? [point.value] : [])));
}
