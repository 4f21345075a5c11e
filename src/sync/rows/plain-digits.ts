import { decimalOf } from '../../export/parquet/decimal.ts';

/** Longer numbers are in no column; PostgreSQL stores up to 16,383 digits after the decimal point. */
const MOST_DIGITS = 10_000;

/** A value that no destination stores; the message says why. */
export class UnwritableError extends Error {}

/** The digits of a JSON number without an exponent: `1.5e3` as `1500`, `1e-3` as `0.001`. Throws UnwritableError. */
export function plainDigits(text: string): string {
  const { isNegative, digits, scale } = decimalOf(text);
  if (digits.length > MOST_DIGITS || Math.abs(scale) > MOST_DIGITS)
    throw new UnwritableError(`a number of more than ${MOST_DIGITS} digits`);
  const sign = isNegative ? '-' : '';
  if (digits === '0') return `${sign}0`;
  if (scale <= 0) return sign + digits + '0'.repeat(-scale);
  const padded = digits.padStart(scale + 1, '0');
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}
