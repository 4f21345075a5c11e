import { groupDigits } from '../terminal/numbers.ts';

const DECIMAL = /^(-?)(\d+)(\.\d+)?$/;

/**
 * Decimal digits with commas between thousands of the integer part, as text, so that no digit is lost. Integer parts of fewer than
 * `from` digits, numbers with an exponent and other texts do not change.
 */
export function groupThousands(digits: string, from = 4): string {
  const found = DECIMAL.exec(digits);
  const [, sign = '', integer = '', fraction = ''] = found ?? [];
  if (found === null || integer.length < from) return digits;
  return sign + groupDigits(integer) + fraction;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/;

/**
 * The text of a number with exactly `places` decimals, rounded half away from zero. It works on the digits, so no digit before them is
 * lost. Other texts, and numbers with an exponent of three digits or more, do not change.
 */
export function roundDecimals(text: string, places: number): string {
  const found = NUMBER.exec(text);
  if (found === null) return text;
  const [, sign = '', integer = '', fraction = '', exponent = '0'] = found;
  const digits = integer + fraction;
  const point = integer.length + Number(exponent);
  const whole = digits.slice(0, Math.max(0, point)).padEnd(point, '0');
  const decimals = '0'.repeat(Math.max(0, -point)) + digits.slice(Math.max(0, point));
  const up = (decimals[places] ?? '0') >= '5' ? 1n : 0n;
  const scaled = BigInt(`0${whole}${decimals.slice(0, places).padEnd(places, '0')}`) + up;
  const all = scaled.toString().padStart(places + 1, '0');
  const rounded = places === 0 ? all : `${all.slice(0, -places)}.${all.slice(-places)}`;
  return scaled === 0n ? rounded : sign + rounded;
}
