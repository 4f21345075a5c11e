import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonRecord, jsonNumber, parseJson } from '../../src/json/index.ts';
import { cellWriter } from '../../src/output/cell.ts';
import { groupThousands, roundDecimals } from '../../src/output/number.ts';
import { localTimes } from '../../src/output/time.ts';
import type { Column } from '../../src/output/view.ts';
import { PIPE } from './styles.ts';

const write = cellWriter(PIPE);
const cell = (json: string, column: Partial<Column> = {}) =>
  write(parseJson(json), { key: 'field', ...column });

describe('numbers with --decimals', () => {
  test.each([
    ['0.125', 2, '0.13'],
    ['-0.125', 2, '-0.13'],
    ['1.005', 2, '1.01'],
    ['2.5', 0, '3'],
    ['-2.5', 0, '-3'],
    ['0.4999999999999999999', 0, '0'],
    ['-0.004', 2, '0.00'],
    ['9.995', 2, '10.00'],
    ['12.5', 2, '12.50'],
    ['7', 2, '7.00'],
    ['12345678901234567890.155', 2, '12345678901234567890.16'],
    ['1.25e1', 1, '12.5'],
    ['1.25E+3', 1, '1250.0'],
    ['5e-2', 1, '0.1'],
    ['5e-3', 1, '0.0'],
    ['1e400', 2, '1e400'],
    ['ten', 2, 'ten'],
  ])('%s with %i is %s', (digits, places, rounded) => {
    expect(roundDecimals(digits, places)).toBe(rounded);
  });

  test('are never further away than half of the last place', () => {
    const decimal = fc.stringMatching(/^-?(0|[1-9]\d{0,25})(\.\d{1,15})?$/);
    fc.assert(
      fc.property(decimal, fc.integer({ min: 0, max: 10 }), (digits, places) => {
        const scaled = (text: string) => {
          const [whole = '', fraction = ''] = text.split('.');
          return BigInt(whole.replace('-', '') + fraction.padEnd(20, '0'));
        };
        const difference = scaled(roundDecimals(digits, places)) - scaled(digits);
        const half = 5n * 10n ** BigInt(19 - places);
        expect(difference <= half && difference > -half).toBe(true);
      }),
    );
  });

  const rows = [
    parseJson('{"visits":1234,"epmv":12.345,"id":1.25,"label":"1.255"}'),
    parseJson('{"visits":5,"epmv":7,"id":2,"label":"x"}'),
  ] as JsonRecord[];
  const rounded = cellWriter({ ...PIPE, decimals: 1 }, rows);
  test.each([
    ['visits', ['1234', '5']],
    ['epmv', ['12.3', '7.0']],
    ['id', ['1.25', '2']],
    ['label', ['1.255', 'x']],
  ])('round the columns that have decimals: %s', (key, texts) => {
    expect(rows.map(row => rounded(row[key], { key }))).toEqual(texts);
  });
});

describe('numbers', () => {
  test.each([
    ['1234', '1,234'],
    ['123', '123'],
    ['-1234567.891011', '-1,234,567.891011'],
    ['12345678901234567890.10', '12,345,678,901,234,567,890.10'],
    ['1e400', '1e400'],
    ['0.00001234', '0.00001234'],
    ['not 12345', 'not 12345'],
  ])('%s is grouped as %s', (digits, grouped) => {
    expect(groupThousands(digits)).toBe(grouped);
  });

  test('grouping adds commas and changes nothing else', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^-?(0|[1-9]\d{0,60})(\.\d{1,40})?$/), digits => {
        const grouped = groupThousands(digits);
        expect(grouped.replaceAll(',', '')).toBe(digits);
        expect(grouped).toMatch(/^-?\d{1,3}(,\d{3})*(\.\d+)?$/);
      }),
    );
  });

  test('a column of numbers is grouped, whether they are numbers or text', () => {
    expect(cell('1234', { kind: 'number' })).toBe('1,234');
    expect(cell('"1234.5"', { kind: 'number' })).toBe('1,234.5');
    expect(cell('"n/a"', { kind: 'number' })).toBe('n/a');
  });

  test('without a kind long numbers are grouped, but neither years nor ids', () => {
    expect(cell('12345')).toBe('12,345');
    expect(cell('2031')).toBe('2031');
    expect(cell('123456', { key: 'domain_id' })).toBe('123456');
    expect(cell('123456', { key: 'domainId' })).toBe('123456');
    expect(cell('123456', { key: 'DomainID' })).toBe('123456');
    expect(cell('123456', { key: 'id' })).toBe('123456');
    expect(cell('123456', { key: 'paid' })).toBe('123,456');
    expect(cell('123456', { kind: 'text' })).toBe('123456');
  });
});

