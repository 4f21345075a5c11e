import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold } from '../../src/terminal/fold.ts';

describe('a line of prose', () => {
  test('that fits, or has no terminal, does not change', () => {
    expect(fold('warning: a  b', 13)).toBe('warning: a  b');
    expect(fold('warning: a  b', undefined)).toBe('warning: a  b');
  });

  test('breaks at blanks, and continues below its beginning', () => {
    expect(fold('  type --domain DOMAIN, or set it', 20)).toBe('  type --domain\n    DOMAIN, or set\n    it');
  });

  test('keeps a long word on one line, to be copied', () => {
    expect(fold('see https://example.com/a/long/address now', 12)).toBe(
      'see\n  https://example.com/a/long/address\n  now',
    );
  });

  test('counts colours as nothing and wide letters as two', () => {
    expect(fold('\u001b[1merror:\u001b[22m no', 9)).toBe('\u001b[1merror:\u001b[22m no');
    expect(fold('日本 語', 6)).toBe('日本\n  語');
  });

  test('of any kind keeps its words, and no line is wider but for one word', () => {
    const word = fc.stringMatching(/^[a-z-]{1,15}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 8, max: 60 }), (words, width) => {
        const lines = fold(words.join(' '), width).split('\n');
        expect(lines.flatMap(line => line.trim().split(' '))).toEqual(words);
        for (const line of lines) if (line.length > width) expect(line.trim()).not.toContain(' ');
      }),
    );
  });
});
