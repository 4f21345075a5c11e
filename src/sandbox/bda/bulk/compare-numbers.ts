/** Compares two JSON numbers by their digits: below, at or above 0 as the first is smaller, equal or larger. */
export function compareNumbers(one: string, other: string): number {
  const a = read(one);
  const b = read(other);
  if (a.sign !== b.sign || a.sign === 0) return a.sign - b.sign;
  if (a.magnitude !== b.magnitude) return a.magnitude < b.magnitude ? -a.sign : a.sign;
  const width = Math.max(a.digits.length, b.digits.length);
  const [left, right] = [a.digits.padEnd(width, '0'), b.digits.padEnd(width, '0')];
  return left === right ? 0 : left < right ? -a.sign : a.sign;
}

/** A number as `0.digits × 10^magnitude`; `digits` begins and ends with another digit than 0. */
interface Decimal {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly magnitude: number;
}

function read(text: string): Decimal {
  const [, minus, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = whole + fraction;
  const digits = all.replace(/^0+/, '');
  if (digits === '') return { sign: 0, digits: '', magnitude: 0 };
  const magnitude = Number(exponent) + whole.length - (all.length - digits.length);
  return { sign: minus === '-' ? -1 : 1, digits: digits.replace(/0+$/, ''), magnitude };
}
