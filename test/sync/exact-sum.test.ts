import { describe, expect, test } from 'vitest';
import { ExactSum, sumOf } from '../../src/sync/exact-sum.ts';

/** The sum of the JSON values of a text that has them at these places. */
function sumIn(text: string, ...values: readonly string[]): string | null {
  const bytes = Buffer.from(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sum = new ExactSum();
  let from = 0;
  for (const value of values) {
    from = text.indexOf(value, from);
    sum.add(view, from, from + value.length);
    from += value.length;
  }
  return sum.digits();
}

describe('a sum of JSON numbers', () => {
  test.each<[string, readonly string[]]>([
    ['0', []],
    ['0', ['0', '-0', '0.00']],
    ['0.3', ['0.1', '0.2']],
    ['-0.05', ['-0.05']],
    ['-0.5', ['-0.50000']],
    ['100', ['100']],
    ['3.75', ['2.5', '1.25', '0']],
    ['3.75', ['1.25', '2.5']],
    ['0.001', ['0.0010']],
    // As long as a double is exact, and longer.
    ['1999999999999998', ['999999999999999', '999999999999999']],
    ['10999999999999989', Array(11).fill('999999999999999')],
    ['4503599627370497.5', ['4503599627370497', '0.5']],
    ['999999999999999.0000000000001', ['999999999999999', '0.0000000000001']],
    ['999999999999999.0000000000001', ['0.0000000000001', '999999999999999']],
    ['12345678901234567890', ['12345678901234567889', '1']],
    ['0.1234567890123456789', ['0.1234567890123456788', '0.0000000000000000001']],
    ['-8999999999999991', Array(9).fill('-999999999999999')],
    // With an exponent.
    ['1500', ['1.5e3']],
    ['1500', ['1.5E+3']],
    ['12.5', ['1.25e1']],
    ['0.0015', ['1.5e-3']],
    ['-15', ['-150e-1']],
    ['1.001', ['1', '1e-3']],
    [`1${'0'.repeat(60)}`, ['1e60']],
    [`0.${'0'.repeat(59)}1`, ['1e-60']],
    // Sixty bytes.
    [`1${'0'.repeat(57)}`, [`1${'0'.repeat(57)}e0`]],
  ])('is %s', (sum, values) => {
    expect(sumOf(values)).toBe(sum);
    expect(sumIn(`[${values.join(', ')}]`, ...values)).toBe(sum);
  });

  test('does not count null', () => {
    expect(sumIn('[1,null,2]', '1', 'null', '2')).toBe('3');
  });

  test.each([
    ['"1"'],
    ['true'],
    ['[1]'],
    ['1e61'],
    ['1e-61'],
    [`1${'0'.repeat(58)}e0`],
    [`1${'0'.repeat(57)}e10`],
  ])('is unknown with %s, and remains so', value => {
    expect(sumIn(`[1,${value},2]`, '1', value, '2')).toBe(null);
  });

  test('of sums is unknown if one of them is', () => {
    expect(sumOf(['1.5', '2.5'])).toBe('4');
    expect(sumOf(['1.5', null, '2.5'])).toBe(null);
  });

  test.each<[string, readonly (readonly [bigint, number])[]]>([
    ['1.23', [[123n, 2]]],
    ['-1.23', [[-123n, 2]]],
    ['0.000000000000001', [[1n, 15]]],
    ['0.0000000000000001', [[1n, 16]]],
    ['2251799813685247', [[2n ** 51n - 1n, 0]]],
    ['2251799813685248', [[2n ** 51n, 0]]],
    [
      '18446744073709551617',
      [
        [2n ** 64n, 0],
        [1n, 0],
      ],
    ],
    [
      '1844674407370955161.7',
      [
        [2n ** 64n, 1],
        [1n, 1],
      ],
    ],
  ])('of unscaled integers is %s', (digits, values) => {
    const sum = new ExactSum();
    for (const [unscaled, scale] of values) sum.addUnscaled(unscaled, scale);
    expect(sum.digits()).toBe(digits);
  });
});
