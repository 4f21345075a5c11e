import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalOf, unscaled, unscaledIn } from '../../../src/export/parquet/decimal.ts';
import { utf8Bytes } from '../../../src/export/transcode/utf8.ts';
import { runs } from '../../support/runs.ts';

const read = (number: string, scale: number) => unscaledIn(utf8Bytes(number), 0, number.length, scale);

test.each([
  ['0', 0, 0n],
  ['-0.00', 2, 0n],
  ['0.05', 3, 50n],
  ['-12.5', 1, -125n],
  ['999999999999999', 0, 999_999_999_999_999n],
  ['9007199254740993', 0, 9_007_199_254_740_993n],
  ['123456789012345678901234567890', 2, 12_345_678_901_234_567_890_123_456_789_000n],
  ['99999999999999999999999999999999999999', 0, 10n ** 38n - 1n],
  ['0.00000000000000000000000000000000000001', 38, 1n],
  ['1.2500', 2, 125n],
  ['12E3', 1, 120_000n],
])('%s at scale %i is %s', (number, scale, integer) => {
  expect(read(number, scale)).toBe(integer);
});

test('reading bytes directly gives the same as reading digit by digit', () => {
  const digits = (min: number, max: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });
  const number = fc.tuple(fc.boolean(), digits(1, 25), digits(0, 20)).map(([minus, whole, fraction]) => {
    const plain = whole.replace(/^0+(?=\d)/, '');
    return `${minus ? '-' : ''}${plain}${fraction === '' ? '' : `.${fraction}`}`;
  });
  fc.assert(
    fc.property(number, fc.integer({ min: 0, max: 15 }), (text, more) => {
      const scale = Math.max(0, decimalOf(text).scale) + more;
      expect(read(text, scale)).toBe(unscaled(decimalOf(text), scale));
    }),
    { numRuns: runs(1000) },
  );
});
