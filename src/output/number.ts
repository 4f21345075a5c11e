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

/**
 * Formats figures with the same number of decimals: at most two from 1 up, else three significant digits; never zero for another.
 * With `difference`, as many as show two digits of that one.
 */
export function digitsFormat(figures: readonly string[], difference = '0'): (digits: string) => string {
  let [most, present] = [0, 0];
  for (const digits of figures) {
    most = Math.max(most, Math.abs(Number(digits)));
    present = Math.max(present, decimalsIn(digits));
  }
  const allowed = most < 1 && most > 0 ? Math.min(20, 3 - Math.ceil(Math.log10(most))) : 2;
  const size = Math.abs(Number(difference));
  const needed = size > 0 && size < 1 ? 1 - Math.floor(Math.log10(size)) : 0;
  const places = Math.min(present, Math.max(allowed, Math.min(20, needed)));
  return digits => groupThousands(roundVisibly(digits, places));
}

/** Rounds to a number of decimals, or to the first at which a figure is not zero. */
export function roundVisibly(digits: string, places: number): string {
  let [text, at] = [roundDecimals(digits, places), places];
  const most = decimalsIn(digits);
  while (/^-?[0.]*$/.test(text) && at < most) {
    at += 1;
    text = roundDecimals(digits, at);
  }
  return text;
}

/** A change in percent, rounded as far as it looks neither like none nor, unless all is lost, like -100 %. */
export function roundPercentChange(digits: string, places: number): string {
  const most = decimalsIn(digits);
  let [text, at] = [roundVisibly(digits, places), places];
  while (roundsTo('-100', digits, text) && at < most) {
    at += 1;
    text = roundDecimals(digits, at);
  }
  return text;
}

/** Whether digits become a number only by rounding. */
export function roundsTo(limit: string, digits: string, rounded: string): boolean {
  return compareDigits(rounded, limit) === 0 && compareDigits(digits, limit) !== 0;
}

/** Less than, equal to or greater than zero, by all digits of both numbers. */
export function compareDigits(one: string, other: string): number {
  const [a, b] = [Number(one), Number(other)];
  if (a !== b || one === other) return Math.sign(a - b) || 0;
  const places = Math.max(decimalsIn(one), decimalsIn(other));
  const scaled = (digits: string) => roundDecimals(digits, places).replace('.', '');
  const texts = [one, other].map(scaled);
  if (!texts.every(text => /^-?\d+$/.test(text))) return 0;
  const [left, right] = texts.map(BigInt) as [bigint, bigint];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Decimals of a number as it is written, an exponent included. */
export function decimalsIn(digits: string): number {
  const [, , , fraction = '', exponent = '0'] = NUMBER.exec(digits) ?? [];
  return Math.max(0, fraction.length - Number(exponent));
}

/** The digits of a number times a hundred; one with an exponent keeps it. */
export function timesHundred(digits: string): string {
  const [mantissa = '', exponent] = digits.toLowerCase().split('e');
  if (exponent !== undefined) return `${mantissa}e${Number(exponent) + 2}`;
  const [integer = '', fraction = ''] = mantissa.split('.');
  const moved = `${integer}${fraction.slice(0, 2).padEnd(2, '0')}`.replace(/^(-?)0+(?=\d)/, '$1');
  const rest = fraction.slice(2);
  return rest === '' ? moved : `${moved}.${rest}`;
}
