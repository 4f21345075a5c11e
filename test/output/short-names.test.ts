import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shortNames } from '../../src/output/short-names.ts';
import { displayWidth } from '../../src/terminal/width.ts';
import { runs } from '../support/runs.ts';

const SECTIONS = `https://www.example.com/${'section/'.repeat(12)}`;

describe('shortened names of a list', () => {
  test('of different texts are different, and no wider than they may be', () => {
    const parts = fc.array(
      fc.constantFrom('a', 'b', '/', '-', 'é', '日', '👩‍👩‍👧', '…', ' (2)', 'aaaaaaaaaaaaaaaa'),
      {
        maxLength: 40,
      },
    );
    const text = fc
      .tuple(fc.constantFrom('', SECTIONS, 'b'.repeat(40)), parts, fc.constantFrom('', SECTIONS))
      .map(([start, middle, end]) => start + middle.join('') + end);
    fc.assert(
      fc.property(
        fc.uniqueArray(text, { maxLength: 30 }),
        fc.integer({ min: 8, max: 130 }),
        (texts, width) => {
          const names = texts.map(shortNames(texts, width));
          expect(new Set(names).size).toBe(texts.length);
          for (const [at, name] of names.entries()) {
            expect(displayWidth(name)).toBeLessThanOrEqual(width);
            if (displayWidth(texts[at] ?? '') <= width) expect(name).toBe(texts[at]);
          }
        },
      ),
      { numRuns: runs(600) },
    );
  });

  test.each([
    [
      'differ in their middle',
      [1, 2].map(at => `${SECTIONS}aaaa-00${at}-part/${'the-same/'.repeat(9)}index.html?utm_source=x`),
      ['https://www…aaaa-001-part…m_source=x', 'https://www…aaaa-002-part…m_source=x'],
    ],
    [
      'differ at their end',
      [1, 2].map(at => `${SECTIONS}page-${at}`),
      ['https://www.exampl…on/section/page-1', 'https://www.exampl…on/section/page-2'],
    ],
  ])('that %s show what they differ in', (_, texts, names) => {
    expect(texts.map(shortNames(texts, 36))).toEqual(names);
  });

  test('of a long difference show where that differs', () => {
    const texts = [1, 2].map(at => `${SECTIONS}x${'y'.repeat(60)}${at}${'y'.repeat(60)}z${SECTIONS}`);
    const [one = '', other = ''] = texts.map(shortNames(texts, 30));
    expect([one.includes('1'), other.includes('2')]).toEqual([true, true]);
  });
});
