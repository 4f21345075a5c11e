import { groupThousands } from '../number.ts';

/** A figure with four significant digits, at least all of its integer part, thousands separated. */
export function shortFigure(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-6)) return value.toPrecision(4).replace(/\.?0+(?=e|$)/, '');
  const decimals =
    size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : size === 0 ? 0 : 3 - Math.ceil(Math.log10(size));
  const text = value.toFixed(decimals);
  return groupThousands(text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}

/**
 * Formats numbers to compare, with the same number of decimals: as many as needed, at most two for numbers from 1 up, none for
 * those from 100,000 up.
 */
export function figureFormat(values: readonly number[]): (value: number) => string {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    const size = Math.abs(value);
    if (size > most) most = size;
    if (size !== 0 && size < least) least = size;
  }
  if (most >= 1e15 || least < 1e-6) return shortFigure;
  const allowed = most < 1 ? 3 - Math.ceil(Math.log10(most || 1)) : most < 100_000 || least < 1 ? 2 : 0;
  const decimals = values.reduce((count, value) => Math.max(count, decimalsOf(value, allowed)), 0);
  return value => groupThousands(value.toFixed(decimals));
}

/** How many decimals of a rounded value are not zeros at its end. */
function decimalsOf(value: number, allowed: number): number {
  const [, decimals = ''] = value.toFixed(allowed).split('.');
  return decimals.replace(/0+$/, '').length;
}

/** A label of an axis, with the decimals of its step. */
export function tickLabel(value: number, step: number): string {
  const size = Math.max(Math.abs(value), step);
  if (size >= 1e15 || step < 1e-6) return shortFigure(value);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return groupThousands(value.toFixed(decimals));
}

/** `+12.3 %`; undefined for a change from zero. */
export function shortChange(from: number, to: number): string | undefined {
  if (from === 0) return undefined;
  const percent = ((to - from) / Math.abs(from)) * 100;
  if (!Number.isFinite(percent)) return undefined;
  const size = Math.abs(percent);
  const text = size >= 1e6 ? shortFigure(size) : groupThousands(size.toFixed(size >= 100 ? 0 : 1));
  return `${percent < 0 ? '-' : '+'}${text} %`;
}