describe('times', () => {
  test.each([
    ['Europe/Berlin', '2031-05-01T00:00:00Z', '2031-05-01 02:00 CEST'],
    ['Europe/Berlin', '2031-01-01T00:00:00+01:00', '2031-01-01 00:00 CET'],
    ['Europe/London', '2031-07-01T12:00:00Z', '2031-07-01 13:00 BST'],
    ['America/New_York', '2031-01-01T00:00:00Z', '2030-12-31 19:00 EST'],
    ['Australia/Sydney', '2031-01-01T00:00:00Z', '2031-01-01 11:00 AEDT'],
    ['Asia/Kolkata', '2031-01-01T00:00:00Z', '2031-01-01 05:30 IST'],
    ['Asia/Tokyo', '2031-01-01T00:00:00Z', '2031-01-01 09:00 +09:00'],
    ['UTC', '2031-01-01t00:00:07.125z', '2031-01-01 00:00:07 UTC'],
    ['UTC', '0099-01-01T00:00:00Z', '0099-01-01 00:00 UTC'],
  ])('in %s %s is %s', (timeZone, time, local) => {
    expect(localTimes(timeZone)(time)).toBe(local);
  });

  test.each(['2031-02-30T00:00:00Z', '2031-13-01T00:00:00Z', '2031-01-01', '2031-01-01T00:00:00', 'soon'])(
    '%s is no time, so it is shown as it came',
    text => {
      expect(localTimes('UTC')(text)).toBeUndefined();
      expect(cell(JSON.stringify(text), { kind: 'time' })).toBe(text);
    },
  );

  test('are local wherever they appear, unless a column is text', () => {
    expect(cell('"2031-05-01T00:00:00Z"')).toBe('2031-05-01 02:00 CEST');
    expect(cell('"2031-05-01T00:00:00Z"', { kind: 'text' })).toBe('2031-05-01T00:00:00Z');
  });

  test('an unknown zone is rejected', () => {
    expect(() => localTimes('Europe/Nowhere')).toThrow(RangeError);
  });
});

describe('other values', () => {
  test('yes and no, a dash for nothing, JSON for what is nested', () => {
    expect(cell('true')).toBe('yes');
    expect(cell('false')).toBe('no');
    expect(cell('null')).toBe('–');
    expect(write(undefined, { key: 'field' })).toBe('–');
    expect(cell('""')).toBe('');
    expect(cell('{"a":[1.0]}')).toBe('{"a":[1.0]}');
    expect(write(jsonNumber('1.0'), { key: 'field' })).toBe('1.0');
  });

  test('the dash is ASCII on a terminal without UTF-8', () => {
    expect(cellWriter({ ...PIPE, unicode: false })(null, { key: 'field' })).toBe('-');
  });

  test('escape sequences are visible, in text and in nested values', () => {
    expect(cell('"\\u001b[2J\\n"')).toBe('\\x1b[2J\\n');
    expect(cell('{"a\\u202e":"\\u009b"}')).toBe('{"a\\u202e":"\\u009b"}');
    expect(cell('"\\u001b"', { kind: 'number' })).toBe('\\x1b');
  });
});
