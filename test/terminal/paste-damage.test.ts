import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutPasteDamage } from '../../src/terminal/paste-damage.ts';

describe('a pasted value', () => {
  test.each([
    [
      '“active@example.com”',
      'active@example.com',
      ['U+201C (left double quotation mark)', 'U+201D (right double quotation mark)'],
    ],
    ['<https://example.com/a>', 'https://example.com/a', ['<', '>']],
    ['active@example.com\u200b', 'active@example.com', ['U+200B (zero width space)']],
    ['\ufeffexample.com', 'example.com', ['U+FEFF (byte order mark)']],
    ['"premium"', 'premium', ['"']],
    [
      '\u00a0\u201e<premium>\u201c ',
      'premium',
      [
        'U+00A0 (no-break space)',
        'U+201E (low double quotation mark)',
        'U+201C (left double quotation mark)',
        '<',
        '>',
      ],
    ],
    [' plain ', 'plain', []],
    ['"a b"@example.com', '"a b"@example.com', []],
    ["o'neil@example.com'", "o'neil@example.com'", []],
    ['https://example.com/نامه\u200cای', 'https://example.com/نامه\u200cای', []],
    ['https://example.com/👩\u200d🚀', 'https://example.com/👩\u200d🚀', []],
  ])('%j is %j', (text, value, removed) => {
    expect(withoutPasteDamage(text)).toEqual({ value, removed });
  });

  test.each([
    ['act\u200bive@example.com', 'contains U+200B (zero width space) at character 4'],
    ['<ä\u00a0b>', 'contains U+00A0 (no-break space) at character 2'],
    ['a”b', 'contains U+201D (right double quotation mark) at character 2'],
    ['a\u202eb', 'contains U+202E (right-to-left override) at character 2'],
  ])('%j is rejected', (text, problem) => {
    expect(withoutPasteDamage(text)).toEqual({ problem });
  });

  test('that is repaired needs no repair any more', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const once = withoutPasteDamage(text);
        if ('value' in once)
          expect(withoutPasteDamage(once.value)).toEqual({ value: once.value, removed: [] });
      }),
    );
  });
});
