/** Exact decimals: an integer and its number of decimals. */

const MAX_INT64 = 2n ** 63n - 1n;
const PLAIN = /^(-?)(\d+)(?:\.(\d*))?$/;

/**
 * A decimal as an integer of the smallest unit, or else as the nearest double, as the database compares it.
 *
 * @param text a JSON number
 */
export function toUnits(text: string, decimals: number): bigint | number {
  const [, sign, whole = '', fraction = ''] = PLAIN.exec(text) ?? [];
  const excess = fraction.slice(decimals);
  if (sign === undefined || /[1-9]/.test(excess)) return Number(text) * 10 ** decimals;
  const units = BigInt(sign + whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  return units > MAX_INT64 || units < -MAX_INT64 ? Number(text) * 10 ** decimals : units;
}

/** Formats an integer of units as a JSON number, without trailing zeros: (12340n, 3) is `12.34`. */
export function decimalText(units: bigint | number, decimals: number): string {
  const value = BigInt(units);
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Rounds a non-negative integer of units to fewer decimals, half up: (1250n, 3, 2) is 125n, (1255n, 3, 2) is 126n. */
export function roundUnits(units: bigint | number, decimals: number, places: number): bigint {
  if (places >= decimals) return BigInt(units);
  const step = 10n ** BigInt(decimals - places);
  return (BigInt(units) + step / 2n) / step;
}
