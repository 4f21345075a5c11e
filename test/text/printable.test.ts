import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printable, printableBlock } from '../../src/text/printable.ts';
import { runs } from '../support/runs.ts';

const DANGEROUS =
  /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u2028\u2029\ufeff]/;

/** Strings that are mostly what an attacker would send. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0x9f }).map(code => String.fromCharCode(code)),
    fc.integer({ min: 0x2000, max: 0x206f }).map(code => String.fromCharCode(code)),
    fc.integer({ min: 0xd800, max: 0xdfff }).map(code => String.fromCharCode(code)),
    fc.constantFrom(
      '\u200d',
      '\ufe0f',
      '👩',
      '🏽',
      '🇩',
      '🏴',
      '\u{e0067}',
      '\u{e007f}',
      'e',
      '\u0301',
      '\ufeff',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
});

describe('text from outside', () => {
  test('never holds a character that a terminal acts on', () => {
    fc.assert(
      fc.property(hostile, text => {
        const shown = printable(text);
        expect(shown).not.toMatch(DANGEROUS);
        expect(shown.isWellFormed()).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('made printable once more stays the same', () => {
    fc.assert(
      fc.property(hostile, text => {
        const shown = printable(text);
        expect(printable(shown)).toBe(shown);
      }),
    );
  });

  test.each([
    ['\u001b[2J\u001b]0;title\u0007', '\\x1b[2J\\x1b]0;title\\x07'],
    ['a\tb\r\nc\u0000', 'a\\tb\\r\\nc\\x00'],
    ['\u007f\u0085\u009b31m', '\\x7f\\x85\\x9b31m'],
    ['user\u202egpj.exe', 'user\\u202egpj.exe'],
    ['\u2066a\u2069', '\\u2066a\\u2069'],
    ['pay\u200bpal\u200e\u2060\ufeff', 'pay\\u200bpal\\u200e\\u2060\\ufeff'],
    ['a\u200db', 'a\\u200db'],
    ['\ud800x\udc00', '\\ud800x\\udc00'],
    ['line\u2028end', 'line\\u2028end'],
    ['hidden\u{e0041}', 'hidden\\u{e0041}'],
    ['soft\u00adhyphen', 'soft\\xadhyphen'],
  ])('%j is shown as %s', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test.each([
    'plain text, ~!',
    'Zoë Ångström e\u0301',
    '日本語 한국어 ไทย',
    '😀 ❤️ ❤︎ 👍🏽 🇩🇪 1️⃣',
    '👨‍👩‍👧‍👦 🏳️‍🌈 👩🏽‍🚀 🐻‍❄️',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    'می\u200cخواهم',
    'क्\u200dष',
    '葛\u{e0100}',
    'no\u00a0break',
  ])('%j does not change', text => {
    expect(printable(text)).toBe(text);
  });

  test('a literal backslash is not doubled, so that paths stay readable', () => {
    expect(printable('C:\\temp\\x1b')).toBe('C:\\temp\\x1b');
  });

  test('in a text of several lines its line breaks and tabs stay, a lone CR does not', () => {
    expect(printableBlock('a\tb\r\nc\nd\re\u001b')).toBe('a\tb\r\nc\nd\\re\\x1b');
  });
});
