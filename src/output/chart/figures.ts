import { groupThousands } from '../number.ts';

/** A figure in as many digits as a reader of a chart wants: four that count, all of the whole part, thousands separated. */
export function shortFigure(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-6)) return value.toPrecision(4).replace(/\.?0+(?=e|$)/, '');
  const decimals =
    size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : size === 0 ? 0 : 3 - Math.ceil(Math.log10(size));
  const text = value.toFixed(decimals);
  return groupThousands(text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}

/** A mark on an axis, with the decimals that its step has. */
export function tickLabel(value: number, step: number): string {
  const size = Math.max(Math.abs(value), step);
  if (size >= 1e15 || step < 1e-6) return shortFigure(value);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return groupThousands(value.toFixed(decimals));
}

/** `+12.3 %`; undefined where nothing was there before. */
export function shortChange(from: number, to: number): string | undefined {
  if (from === 0) return undefined;
  const percent = ((to - from) / Math.abs(from)) * 100;
  if (!Number.isFinite(percent)) return undefined;
  const size = Math.abs(percent);
  const text = size >= 1e6 ? shortFigure(size) : groupThousands(size.toFixed(size >= 100 ? 0 : 1));
  return `${percent < 0 ? '-' : '+'}${text} %`;
}
