import { groupThousands } from '../number.ts';
import {
  areShares,
  changeOf,
  type FigureStyle,
  figuresFormat,
  percentChange,
  shownNumber,
} from '../presentation/index.ts';
import type { Panel, Point } from './chart.ts';
import { type Scale, scaleFor } from './ticks.ts';

/** Formats the digits of a panel's figures as tables do, in any number of series. */
export function panelFormat(
  { figure, series, locale }: Pick<Panel, 'figure' | 'series' | 'locale'>,
  style: FigureStyle = {},
): (digits: string) => string {
  const digits = series.flatMap(({ points, isBase }) =>
    isBase ? [] : points.flatMap(point => point?.digits ?? []),
  );
  return figuresFormat({ figure, isChange: false }, digits, { locale, ...style });
}

/** The value axis of a panel. */
interface ValueAxis extends Scale {
  readonly labelOf: (value: number) => string;
}

/** Seconds of the units in which times are written, the largest first, each from some seconds on. */
const TIME_UNITS = [
  { unit: 'h', seconds: 3600, from: 7200 },
  { unit: 'm', seconds: 60, from: 120 },
  { unit: 's', seconds: 1, from: 0 },
] as const;

/** A scale for some values of a panel, as `scaleFor`: of shares in percent, and of seconds in a unit of time. */
export function axisFor(
  { figure, locale }: Pick<Panel, 'figure' | 'locale'>,
  values: readonly number[],
  count: number,
  { unicode = true, ...options }: { readonly fromZero?: boolean; readonly unicode?: boolean } = {},
): ValueAxis {
  const most = values.reduce((size, value) => Math.max(size, Math.abs(value)), 0);
  const time = figure === 'seconds' ? TIME_UNITS.find(({ from }) => most >= from) : undefined;
  const { seconds: size = 1, unit = figure === 'percent' ? '%' : '' } = time ?? {};
  const isShare = figure === 'ratio' && most <= 1;
  const scale = scaleFor(
    values.map(value => value / size),
    count,
    options,
  );
  const { step } = scale;
  const suffix = unit === '' ? '' : ` ${unit}`;
  const shown = (text: string) => shownNumber(text, { locale, unicode });
  return {
    least: scale.least * size,
    most: scale.most * size,
    step: step * size,
    ticks: scale.ticks.map(tick => tick * size),
    labelOf: value =>
      isShare
        ? `${shown(tickLabel(100 * value, 100 * step))} %`
        : shown(tickLabel(value / size, step)) + suffix,
  };
}

/** A figure with four significant digits, at least all of its integer part, thousands separated. */
export function shortFigure(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-6)) return value.toPrecision(4).replace(/\.?0+(?=e|$)/, '');
  const decimals =
    size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : size === 0 ? 0 : 3 - Math.ceil(Math.log10(size));
  const text = value.toFixed(decimals);
  return groupThousands(text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}

/** A label of an axis, with the decimals of its step. */
export function tickLabel(value: number, step: number): string {
  const size = Math.max(Math.abs(value), step);
  if (size >= 1e15 || step < 1e-6) return shortFigure(value);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return groupThousands(value.toFixed(decimals));
}

/** `+12.3 %`, of shares `+4.0 pp`, of unequal periods `+12.3 % per day`, or that a figure cannot be compared with the one before; undefined for a change from zero or less. */
export function changeText(
  { figure }: Pick<Panel, 'figure'>,
  now: Pick<Point, 'value'>,
  before: Pick<Point, 'value' | 'isComparable' | 'perDay'>,
  style: FigureStyle = {},
): string | undefined {
  if (before.isComparable === false) return 'not comparable';
  if (before.perDay !== undefined) return `${percentChange(before.perDay, style)} per day`;
  if (areShares({ figure }, [String(now.value), String(before.value)])) {
    const difference = String(now.value - before.value);
    return figuresFormat(changeOf({ figure, isChange: false }), [difference], style)(difference);
  }
  if (before.value <= 0) return undefined;
  const percent = ((now.value - before.value) / before.value) * 100;
  return Number.isFinite(percent) ? percentChange(String(percent), style) : undefined;
}

/**
 * The only row of a panel: its figure, and what it is of, what it lacks and the figure before: `DE; before: 10, +100.0 %`,
 * `Sat 14 Mar; not ended`.
 */
export function figureOf(
  panel: Panel,
  style: FigureStyle = {},
): { readonly figure: string; readonly note: string } {
  const format = panelFormat(panel, style);
  const pointOf = (isEarlier: boolean) =>
    panel.series.find(({ isBefore = false }) => isBefore === isEarlier)?.points[0];
  const [now, before] = [pointOf(false), pointOf(true)];
  const change = now && before && changeText(panel, now, before, { locale: panel.locale, ...style });
  const earlier = before && `before: ${format(before.digits)}${change === undefined ? '' : `, ${change}`}`;
  const notes = [panel.positions[0]?.label, panel.positions[0]?.part, earlier, panel.limitedTo].filter(
    Boolean,
  );
  return { figure: now === undefined ? 'no figure' : format(now.digits), note: notes.join('; ') };
}
