import { DIGIT_0, isDigit, MINUS, POINT } from '../transcode/ascii.ts';
import { utf8Text } from '../transcode/utf8.ts';
import { MAX_PRECISION } from './column-type.ts';
import { decimalOf, unscaled } from './decimal.ts';

/** A double represents any number of this many digits exactly. */
const EXACT_DIGITS = 15;
const POWERS = Array.from({ length: MAX_PRECISION + 1 }, (_, power) => 10n ** BigInt(power));

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
    else return slowly(text, from, to, scale);
  }
  const missing = scale - (to - 1 - point);
  if (lowDigits > EXACT_DIGITS || missing < 0 || missing > MAX_PRECISION)
    return slowly(text, from, to, scale);
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

function slowly(text: DataView, from: number, to: number, scale: number): bigint {
  return unscaled(decimalOf(utf8Text(text, from, to)), scale);
}
