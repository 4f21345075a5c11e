import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countValues,
  digitsOf,
  fieldOf,
  InvalidJsonError,
  integerOf,
  isJsonNumber,
  isList,
  isNumberText,
  isRecord,
  jsonIn,
  jsonNumber,
  MAX_DEPTH,
  parseJson,
  stringifyJson,
  textOf,
  tryParseJson,
  withDoubles,
} from '../../src/json/index.ts';

function broken(text: string): InvalidJsonError {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof InvalidJsonError) return error;
    throw error;
  }
  throw new Error('the text was read');
}

const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,40}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,40}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?\d{1,5}$/)),
  )
  .map(parts => parts.join(''));

describe('numbers', () => {
  test('every number is written with the digits that were read', () => {
    fc.assert(
      fc.property(fc.array(numberText), numbers => {
        const text = `{"rows":[${numbers.join(',')}]}`;
        expect(stringifyJson(parseJson(text))).toBe(text);
      }),
    );
  });

  test('a number that a double would round or lose keeps its text', () => {
    const text = '[12345678901234567890,1e400,1.10,-0,0.1000000000000000055511151231257827]';
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  test('an integer is one only while a double holds it exactly', () => {
    expect(integerOf(jsonNumber('1e3'))).toBe(1000);
    expect(integerOf(jsonNumber('5.0'))).toBe(5);
    expect(integerOf(7)).toBe(7);
    expect(integerOf(jsonNumber('9007199254740993'))).toBeUndefined();
    expect(integerOf(jsonNumber('1.5'))).toBeUndefined();
    expect(integerOf('5')).toBeUndefined();
  });

  test('a number is not a record, although it is an object', () => {
    expect(isRecord(parseJson('1'))).toBe(false);
    expect(isRecord(parseJson('{"value":"1","isLosslessNumber":true}'))).toBe(true);
  });

  test('a value is a record, a list or a number, and only one of them', () => {
    const kinds = (value: unknown) => [isRecord(value), isList(value), isJsonNumber(value)];
    expect(kinds({})).toEqual([true, false, false]);
    expect(kinds([])).toEqual([false, true, false]);
    expect(kinds(1)).toEqual([false, false, true]);
    expect(kinds(parseJson('1'))).toEqual([false, false, true]);
    for (const other of [null, undefined, 'text', true]) expect(kinds(other)).toEqual([false, false, false]);
  });

  test('a text is a JSON number only as a whole', () => {
    for (const text of ['0', '-0.50', '12e+3', '1.5E-7']) expect(isNumberText(text)).toBe(true);
    for (const text of ['', '01', '+1', '.5', '1.', '1e', ' 1', '1 ', 'NaN'])
      expect(isNumberText(text)).toBe(false);
  });

  test('for readers of doubles, a number that would lose digits is a string', () => {
    const text = '{"a":[1,0.5,12345678901234567890],"b":null,"c":"x","d":true,"e":0,"f":""}';
    expect(withDoubles(parseJson(text))).toEqual({
      a: [1, 0.5, '12345678901234567890'],
      ...{ b: null, c: 'x', d: true, e: 0, f: '' },
    });
    expect(withDoubles({ a: undefined, b: 7 })).toEqual({ a: undefined, b: 7 });
  });

  test('digits that are not a JSON number are rejected', () => {
    expect(() => jsonNumber('1,000')).toThrow('Invalid number');
    expect(digitsOf(jsonNumber('1.50'))).toBe('1.50');
  });
});

describe('reading', () => {
  test('whatever JSON.stringify writes is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = JSON.stringify(value);
        expect(JSON.parse(stringifyJson(parseJson(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('whatever the text is, it is read or named as broken', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ',',
      ':',
      '\\',
      'tru',
      '1',
      '-',
      ' ',
      '\n',
      '\u0000',
      'ü',
    );
    fc.assert(
      fc.property(
        fc.array(pieces).map(list => list.join('')),
        text => {
          let valid = true;
          try {
            JSON.parse(text);
          } catch {
            valid = false;
          }
          if (valid) parseJson(text);
          else expect(broken(text).position.offset).toBeLessThanOrEqual(text.length);
        },
      ),
    );
  });

  test.each([
    ['', 'empty', 'the text is empty', 0],
    [' \n', 'empty', 'the text is empty', 0],
    ['{"rows":[{"a":1},', 'truncated', 'the text ends too early', 17],
    ['{"rows":[tru', 'truncated', 'the text ends too early', 12],
    ['["half \\u00', 'truncated', 'the text ends too early', 11],
    ['<html>', 'syntax', 'a value is missing', 0],
    ['[NaN]', 'syntax', 'a value is missing', 1],
    ['[1 2]', 'syntax', 'a comma is missing between two values', 3],
    ['{"a" 1}', 'syntax', 'a colon is missing after a key', 5],
    ['{a:1}', 'syntax', 'a key in double quotes is missing', 1],
    ['{} {}', 'syntax', 'more text follows the end of the value', 3],
    ['[1.]', 'syntax', 'a number lacks digits', 3],
    ['["\\x"]', 'syntax', 'a string has a bad escape', 2],
    ['["\u001b"]', 'syntax', 'a string has a raw control character', 2],
  ])('%j is %s: %s', (text, reason, message, position) => {
    const error = broken(text);
    expect([error.reason, error.message, error.position.offset]).toEqual([reason, message, position]);
  });

  test('a broken file is pointed at by line and column', () => {
    expect(broken('{\n  "a": 1,\n  b: 2\n}').position).toEqual({ offset: 14, line: 3, column: 3 });
  });

  test('a key with two different values is an error that names it in printable form', () => {
    const error = broken('{"decision":"allowed","decision":"denied"}');
    expect([error.reason, error.message]).toEqual(['duplicate-key', 'the key "decision" occurs twice']);
    expect(broken('{"\\u009b":1,"\\u009b":2}').message).toBe('the key "\\u009b" occurs twice');
  });

  test('a key repeated with the same value changes nothing', () => {
    expect(stringifyJson(parseJson('{"a":[1],"a":[1]}'))).toBe('{"a":[1]}');
  });

  test('nesting of any depth ends in an error, never in an overflow of the stack', () => {
    expect(broken('['.repeat(2_000_000)).reason).toBe('too-deep');
    expect(broken('{"a":'.repeat(100_000)).reason).toBe('too-deep');
    const deepest = '['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH);
    expect(stringifyJson(parseJson(deepest))).toBe(deepest);
    expect(broken(`[${deepest}]`).message).toBe('nested more than 500 levels deep');
  });

  test('only open brackets are levels', () => {
    for (const closed of ['[]', '{}', '[{"a":[]}]'])
      expect(() => parseJson(`[${Array(MAX_DEPTH + 1).fill(closed)}]`)).not.toThrow();
  });

  test.each([
    ['[]', 2],
    ['{}', 2],
    ['[1,2]', 3],
    ['{"a":1,"b":{"c":[]}}', 5],
    ['["a,b[{","\\",[",1]', 4],
  ])('%s counts as %d values', (text, count) => {
    expect(countValues(text)).toBe(count);
    expect(() => parseJson(text, count)).not.toThrow();
    expect(() => parseJson(text, count - 1)).toThrow(`more than ${count - 1} values`);
  });

  test('a text that is no JSON is undefined, or an error that names it', () => {
    expect(tryParseJson('["a"]')).toEqual(['a']);
    expect(tryParseJson('["a"')).toBeUndefined();
    expect(jsonIn('["a"]', '--body')).toEqual(['a']);
    expect(() => jsonIn('{\n "a" 1}', '--body')).toThrow(
      '--body is not JSON: a colon is missing after a key (line 2, column 6)',
    );
  });

  test('brackets inside of strings are not nesting', () => {
    const text = JSON.stringify(`\\"${'['.repeat(1000)}`);
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  test('a byte order mark is skipped', () => {
    expect(parseJson('\ufeff["a"]')).toEqual(['a']);
  });

  test('a field named like an inherited one is a field, and its absence is seen', () => {
    const text = '{"__proto__":{"a":true},"constructor":"x"}';
    const value = parseJson(text);
    expect(stringifyJson(value)).toBe(text);
    expect(isRecord(value) && fieldOf(value, 'constructor')).toBe('x');
    expect(fieldOf({}, 'constructor')).toBeUndefined();
  });
});

describe('writing', () => {
  test('characters that drive a terminal are escaped, and mean the same', () => {
    const value = 'a\u001b\u007f\u009b\u202e\u2066\u200b\ufeff\ud800é😀';
    const text = stringifyJson(value);
    expect(text).toBe('"a\\u001b\\u007f\\u009b\\u202e\\u2066\\u200b\\ufeff\\ud800é😀"');
    expect(JSON.parse(text)).toBe(value);
  });

  test('an indented document has its fields on lines, and omits undefined ones', () => {
    expect(stringifyJson({ a: jsonNumber('1.0'), b: undefined, c: [] }, 2)).toBe(
      '{\n  "a": 1.0,\n  "c": []\n}',
    );
  });

  test('a cell holds bare strings and digits, nothing for null, JSON for what is nested', () => {
    expect(textOf('a "b"')).toBe('a "b"');
    expect(textOf(jsonNumber('1.10'))).toBe('1.10');
    expect(textOf(5)).toBe('5');
    expect(textOf(false)).toBe('false');
    expect(textOf(null)).toBe('');
    expect(textOf(undefined)).toBe('');
    expect(textOf({ a: [jsonNumber('1.0')] })).toBe('{"a":[1.0]}');
  });
});
