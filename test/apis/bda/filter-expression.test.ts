import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type FilterExpression,
  FilterSyntax,
  filterJson,
  needsColumnType,
  parseFilter,
  printFilter,
} from '../../../src/apis/bda/filter-expression.ts';
import type { ValueKind } from '../../../src/apis/bda/value-kind.ts';
import { stringifyJson } from '../../../src/json/index.ts';
import { runs } from '../../support/runs.ts';

const json = (text: string, kind?: ValueKind) => stringifyJson(filterJson(parseFilter(text), () => kind));

describe('a filter as it is typed', () => {
  test.each([
    ['visits>=3', '{"column":"visits","operator":"greater_than_or_equal","value":3}'],
    ['visits > 3', '{"column":"visits","operator":"greater_than","value":3}'],
    ['country=DE', '{"column":"country","operator":"in","values":["DE"]}'],
    ['country=DE, AT', '{"column":"country","operator":"in","values":["DE","AT"]}'],
    ['city="Paris, Texas",Rome', '{"column":"city","operator":"in","values":["Paris, Texas","Rome"]}'],
    ['page_url:contains:a=b:c', '{"column":"page_url","operator":"contains","value":"a=b:c"}'],
    ['page_url:contains:"a,b"', '{"column":"page_url","operator":"contains","value":"a,b"}'],
    ['country:not_in:DE,AT', '{"column":"country","operator":"not_in","values":["DE","AT"]}'],
    ['country:in:DE', '{"column":"country","operator":"in","values":["DE"]}'],
    [
      'title="say \\"hi\\" \\\\ \\n"',
      '{"column":"title","operator":"in","values":["say \\"hi\\" \\\\ \\\\n"]}',
    ],
    ['author=""', '{"column":"author","operator":"in","values":[""]}'],
    [
      'report_day>=2026-01-01',
      '{"column":"report_day","operator":"greater_than_or_equal","value":"2026-01-01"}',
    ],
  ])('%s', (text, expected) => {
    expect(json(text)).toBe(expected);
  });

  test.each([
    ['country=de OR country=fr', 'has a second condition after OR'],
    ['country=DE and visits > 3', 'has a second condition after and'],
    ['page_title=News && page_url:contains:x', 'has a second condition after &&'],
  ])('%s is two filters', (text, message) => {
    expect(() => parseFilter(text)).toThrow(message);
  });

  test.each(['page_title=Rise and fall', 'page_title="a or b=c"'])('%s is one filter', text => {
    expect(parseFilter(text).values).toHaveLength(1);
  });

  test('numbers keep the digits that were typed', () => {
    expect(json('id=12345678901234567890')).toContain('[12345678901234567890]');
    expect(json('revenue>0.10000000000000000555')).toContain('"value":0.10000000000000000555');
    expect(json('revenue>1.50e+3')).toContain('"value":1.50e+3');
  });

  test('quoted values, and values that are not JSON numbers, are texts', () => {
    expect(json('zip=01234')).toContain('["01234"]');
    expect(json('title="1984"')).toContain('["1984"]');
    expect(json('x>NaN')).toContain('"value":"NaN"');
  });

  test('a text column reads a number as text, a boolean column reads true and false', () => {
    expect(json('title=1984', 'text')).toContain('["1984"]');
    expect(json('flag=true', 'boolean')).toContain('[true]');
    expect(json('flag="true"', 'boolean')).toContain('["true"]');
    expect(json('flag=true')).toContain('["true"]');
    expect(json('visits=3', 'number')).toContain('[3]');
  });

  test.each([
    ['visits', 'is not a filter'],
    ['=3', 'is not a filter'],
    ['', 'is not a filter'],
    ['visits<3', 'uses <, for which the API documents no operator'],
    ['visits<=3', 'uses <=, for which the API documents no operator'],
    ['visits!=3', 'uses !=, for which the API documents no operator'],
    ['visits==3', 'uses ==, for which the API documents no operator'],
    ['visits>3,4', 'compares with several values'],
    ['country=', 'has an empty value'],
    ['country=DE,', 'has an empty value'],
    ['country="DE', 'has an unterminated quote'],
    ['country="DE"AT', 'has text after a closing quote'],
    ['visits:3', 'has no operator'],
  ])('%j is rejected', (text, message) => {
    expect(() => parseFilter(text)).toThrow(expect.objectContaining({ name: 'FilterSyntax', message }));
  });

  test('an unknown operator sign is reported with a word to try', () => {
    expect(() => parseFilter('visits<=3')).toThrow(
      expect.objectContaining({
        hint: "if your gateway supports it, pass 'visits:less_than_or_equal:3'",
      }),
    );
    expect(() => parseFilter('a==b')).toThrow(expect.objectContaining({ hint: 'pass a=b' }));
  });

  test('a printed filter reads as the same one', () => {
    const column = fc.stringMatching(/^[a-z_][a-z0-9_.-]{0,12}$/);
    const operator = fc.oneof(
      fc.constantFrom('in', 'greater_than', 'greater_than_or_equal'),
      fc.stringMatching(/^[a-z][a-z_]{0,12}$/),
    );
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string(),
      fc.stringMatching(/^[",=\\ :>]{0,6}$/),
    );
    const value = text.map(text => ({ text, quoted: true }));
    const filters = fc
      .record({ column, operator, values: fc.array(value, { minLength: 1, maxLength: 4 }) })
      .map(filter =>
        filter.operator.startsWith('greater') ? { ...filter, values: filter.values.slice(0, 1) } : filter,
      );
    fc.assert(
      fc.property(filters, filter => {
        expect(parseFilter(printFilter(filter))).toEqual(filter);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('any text is either rejected or read, and what is read prints as the same filter', () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^[ab ]{0,3}[:=<>!]{0,2}[ab,":=> \\]{0,10}$/));
    fc.assert(
      fc.property(texts, text => {
        let filter: FilterExpression;
        try {
          filter = parseFilter(text);
        } catch (error) {
          expect(error).toBeInstanceOf(FilterSyntax);
          return;
        }
        expect(parseFilter(printFilter(filter))).toEqual(filter);
      }),
      { numRuns: runs(2000) },
    );
  });
});

describe('whether a column’s type has to be known', () => {
  test.each([
    ['id=123', true],
    ['flag=true', true],
    ['id:contains:123', true],
    ['visits>123', false],
    ['visits>=1.5', false],
    ['country=DE', false],
    ['title="123"', false],
  ])('%s: %s', (text, expected) => {
    expect(needsColumnType(parseFilter(text))).toBe(expected);
  });
});
