/** Exact decimals: a whole number and the count of its decimals. */

const LARGEST = 2n ** 63n - 1n;
const PLAIN = /^(-?)(\d+)(?:\.(\d*))?$/;

/**
 * A decimal as the database compares it: a whole number of the smallest unit where it is one, otherwise the
 * nearest double.
 *
 * @param text a JSON number
 */
export function scaled(text: string, decimals: number): bigint | number {
  const [, sign, whole = '', fraction = ''] = PLAIN.exec(text) ?? [];
  const excess = fraction.slice(decimals);
  if (sign === undefined || /[1-9]/.test(excess)) return Number(text) * 10 ** decimals;
  const units = BigInt(sign + whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  return units > LARGEST || units < -LARGEST ? Number(text) * 10 ** decimals : units;
}

/** Writes a whole number of units as a JSON number, without trailing zeros: (12340n, 3) is `12.34`. */
export function decimalText(units: bigint | number, decimals: number): string {
  const value = BigInt(units);
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Drops decimals from a number of units of zero or more, half up: (1250n, 3, 2) is 125n, (1255n, 3, 2) is 126n. */
export function rounded(units: bigint | number, decimals: number, kept: number): bigint {
  if (kept >= decimals) return BigInt(units);
  const step = 10n ** BigInt(decimals - kept);
  return (BigInt(units) + step / 2n) / step;
}
