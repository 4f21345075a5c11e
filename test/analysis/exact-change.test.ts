import { describe, expect, test } from 'vitest';
import { changeBetween, EXACT_ZERO, exactFigure, plain } from '../../src/analysis/exact-change.ts';

describe('a change', () => {
  test.each<[string, string, string, string | undefined]>([
    ['100', '150', '50', '50'],
    ['150', '100', '-50', '-33.3333'],
    ['0.3', '0.1', '-0.2', '-66.6667'],
    ['12345678901234567890.1', '12345678901234567890.3', '0.2', '0'],
    ['7', '7.0', '0', '0'],
    // Of nothing, or of less, no share.
    ['0', '5', '5', undefined],
    ['-4', '-6', '-2', undefined],
  ])('from %s to %s is %s, %s %%', (before, now, absolute, relative) => {
    expect(changeBetween(before, now)).toEqual({ absolute, relative });
  });

  test('is -100 % only if nothing is left', () => {
    const percent = (now: string) => changeBetween('10000000', now)?.relative;
    expect(percent('0')).toBe('-100');
    expect(percent('1')).toBe('-99.9999');
    expect(percent('-1')).toBe('-100.0001');
    expect(percent('20000001')).toBe('100');
  });

  test('ends with no 5 that was rounded up, so that nobody rounds it up again', () => {
    const percent = (now: string) => changeBetween('100000000', now)?.relative;
    expect(percent('112345500')).toBe('12.3455');
    expect(percent('112345510')).toBe('12.3455');
    expect(percent('112345450')).toBe('12.34545');
    expect(percent('87654550')).toBe('-12.34545');
    expect(percent('112345470')).toBe('12.34547');
    expect(percent('112345499.96')).toBe('12.34549996');
    expect(percent('104999990')).toBe('5');
    expect(percent('112345370')).toBe('12.3454');
  });

  test('is unknown for figures out of all proportion', () => {
    for (const figure of ['1e1000', '-1e1000', '1e-1000']) {
      expect(exactFigure(figure)).toBeDefined();
      expect(changeBetween(figure, '1')).toBeDefined();
    }
    for (const figure of ['1e1001', '-1e1001', '1e-1001', '1.5e-1000', 'NaN', 'Infinity']) {
      expect(exactFigure(figure)).toBeUndefined();
      expect([changeBetween(figure, '1'), changeBetween('1', figure)]).toEqual([undefined, undefined]);
    }
  });

  test('has all digits, no exponent, and no minus of zero', () => {
    expect(changeBetween('1e30', '1e30')?.absolute).toBe('0');
    expect(changeBetween('0', '1e-30')?.absolute).toBe(`0.${'0'.repeat(29)}1`);
    expect(plain(EXACT_ZERO.negated())).toBe('0');
  });
});
