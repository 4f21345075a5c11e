/** Smaller values count as zero. */
const TINY = 1e-90;
/** The smallest step, relative to the values: a smaller one would be lost to rounding. */
const FINEST = 1e-12;

/** The value axis of a chart. */
export interface Scale {
  readonly least: number;
  readonly most: number;
  readonly step: number;
  /** From the least to the most. */
  readonly ticks: readonly number[];
}

/**
 * A scale for values with about `count` round steps (1, 2 or 5 times a power of ten). It includes zero where the values come near
 * enough to it, and with `fromZero`, as bars require.
 */
export function scaleFor(
  values: readonly number[],
  count: number,
  { fromZero = false }: { readonly fromZero?: boolean } = {},
): Scale {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (values.length === 0) [low, high] = [0, 1];
  if (fromZero || (low > 0 && low <= high / 2)) low = Math.min(low, 0);
  if (fromZero || (high < 0 && high >= low / 2)) high = Math.max(high, 0);
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size < TINY) [low, high] = [0, 1];
  if (low === high) [low, high] = around(low);
  // Whole numbers have no fractional steps.
  const least = Math.max(size * FINEST, values.every(Number.isInteger) ? 1 : 0);
  const step = roundStep(Math.max(least, high / count - low / count));
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => rounded((first + i) * step, step));
  return { least: ticks[0] ?? low, most: ticks.at(-1) ?? high, step, ticks };
}

function around(value: number): [number, number] {
  if (value === 0) return [0, 1];
  return value > 0 ? [0, value] : [value, 0];
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = rough / power;
  const round = factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10;
  return round * power;
}

/** Without the error of binary fractions: 0.1 · 3 is 0.3. */
function rounded(value: number, step: number): number {
  const digits = Math.min(100, Math.max(0, -Math.floor(Math.log10(step))));
  const text = value.toFixed(digits);
  return Number(text) === 0 ? 0 : Number(text);
}
