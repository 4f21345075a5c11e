import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numberFormat } from '../../src/files/number-format.ts';

const shown = (code: string, value: number) => numberFormat(164, code, 0)(value);

describe('a number is shown as its cell shows it', () => {
  test.each([
    ['000000', 42, '000042'],
    ['000000', 1_234_567, '1234567'],
    ['0', 41.6, '42'],
    ['0.00', 5, '5.00'],
    ['0.##', 5.5, '5.5'],
    ['0.##', 5, '5.'],
    ['#', 0, ''],
    ['#,##0', 1042, '1042'],
    ['#,##0.00', 1042.5, '1042.50'],
    ['"T-"0000', 42, 'T-0042'],
    ['\\#0000', 42, '#0042'],
    ['000-00-0000', 1_234_567, '001-23-4567'],
    ['[$-407]00000', 1067, '01067'],
    ['[$€-407] #,##0.00', 7, '€ 7.00'],
    ['[Red]000', 7, '007'],
    ['_-000_-', 7, '007'],
    ['000;-00;"none"', -7, '-07'],
    ['000;(00);"none"', -7, '(07)'],
    ['000', -7, '-007'],
    ['0%', 0.25, '25%'],
    ['0.0%', 0.125, '12.5%'],
    ['@', 42, '42'],
    ['General', 42.5, '42.5'],
    ['0.00E+00', 42, '4.20E+01'],
    ['# ?/?', 0.5, '1/2'],
    ['[<1000]000;0', 42, '042'],
    ['#,##0,', 1_234_567, '1235'],
    ['[$-F800]00', 7, '07'],
    ['"open', 42, '42'],
    ['', 42, '42'],
  ])('%s: %d is %s', (code, value, text) => {
    expect(shown(code, value)).toBe(text);
  });

  test.each([
    ['dd\\.mm\\.yyyy', 46_095, '2026-03-14'],
    ['dd\\.mm\\.yyyy', 46_095.75, '2026-03-14'],
    ['[$-409]d\\-mmm\\-yyyy;@', 46_095, '2026-03-14'],
    ['m/d/yyyy h:mm', 46_095.75, '2026-03-14 18:00:00'],
    ['m/d/yyyy h:mm', 46_095, '2026-03-14'],
    ['yyyy"-"mm', 46_095, '2026-03-14'],
    ['hh:mm', 0.75, '18:00'],
    ['hh:mm:ss', 0.750_011_6, '18:00:01'],
    ['[h]:mm', 1.5, '36:00'],
    ['h:mm AM/PM', 0.25, '06:00'],
    ['mmmm', 46_095, '2026-03-14'],
  ])('%s: %d is %s', (code, value, text) => {
    expect(shown(code, value)).toBe(text);
  });

  test.each([
    [0, 42.5, '42.5'],
    [1, 42, '42'],
    [2, 42, '42.00'],
    [14, 46_095, '2026-03-14'],
    [15, 46_095, '2026-03-14'],
    [16, 46_095, '2026-03-14'],
    [17, 46_095, '2026-03-14'],
    [18, 0.75, '18:00'],
    [19, 0.75, '18:00:00'],
    [20, 0.75, '18:00'],
    [21, 0.75, '18:00:00'],
    [22, 46_095.75, '2026-03-14 18:00:00'],
    [49, 42, '42'],
    [63, 42, '42'],
  ])('built-in format %d: %d is %s', (id, value, text) => {
    expect(numberFormat(id, undefined, 0)(value)).toBe(text);
  });

  test('every number has a text in every format, and padding loses no digit', () => {
    fc.assert(
      fc.property(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), (code, value) => {
        expect(typeof shown(code, value)).toBe('string');
      }),
    );
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 12 }), (value, width) => {
        expect(shown('0'.repeat(width), value)).toBe(String(value).padStart(width, '0'));
      }),
    );
  });
});
