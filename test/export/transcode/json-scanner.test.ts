import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  JsonScanner,
  MAX_DEPTH,
  MalformedResponseError,
} from '../../../src/export/transcode/json-scanner.ts';
import { runs } from '../../support/runs.ts';

/** The fault of a text, as "reason @ offset"; undefined when it is JSON. */
function faultOf(text: string | Uint8Array): string | undefined {
  const scanner = new JsonScanner();
  try {
    for (const byte of Buffer.from(text)) scanner.step(byte);
    scanner.end();
    return undefined;
  } catch (error) {
    if (error instanceof MalformedResponseError) return `${error.problem} @ ${error.offset}`;
    throw error;
  }
}

describe('a JSON text is accepted', () => {
  test.each([
    'null',
    ' true ',
    'false',
    '0',
    '-0',
    '-0.0e-0',
    '1.0E+3',
    '12345678901234567890',
    '0.12345678901234567890123',
    '""',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\uD83D\\ude00\\ud800"',
    '"\u007f é 漢 😀 \u{10ffff}"',
    '[]',
    '[ ]',
    '{}',
    '{ }',
    '[1 ,\t[2,\n[]]\r, {"a" : {"":[]}}]',
    '{"a":1,"a":2}',
    '\ufeff{"a":1}',
    '\ufeff [1]',
    `${'['.repeat(MAX_DEPTH)}${']'.repeat(MAX_DEPTH)}`,
  ])('%s', text => {
    expect(faultOf(text)).toBeUndefined();
  });
});

test('a byte order mark is three bytes', () => {
  expect(faultOf(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31))).toBeUndefined();
  expect(faultOf(Uint8Array.of(0xef, 0xbf, 0xbf, 0x31))).toBe('a value was expected @ 1');
  expect(faultOf(Uint8Array.of(0xef, 0xbb, 0xbb, 0x31))).toBe('a value was expected @ 2');
});

test('what may follow is known after each byte', () => {
  const scanner = new JsonScanner();
  const text = '[{"a":1,"b":[ ]}]';
  let seen = '';
  for (const byte of Buffer.from(text)) {
    expect(scanner.isComplete).toBe(false);
    seen += scanner.expectsValue ? 'v' : scanner.expectsName ? 'n' : '.';
    scanner.step(byte);
  }
  expect(seen).toBe('.vn...v.n...vvv..');
  expect([scanner.offset, scanner.depth, scanner.isComplete]).toEqual([text.length, 0, true]);
});

