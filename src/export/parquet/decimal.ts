import { DIGIT_0, isDigit, MINUS, POINT } from '../transcode/ascii.ts';
import { utf8Text } from '../transcode/utf8.ts';
import { MAX_PRECISION } from './column-type.ts';

/** A double represents any number of this many digits exactly. */
const EXACT_DIGITS = 15;

const POWERS = Array.from({ length: MAX_PRECISION + 1 }, (_, power) => 10n ** BigInt(power));

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
  const { isNegative, digits, scale: own } = decimal.scale > scale ? withoutEndZeros(decimal) : decimal;
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

/**
 * The JSON number `[from, to)` of a text, times 10^`scale`, which must be an integer. Reads the bytes directly if the number has
 * no exponent and fits into two doubles.
 */
export function unscaledIn(text: DataView, from: number, to: number, scale: number): bigint {
  const isNegative = text.getUint8(from) === MINUS;
  let [high, highDigits, low, lowDigits] = [0, 0, 0, 0];
  let point = to - 1;
  for (let at = isNegative ? from + 1 : from; at < to; at++) {
    const byte = text.getUint8(at);
    if (isDigit(byte)) {
      if (highDigits === 0 && byte === DIGIT_0) continue;
      if (highDigits < EXACT_DIGITS) {
        high = high * 10 + byte - DIGIT_0;
        highDigits++;
      } else {
        low = low * 10 + byte - DIGIT_0;
        lowDigits++;
      }
    } else if (byte === POINT) point = at;
    else return exactDecimal(text, from, to, scale);
  }
  const missing = scale - (to - 1 - point);
  if (lowDigits > EXACT_DIGITS || missing < 0 || missing > MAX_PRECISION)
    return exactDecimal(text, from, to, scale);
  const value = scaledUp(high, highDigits, low, lowDigits, missing);
  return isNegative ? -value : value;
}

function scaledUp(high: number, highDigits: number, low: number, lowDigits: number, missing: number): bigint {
  if (lowDigits === 0 && highDigits + missing <= EXACT_DIGITS) return BigInt(high * 10 ** missing);
  const digits = lowDigits === 0 ? BigInt(high) : BigInt(high) * power(lowDigits) + BigInt(low);
  return missing === 0 ? digits : digits * power(missing);
}

function power(count: number): bigint {
  return POWERS[count] ?? 10n ** BigInt(count);
}

function exactDecimal(text: DataView, from: number, to: number, scale: number): bigint {
  return unscaled(decimalOf(utf8Text(text, from, to)), scale);
}
