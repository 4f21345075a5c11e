import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wrapCell, wrapTitle } from '../../src/output/wrap-cell.ts';
import { displayWidth } from '../../src/terminal/width.ts';

describe('a text that is wider than its column', () => {
  test.each([
    ['one two  three', 8, ['one two', 'three']],
    ['https://example.com/news?id=7', 20, ['https://example.com/', 'news?id=7']],
    ['https://example.com/a', 19, ['https://example.com', '/a']],
    ['Segment[203].SegmentFilters[5].Id: no', 20, ['Segment[203].', 'SegmentFilters[5].', 'Id: no']],
    ['["pageview","visit"]', 12, ['["pageview",', '"visit"]']],
    ['averylongword and', 6, ['averyl', 'ongwor', 'd and']],
    ['日本語の題', 4, ['日本', '語の', '題']],
    ['fits', 4, ['fits']],
  ])('%s in %i columns is broken at blanks, at joints, and inside a word last', (text, width, lines) => {
    expect(wrapCell(text, width)).toEqual(lines);
  });

  test.each([
    ['pageviews_change_percent', 10, ['pageviews_', 'change_', 'percent']],
    ['ReportSegmentName', 13, ['ReportSegment', 'Name']],
    ['BOUGHT AT', 6, ['BOUGHT', 'AT']],
  ])('%s as a heading of %i columns is broken where its words end', (text, width, lines) => {
    expect(wrapTitle(text, width)).toEqual(lines);
  });

  test.each(['日', 'x', '日x ', 'a/'])('of %j many times is broken in one pass', part => {
    const lines = wrapCell(part.repeat(2_000), 5);
    expect(lines.join('').replaceAll(' ', '').length).toBe(part.trim().length * 2_000);
  });

  test('loses only blanks, and no line is too wide', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'B', '日', ' ', '/', '_', ',', 'e\u0301') });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 12 }), (given, width) => {
        for (const lines of [wrapCell(given, width), wrapTitle(given, width)]) {
          expect(lines.join('').replaceAll(' ', '')).toBe(given.replaceAll(' ', ''));
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});
