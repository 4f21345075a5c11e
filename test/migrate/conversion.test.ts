import { describe, expect, test } from 'vitest';
import { digitsOf, type JsonNumber } from '../../src/json/index.ts';
import { isNumberText, typedValue } from '../../src/migrate/values.ts';

describe('a filter value', () => {
  const typed = (...[text, kind]: Parameters<typeof typedValue>) => {
    const found = typedValue(text, kind);
    return found.ok ? found.value : found.reason;
  };

  test('of text stays as it is', () => {
    expect([' 5 ', 'true', ''].map(text => typed(text, 'text'))).toEqual([' 5 ', 'true', '']);
  });

  test('of a boolean column is true or false, in any letter case', () => {
    expect(['true', ' FALSE '].map(text => typed(text, 'boolean'))).toEqual([true, false]);
    expect(typed('1', 'boolean')).toMatch(/boolean.*is not true or false$/);
  });

  test('of a number is one, with all of its digits', () => {
    expect(['5', '-0.5', '1e3'].map(text => typed(text, 'number'))).toEqual([5, -0.5, 1000]);
    const long = typed('12345678901234567891', 'number');
    expect(typeof long).toBe('object');
    expect(digitsOf(long as JsonNumber)).toBe('12345678901234567891');
    expect(typed('five', 'number')).toMatch(/numeric.*is not a number$/);
  });

  test('looks like a number only as a whole', () => {
    for (const text of ['1', '+1', '-1.', '.5', ' 1.50 ', '1e5', '1E-5'])
      expect(isNumberText(text)).toBe(true);
    for (const text of ['', '.', '1a', 'a1', '1e', '1.2.3', '1 2']) expect(isNumberText(text)).toBe(false);
  });
});
