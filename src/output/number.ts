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
