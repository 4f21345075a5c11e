import fc from 'fast-check';
import { expect, test } from 'vitest';
import { valueName } from '../../src/output/value-name.ts';
import { printable } from '../../src/text/printable.ts';
import { runs } from '../support/runs.ts';

test.each([
  [null, '(none)'],
  ['(none)', '"(none)"'],
  ['', '""'],
  [' ', '" "'],
  ['DE', 'DE'],
  ['New York', 'New York'],
  ['Zürich', 'Zürich'],
  ['DE ', '"DE "'],
  [' DE', '" DE"'],
  ['DE  ', String.raw`"DE\u0020 "`],
  ['DE\u00a0', String.raw`"DE\u00a0"`],
  ['DE\u200b', String.raw`"DE\u200b"`],
  ['DE\t', String.raw`"DE\t"`],
  ['New\u00a0York', String.raw`"New\u00a0York"`],
  ['Zu\u0308rich', String.raw`"Zu\u0308rich"`],
  ['ẹ\u0301', 'ẹ\u0301'],
  ['"DE "', String.raw`"\"DE \""`],
  ['null', 'null'],
  ['👩‍💻 می‌خواهم', '👩‍💻 می‌خواهم'],
])('the value %j is named %s', (value, name) => {
  expect(valueName(value)).toBe(name);
});

test('different values look different, also where white space is collapsed and ends are trimmed', () => {
  const piece = fc.constantFrom(
    'DE',
    'x',
    'u',
    ' ',
    ' ',
    '\u00a0',
    '\u200b',
    '\t',
    '\n',
    '"',
    '\\',
    '\\u200b',
    '\u0308',
    '\u2009',
  );
  const text = fc.array(piece, { maxLength: 5 }).map(pieces => pieces.join(''));
  const seen = (value: string) => printable(valueName(value)).replaceAll(/\s+/g, ' ').trim().normalize('NFC');
  fc.assert(
    fc.property(text, text, (one, other) => {
      fc.pre(one !== other);
      expect(seen(one)).not.toBe(seen(other));
    }),
    { numRuns: runs(2000) },
  );
});
