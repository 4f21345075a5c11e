/** A JSON number as `digits` · 10^-`scale`, without leading zeros; `scale` is negative for 1e3. Exact for any exponent. */
export interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly scale: number;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Parses the text of a JSON number. */
export function decimalOf(text: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '');
  const scale = fraction.length - Number(exponent);
  return { isNegative: sign === '-', digits, scale: digits === '0' ? Math.max(0, fraction.length) : scale };
}

/** The number of digits before the decimal point; 0 for 0.5. */
export function wholeDigits({ digits, scale }: Decimal): number {
  return digits === '0' ? 0 : Math.max(0, digits.length - scale);
}

/** The same value without trailing zeros. */
export function withoutEndZeros({ isNegative, digits, scale }: Decimal): Decimal {
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return { isNegative, digits: '0', scale: 0 };
  return { isNegative, digits: kept, scale: scale - (digits.length - kept.length) };
}

/** The value times 10^`scale`, which must be an integer. */
export function unscaled(decimal: Decimal, scale: number): bigint {
  const { isNegative, digits, scale: own } = fitting(decimal, scale);
  const value = BigInt(digits + '0'.repeat(scale - own));
  return isNegative ? -value : value;
}

/** Whether the nearest double prints with exactly the same digits. */
export function isDoubleExact(text: string): boolean {
  const number = Number(text);
  if (!Number.isFinite(number)) return false;
  const [a, b] = [withoutEndZeros(decimalOf(text)), withoutEndZeros(decimalOf(String(number)))];
  return (
    a.digits === b.digits && a.scale === b.scale && a.isNegative === (b.isNegative || Object.is(number, -0))
  );
}

/** Drops trailing zeros that exceed the scale. */
function fitting(decimal: Decimal, scale: number): Decimal {
  return decimal.scale > scale ? withoutEndZeros(decimal) : decimal;
}