describe('a text that is not JSON is rejected at its first wrong byte', () => {
  test.each([
    ['', 'it is empty @ 0'],
    ['  ', 'it is empty @ 2'],
    ['\ufeff', 'it is cut before its end @ 3'],
    ['<html>', 'a value was expected @ 0'],
    [' \ufeff1', 'a value was expected @ 1'],
    ['01', 'a number with a leading zero @ 1'],
    ['-01', 'a number with a leading zero @ 2'],
    ['[1.]', 'a decimal point without digits after it @ 3'],
    ['[.5]', 'a value was expected @ 1'],
    ['[+1]', 'a value was expected @ 1'],
    ['[-]', 'a minus without a number @ 2'],
    ['[-a]', 'a minus without a number @ 2'],
    ['[1e]', 'an exponent without digits @ 3'],
    ['[1e+]', 'an exponent without digits @ 4'],
    ['[1.5.2]', 'a comma or ] was expected @ 4'],
    ['[1x]', 'a comma or ] was expected @ 2'],
    ['[0x10]', 'a comma or ] was expected @ 2'],
    ['[NaN]', 'a value was expected @ 1'],
    ['[-Infinity]', 'a minus without a number @ 2'],
    ['[nul]', 'a word other than true, false and null @ 4'],
    ['[True]', 'a value was expected @ 1'],
    ['[1,]', 'a value was expected @ 3'],
    ['[,1]', 'a value was expected @ 1'],
    ['[1 2]', 'a comma or ] was expected @ 3'],
    ['[1}', 'a comma or ] was expected @ 2'],
    ['{"a":1]', 'a comma or } was expected @ 6'],
    ['{"a":1,}', 'a name in quotes was expected @ 7'],
    ['{,}', 'a name in quotes was expected @ 1'],
    ['{a:1}', 'a name in quotes was expected @ 1'],
    ["{'a':1}", 'a name in quotes was expected @ 1'],
    ['{"a" 1}', 'a colon was expected @ 5'],
    ['{"a"}', 'a colon was expected @ 4'],
    ['{"a":}', 'a value was expected @ 5'],
    ['["\\x"]', 'an escape that JSON does not have @ 3'],
    ['["\\u12g4"]', '\\u without four hexadecimal digits @ 6'],
    ['["\n"]', 'a control character within a string @ 2'],
    ['["\u0000"]', 'a control character within a string @ 2'],
    ['[1]\u00a0', 'unexpected data after the end of the response @ 3'],
    ['[1]]', 'unexpected data after the end of the response @ 3'],
    ['1 2', 'unexpected data after the end of the response @ 2'],
    ['1,', 'unexpected data after the end of the response @ 1'],
    ['{}{}', 'unexpected data after the end of the response @ 2'],
    ['[1] // note', 'unexpected data after the end of the response @ 4'],
    ['[1', 'it is cut before its end @ 2'],
    ['"abc', 'it is cut before its end @ 4'],
    ['-', 'it is cut before its end @ 1'],
    ['1e', 'it is cut before its end @ 2'],
    ['tru', 'it is cut before its end @ 3'],
    ['['.repeat(100_000), `nested more than ${MAX_DEPTH} levels deep @ ${MAX_DEPTH}`],
    ['{"a":'.repeat(100_000), `nested more than ${MAX_DEPTH} levels deep @ ${MAX_DEPTH * 5}`],
  ])('%s', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });

  test.each([
    ['a lone continuation byte', [0x80], 2],
    ['an overlong slash', [0xc0, 0xaf], 2],
    ['an overlong three-byte form', [0xe0, 0x9f, 0xbf], 3],
    ['an encoded surrogate', [0xed, 0xa0, 0x80], 3],
    ['an overlong four-byte form', [0xf0, 0x8f, 0xbf, 0xbf], 3],
    ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80], 3],
    ['a byte that UTF-8 never has', [0xff], 2],
    ['a sequence that ends too soon', [0xe6, 0xbc, 0x22], 4],
  ])('%s', (_, bytes, offset) => {
    const text = Buffer.from([0x5b, 0x22, ...bytes, 0x22, 0x5d]);
    expect(faultOf(text)).toBe(`a string is not valid UTF-8 @ ${offset}`);
  });
});

test('it agrees with JSON.parse on texts made of the pieces of JSON', () => {
  const pieces = '[ ] { } , : " \\ / 0 1 9 - + . e E n null true fals u 12aF é \n \t'.split(' ');
  const texts = fc.array(fc.constantFrom(...pieces, '"a"', '"a":', '1', '[]'), { maxLength: 12 });
  fc.assert(
    fc.property(texts, parts => {
      const text = parts.join('');
      expect(faultOf(text) === undefined).toBe(parses(text));
    }),
    { numRuns: runs(5000) },
  );
});

test('it agrees with JSON.parse on JSON with one character changed, inserted or omitted', () => {
  const changes = fc.tuple(
    fc.json({ maxDepth: 4 }),
    fc.nat(),
    fc.constantFrom(0, 1),
    fc.constantFrom('', ...'[]{},:"\\0-.e \u0001x'),
  );
  fc.assert(
    fc.property(changes, ([json, position, removed, put]) => {
      const at = position % json.length;
      const text = json.slice(0, at) + put + json.slice(at + removed);
      expect(faultOf(text) === undefined).toBe(parses(text));
    }),
    { numRuns: runs(3000) },
  );
});

test('it agrees with the platform on which bytes are UTF-8', () => {
  const bytes = fc.array(
    fc.constantFrom(0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1),
    {
      maxLength: 6,
    },
  );
  const leads = fc.array(fc.constantFrom(0x41, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5), {
    maxLength: 2,
  });
  fc.assert(
    fc.property(leads, bytes, leads, bytes, (a, b, c, d) => {
      const text = Uint8Array.from([0x22, ...a, ...b, ...c, ...d, 0x22]);
      expect(faultOf(text) === undefined).toBe(isUtf8(text));
    }),
    { numRuns: runs(5000) },
  );
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
