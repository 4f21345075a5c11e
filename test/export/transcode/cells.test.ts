import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { transcode } from './transcode.ts';

/** What one JSON value becomes as the first cell of a row whose second cell is 1. */
function cell(json: string, options: Parameters<typeof transcode>[1]): string {
  const { text } = transcode(`{"rows":[{"v":${json},"n":1}]}`, { columns: ['v', 'n'], ...options });
  const lines = /^\ufeff?v[,\t]n\r?\n(.*)[,\t]1\r?\n$/s.exec(text);
  return lines?.[1] ?? `unexpected: ${text}`;
}

describe('a csv cell', () => {
  test.each([
    ['a number is copied digit for digit', '12345678901234567890', '12345678901234567890'],
    ['a long fraction is not rounded', '0.12345678901234567890123', '0.12345678901234567890123'],
    ['an exponent keeps its form', '1.0E+3', '1.0E+3'],
    ['a negative zero stays negative', '-0', '-0'],
    ['a number too large for a double stays itself', '1e400', '1e400'],
    ['true is a word', 'true', 'true'],
    ['false is a word', 'false', 'false'],
    ['null is an empty cell', 'null', ''],
    ['an empty string is a quoted empty cell', '""', '""'],
    ['plain text stands as it is', '"two words"', 'two words'],
    ['a comma requires quotes', '"a,b"', '"a,b"'],
    ['a quote is doubled', '"say \\"hi\\""', '"say ""hi"""'],
    ['a newline is kept within quotes', '"a\\nb"', '"a\nb"'],
    ['a carriage return is kept within quotes', '"a\\rb"', '"a\rb"'],
    ['a leading space requires quotes', '" a"', '" a"'],
    ['a trailing space requires quotes', '"a "', '"a "'],
    ['an escaped leading tab requires quotes', '"\\ta"', '"\ta"'],
    ['a tab within text does not', '"a\\tb"', 'a\tb'],
    ['escapes are resolved', '"\\/\\\\\\b\\f\\u0041\\u00e9\\u6F22"', '/\\\b\fAé漢'],
    ['a surrogate pair becomes one character', '"\\ud83D\\uDe00"', '😀'],
    ['a lone high surrogate becomes U+FFFD', '"a\\ud83db"', 'a\ufffdb'],
    ['a lone low surrogate becomes U+FFFD', '"\\ude00"', '\ufffd'],
    [
      'a high surrogate before another escape becomes U+FFFD',
      '"\\ud83d\\n\\ud83d\\ud83d\\ude00"',
      '"\ufffd\n\ufffd😀"',
    ],
    ['text beyond ASCII is copied', '"漢字 😀 é"', '漢字 😀 é'],
    ['NUL and control characters are unchanged', '"a\\u0000\\u001bb"', 'a\0\u001bb'],
    ['an escaped comma requires quotes too', '"a\\u002cb"', '"a,b"'],
    ['an object is JSON text without white space', '{ "a" : [ 1.0 , "b c" ] }', '"{""a"":[1.0,""b c""]}"'],
    ['a list keeps its digits and escapes', '[1E2,"\\u00e9"]', '"[1E2,""\\u00e9""]"'],
    ['an empty list needs no quotes', '[ ]', '[]'],
    ['text like a formula is left alone', '"=1+1"', '=1+1'],
  ])('%s', (_, json, expected) => {
    expect(cell(json, {})).toBe(expected);
  });

  test('a row whose only cell is empty is not an empty line, which readers skip', () => {
    const { text } = transcode('{"rows":[{"a":null},{"a":""},{},{"a":1}]}', { columns: ['a'] });
    expect(text).toBe('a\n""\n""\n""\n1\n');
  });

  test('column names are quoted like any cell', () => {
    const { text } = transcode('{"rows":[{"a,b":1,"say \\"x\\"":2}]}', { columns: ['a,b', 'say "x"'] });
    expect(text).toBe('"a,b","say ""x"""\n1,2\n');
  });
});

describe('a csv cell for spreadsheets', () => {
  test.each([
    ['text that begins with =', '"=1+1"', "'=1+1"],
    ['text that begins with +', '"+A1"', "'+A1"],
    ['a formula behind blanks', '" \\u0020=1"', "'  =1"],
    ['text that begins with -', '"-1-1"', "'-1-1"],
    ['text that begins with @', '"@SUM(A1,A2)"', '"\'@SUM(A1,A2)"'],
    ['text that begins with a tab', '"\\t=1"', "'\t=1"],
    ['text that begins with a carriage return', '"\\r=1"', '"\'\r=1"'],
    ['text that begins with a line feed', '"\\n=1"', '"\'\n=1"'],
    ['a formula written with an escape', '"\\u003d1"', "'=1"],
    ['a formula written full-width', '"＝1"', "'＝1"],
    ['a quoted formula', '"=\\"x\\""', '"\'=""x"""'],
  ])('%s gets an apostrophe', (_, json, expected) => {
    expect(cell(json, { dialect: 'excel' })).toBe(expected);
  });

  test.each([
    ['a negative number', '-1.50', '-1.50'],
    ['a number in quotes', '"-1.50"', '-1.50'],
    ['text with = inside', '"a=b"', 'a=b'],
    ['other full-width text', '"ａ"', 'ａ'],
    ['the empty string', '""', '""'],
    ['null', 'null', ''],
  ])('%s does not change', (_, json, expected) => {
    expect(cell(json, { dialect: 'excel' })).toBe(expected);
  });

  test('the file has a byte order mark, CRLF, and harmless column names', () => {
    const { text } = transcode('[{"=a":1}]', { dialect: 'excel' });
    expect(text).toBe("\ufeff'=a\r\n1\r\n");
  });
});

describe('a tsv cell', () => {
  test.each([
    ['numbers are copied', '-1.0E+3', '-1.0E+3'],
    ['null is empty', 'null', ''],
    ['the empty string is empty', '""', ''],
    ['nothing is quoted', '"a, \\"b\\" "', 'a, "b" '],
    ['a tab, a newline, a carriage return and a backslash are escaped', '"\\t\\n\\r\\\\"', '\\t\\n\\r\\\\'],
    ['other escapes are resolved', '"\\u00e9\\/\\ud83d\\ude00\\b"', 'é/😀\b'],
    ['an object is JSON text', '{ "a" : "b\\tc" }', '{"a":"b\\\\tc"}'],
  ])('%s', (_, json, expected) => {
    expect(cell(json, { format: 'tsv' })).toBe(expected);
  });
});

test('a third-party csv reader returns the same cells', () => {
  const cells = [
    '12345678901234567890',
    'a "quoted" word',
    ' blanks ',
    'line\r\nline',
    'comma, tab\t',
    '😀',
    '',
  ];
  const row = Object.fromEntries(cells.map((text, index) => [`c${index}`, text]));
  const { text } = transcode(JSON.stringify({ rows: [row, row] }));
  expect(parse(text)).toEqual([Object.keys(row), cells, cells]);
});
