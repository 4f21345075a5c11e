import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalText, roundUnits, toUnits } from '../../../src/sandbox/bda/query-engine/decimal.ts';

describe('money and time in integer units', () => {
  test('are written as decimals without trailing zeros', () => {
    expect(decimalText(12_340n, 3)).toBe('12.34');
    expect(decimalText(12_000, 3)).toBe('12');
    expect(decimalText(5n, 3)).toBe('0.005');
    expect(decimalText(-5n, 3)).toBe('-0.005');
    expect(decimalText(0n, 3)).toBe('0');
    expect(decimalText(7n, 0)).toBe('7');
    expect(decimalText(1_234_567_890_123_456_789n, 13)).toBe('123456.7890123456789');
  });

  test('are read back unchanged', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), fc.nat(14), (units, decimals) => {
        expect(toUnits(decimalText(units, decimals), decimals)).toBe(units);
      }),
    );
  });

  test('are roundUnits half up', () => {
    expect(roundUnits(1_254n, 3, 2)).toBe(125n);
    expect(roundUnits(1_255n, 3, 2)).toBe(126n);
    expect(roundUnits(1_255n, 3, 0)).toBe(1n);
    expect(roundUnits(1_500n, 3, 0)).toBe(2n);
    expect(roundUnits(1_255n, 3, 3)).toBe(1_255n);
  });
});

describe('a decimal in a filter', () => {
  test.each([
    ['12', 3, 12_000n],
    ['12.3', 3, 12_300n],
    ['12.3000', 3, 12_300n],
    ['-0.5', 3, -500n],
    ['1e3', 3, 1_000_000],
    ['0.0005', 3, 0.5],
    ['9223372036854775808', 0, 2 ** 63],
  ])('%s with %i decimals is %s', (text, decimals, units) => {
    expect(toUnits(text, decimals)).toBe(units);
  });
});
