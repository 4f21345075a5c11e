import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { displayWidth, padEnd, padStart, shortenedMiddle, truncate, wrap } from '../../src/terminal/width.ts';
import { printable } from '../../src/text/printable.ts';

const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(
        '日',
        '한',
        'ｱ',
        '😀',
        '👨‍👩‍👧‍👦',
        '🇩🇪',
        '👍🏽',
        'e\u0301',
        'ก',
        ' ',
        '  ',
        'word',
        '–',
      ),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
    ),
  })
  .map(printable);

const characters = new Intl.Segmenter('en');

describe('display width', () => {
  test.each([
    ['abc', 3],
    ['日本語', 6],
    ['e\u0301', 1],
    ['😀', 2],
    ['👨‍👩‍👧‍👦', 2],
    ['🇩🇪', 2],
    ['👍🏽', 2],
    ['🫩', 2],
    ['\u001b[1mabc\u001b[22m', 3],
  ])('%j is %i columns wide', (value, width) => {
    expect(displayWidth(value)).toBe(width);
  });
});

test('characters of one column are measured as the slower way measures them', () => {
  const characters = Array.from({ length: 0x2100 - 0x20 }, (_, index) => String.fromCharCode(index + 0x20));
  const differing = characters.filter(character => displayWidth(character) !== stringWidth(character));
  expect(differing).toEqual([]);
});

describe('padding', () => {
  test('a cell has exactly the requested width, on either side', () => {
    fc.assert(
      fc.property(text, fc.nat(40), (value, extra) => {
        const width = displayWidth(value) + extra;
        expect(displayWidth(padEnd(value, width))).toBe(width);
        expect(displayWidth(padStart(value, width))).toBe(width);
        expect(padStart(value, width).endsWith(value)).toBe(true);
      }),
    );
  });

  test('a text that is too wide is not changed', () => {
    expect(padEnd('abcdef', 3)).toBe('abcdef');
  });
});

describe('cutting', () => {
  test('truncated text fits, and text that fits is not truncated', () => {
    fc.assert(
      fc.property(text, fc.nat(30), (value, width) => {
        const short = truncate(value, width);
        expect(displayWidth(short)).toBeLessThanOrEqual(width);
        if (displayWidth(value) <= width) expect(short).toBe(value);
        else if (width > 1) expect(short.endsWith('…')).toBe(true);
      }),
    );
  });

  test('a family or an accent is not split', () => {
    expect(truncate('a👨‍👩‍👧‍👦b', 3)).toBe('a…');
    expect(truncate('a👨‍👩‍👧‍👦bc', 4)).toBe('a👨‍👩‍👧‍👦…');
    expect(truncate('cafe\u0301 bar', 5)).toBe('cafe\u0301…');
  });

  test('where only ASCII can be shown the mark is three dots', () => {
    expect(truncate('abcdefgh', 6, '...')).toBe('abc...');
    expect(truncate('abcdefgh', 3, '...')).toBe('abc');
  });
});

describe('wrapping', () => {
  test('no line exceeds the width unless one character does, and no letter is lost', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (value, width) => {
        const lines = wrap(value, width);
        for (const line of lines) {
          if ([...characters.segment(line)].length > 1) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        }
        expect(lines.join('').replaceAll(' ', '')).toBe(value.replaceAll(' ', ''));
      }),
    );
  });

  test('lines break at blanks, and inside a word that is too long', () => {
    expect(wrap('the reader may read this', 10)).toEqual(['the reader', 'may read', 'this']);
    expect(wrap('see https://example.com/a', 10)).toEqual(['see', 'https://ex', 'ample.com/', 'a']);
    expect(wrap('one\n\ntwo', 10)).toEqual(['one', '', 'two']);
    expect(wrap('日本', 1)).toEqual(['日', '本']);
  });
});

test('the middle of a text is removed, never a part of a character', () => {
  expect(shortenedMiddle('https://example.com/news/a.html', 15)).toBe('https:/…/a.html');
  expect(shortenedMiddle('日本語のページ', 9)).toBe('日本…ージ');
  expect(shortenedMiddle('short', 9)).toBe('short');
  fc.assert(
    fc.property(text, fc.integer({ min: 4, max: 40 }), (value, width) => {
      expect(displayWidth(shortenedMiddle(value, width))).toBeLessThanOrEqual(width);
    }),
  );
});
