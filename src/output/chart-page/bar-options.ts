import { displayWidth } from '../../terminal/width.ts';
import type { Panel, Series } from '../chart/chart.ts';
import { panelFormat } from '../chart/figures.ts';
import { type Step, stepFormat, waterfallOf } from '../chart/waterfall.ts';
import { valueScale } from './axes.ts';
import { CHARACTER, type DocumentStyle } from './panel-style.ts';
import type { Theme } from './theme.ts';

const BAR_HEIGHT = 26;

/** The height of a plot of bars, in pixels. */
export function barsHeight(panel: Panel, { rows = [0, panel.positions.length - 1] }: DocumentStyle): number {
  const [first, last] = rows;
  return Math.max(1, last - first + 1) * rowHeight(panel) + 10;
}

/** Of a row of bars. */
export function rowHeight({ series }: Panel): number {
  return BAR_HEIGHT * (series.filter(({ isBase }) => !isBase).length > 1 ? 1.6 : 1);
}

/** The room that the longest figure at the end of a bar takes, in pixels. */
export function barFigureWidth(panel: Panel): number {
  const format = panelFormat(panel);
  const figures =
    panel.shape === 'waterfall'
      ? waterfallOf(panel).steps.map(stepFormat(panel))
      : panel.series.flatMap(({ points }) => points.flatMap(point => (point ? [format(point.digits)] : [])));
  return figures.reduce((most, text) => Math.max(most, displayWidth(text)), 0) * CHARACTER;
}

/** The bars of a series with their figures. */
export function barOptions(panel: Panel, at: number, theme: Theme) {
  const { points } = panel.series[at] as Series;
  const format = panelFormat(panel);
  const formatter = ({ dataIndex }: { readonly dataIndex: number }) => {
    const digits = points[dataIndex]?.digits;
    return digits === undefined ? '' : format(digits);
  };
  const label = { show: true, position: 'right', color: theme.text, formatter };
  const data = points.map(point => point?.value ?? null);
  return { data, type: 'bar', barMaxWidth: BAR_HEIGHT - 8, label };
}

/** The bars of a waterfall stand on bars that are not drawn; a step down is drawn from its lower end. */
export function stepOptions(panel: Panel, isBase: boolean, style: DocumentStyle) {
  const { theme } = style;
  const { steps } = waterfallOf(panel);
  const { least } = valueScale(panel, style);
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
