import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, parseJson } from '../../src/json/index.ts';
import { fitWidths } from '../../src/output/fit.ts';
import { render, renderSections } from '../../src/output/render.ts';
import type { Column, Style, View } from '../../src/output/view.ts';
import { displayWidth } from '../../src/terminal/width.ts';
import { PAINTED, PIPE, terminal } from './styles.ts';

const PURCHASES: readonly Column[] = [
  { key: 'productKey', title: 'Product' },
  { key: 'expiresAt', title: 'Expires', kind: 'time' },
  { key: 'price', kind: 'number' },
  { key: 'active', title: 'Active', kind: 'flag' },
];

function lines(data: Json | string, view: View = {}, style: Style = PIPE): string[] {
  const text = render(typeof data === 'string' ? parseJson(data) : data, view, 'table', style);
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

describe('rows', () => {
  const rows = parseJson(`[
    {"productKey":"gold","expiresAt":"2031-05-01T00:00:00Z","price":1234567.50,"active":true},
    {"productKey":"日本","expiresAt":null,"price":9,"active":false},
    {"productKey":"👨‍👩‍👧‍👦 e\u0301"}
  ]`);

  test('are aligned in columns two blanks apart, numbers to the right, whatever the script', () => {
    expect(lines(rows, { columns: PURCHASES })).toEqual([
      'PRODUCT  EXPIRES                       price  ACTIVE',
      'gold     2031-05-01 02:00 CEST  1,234,567.50  yes',
      '日本     –                                 9  no',
      '👨‍👩‍👧‍👦 e\u0301     –                                 –  –',
    ]);
  });

  test('have a bold header, green and red outcomes, dim dashes', () => {
    expect(
      lines(
        '[{"ok":true,"a":null},{"ok":false,"a":1}]',
        { columns: [{ key: 'ok', kind: 'flag' }, { key: 'a' }] },
        PAINTED,
      ),
    ).toEqual(['*ok   a*', '+yes+  ~–~', '-no-  1']);
  });

  test('wrap within their column where there is no room', () => {
    const told = [
      { name: 'a', why: 'one two three four', n: null },
      { name: 'b', why: 'five', n: 6 },
    ];
    const columns: Column[] = [{ key: 'name' }, { key: 'why', kind: 'text' }, { key: 'n' }];
    expect(lines(told, { columns }, terminal(20))).toEqual([
      'name  why          n',
      'a     one two      –',
      '      three four',
      'b     five         6',
    ]);
    expect(lines(told, { columns })).toEqual([
      'name  why                 n',
      'a     one two three four  –',
      'b     five                6',
    ]);
  });

  test('never end in blanks', () => {
    for (const line of lines(rows, { columns: PURCHASES }, terminal(80))) expect(line).toBe(line.trimEnd());
  });

  test('do not break dates; break headings between words and URLs at separators', () => {
    const day =
      '[{"report_day":"2026-03-07","page_url":"https://example.com/news/a-long-path","engagedPagePageviews":7}]';
    expect(lines(day, {}, terminal(48))).toEqual([
      '                                         engaged',
      '                                            Page',
      'report_day  page_url                   Pageviews',
      '2026-03-07  https://example.com/news/          7',
      '            a-long-path',
    ]);
  });

  test('are never cut when there is no terminal', () => {
    const long = 'x'.repeat(5000);
    expect(lines([{ a: long, b: 'end' }])[1]).toBe(`${long}  end`);
  });

  test('on a narrow terminal first shorten decimals to four digits, with a mark', () => {
    const data = parseJson(
      '[{"key":"short","share":0.00012345678,"revenue":-1234.98765432},{"key":"b","share":2}]',
    );
    expect(lines(data, {}, terminal(40))).toEqual([
      'key            share         revenue',
      'short  0.00012345678  -1234.98765432',
      'b                  2               –',
    ]);
    expect(lines(data, {}, terminal(32))).toEqual([
      'key         share      revenue',
      'short  0.0001234…  -1234.9876…',
      'b               2            –',
    ]);
    expect(lines(data, {}, { ...terminal(34), unicode: false })[1]).toBe(
      'short  0.0001234...  -1234.9876...',
    );
  });

  test('then break the widest text, and no digit, heading or name is cut', () => {
    const data = parseJson('[{"title":"a long title of an article","views":12345678,"key":"short"}]');
    expect(lines(data, {}, terminal(36))).toEqual([
      'title                   views  key',
      'a long title of    12,345,678  short',
      'an article',
    ]);
    const headings = parseJson(
      '[{"views":12,"views_before":11,"views_change":1,"views_change_percent":9.0909}]',
    );
    expect(lines(headings, {}, terminal(34))).toEqual([
      '                            views_',
      '         views_    views_  change_',
      'views    before    change  percent',
      '   12        11         1   9.0909',
    ]);
    const names = parseJson('[{"name":"engaged_page_pageviews","about":"one two three four"}]');
    expect(lines(names, {}, terminal(32))).toEqual([
      'name                    about',
      'engaged_page_pageviews  one two',
      '                        three',
      '                        four',
    ]);
  });

  test('become a list each where most of a table would be text below itself', () => {
    const long = 'one two three four five six seven eight nine ten eleven twelve';
    expect(lines([{ name: 'a_name_that_is_long', why: long }], {}, terminal(32))).toEqual([
      'name  a_name_that_is_long',
      'why   one two three four five',
      '      six seven eight nine ten',
      '      eleven twelve',
    ]);
  });

  test('become a list each on a terminal too narrow for their columns', () => {
    const data = parseJson(
      '[{"title":"one","views":12345678,"when":"2031-05-01T00:00:00Z"},{"title":"two","views":1}]',
    );
    const columns: Column[] = [{ key: 'title' }, { key: 'views' }, { key: 'when', kind: 'time' }];
    expect(lines(data, { columns }, terminal(38))).toEqual([
      'title  one',
      'views  12,345,678',
      'when   2031-05-01 02:00 CEST',
      '',
      'title  two',
      'views  1',
      'when   –',
    ]);
  });

  test('fit any terminal whatever they hold, unless a single character is wider', () => {
    const value = fc.oneof(
      fc.string({ unit: fc.constantFrom('日', '😀', '👩🏽‍🚀', 'e\u0301', 'a', ' ', '\u001b', '\n') }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const row = fc.dictionary(fc.stringMatching(/^[a-z]{1,12}$/), value, { maxKeys: 6 });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 6, max: 120 }), (data, width) => {
        for (const line of lines(data, {}, terminal(width))) {
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });

  test('print the text of the view when there are none', () => {
    expect(lines([], { empty: 'no purchases' })).toEqual(['no purchases']);
    expect(lines('{"rows":[]}')).toEqual([]);
    expect(render(null, {}, 'table', PIPE)).toBe('');
  });

  test('are shown under their own names if all expected fields are missing', () => {
    expect(lines('[{"x":1}]', { columns: PURCHASES })).toEqual(['x', '1']);
  });

  test('header and cells from the server cannot drive the terminal', () => {
    const shown = render(
      { rows: [{ 'a\u001b[2J': '\u009b31m\u202e\r\n' }] },
      { heading: 'x\u0007' },
      'table',
      terminal(80),
    );
    expect(shown).toBe('x\\x07\na\\x1b[2J\n\\x9b31m\\u202e\\r\\n\n');
  });
});

describe('one record', () => {
  test('is a list of fields: the requested ones first, then the rest', () => {
    const data = parseJson('{"new":{"a":1},"reasonCode":"expired","decision":"denied","views":12345}');
    const columns = [
      { key: 'decision', title: 'Decision' },
      { key: 'reasonCode', title: 'Reason' },
      { key: 'absent' },
    ];
    expect(lines(data, { columns, heading: 'gold' }, PAINTED)).toEqual([
      '*gold*',
      '*DECISION*  denied',
      '*REASON*  expired',
      '*new*     {"a":1}',
      '*views*   12,345',
    ]);
  });

  test('wraps long values under themselves on a terminal', () => {
    expect(lines({ meaning: 'the reader bought it and it has not lapsed' }, {}, terminal(30))).toEqual([
      'meaning  the reader bought it',
      '         and it has not lapsed',
    ]);
  });

  test('with many thousands of fields is still shown', () => {
    const data = Object.fromEntries(Array.from({ length: 130_000 }, (_, i) => [`f${i}`, i]));
    expect(lines(data)).toHaveLength(130_000);
  });
});

describe('strings and single values', () => {
  test('are a line each, under a title where the view has one', () => {
    expect(lines('["a.example.com","b.example.com"]')).toEqual(['a.example.com', 'b.example.com']);
    expect(lines('{"domains":["a.example.com"]}', { columns: [{ key: 'domain', title: 'Domain' }] })).toEqual(
      ['DOMAIN', 'a.example.com'],
    );
    expect(lines('12345')).toEqual(['12,345']);
  });
});

describe('widths', () => {
  test('fit exactly when something has to give, and stay natural when nothing has', () => {
    const column = fc.record({ natural: fc.nat(200), least: fc.nat(20) });
    fc.assert(
      fc.property(fc.array(column, { minLength: 1, maxLength: 12 }), fc.nat(300), (columns, room) => {
        const widths = fitWidths(columns, room);
        const least = columns.reduce((sum, { natural, least }) => sum + Math.min(natural, least), 0);
        const natural = columns.reduce((sum, column) => sum + column.natural, 0);
        if (least > room) expect(widths).toBeUndefined();
        else expect(widths?.reduce((sum, width) => sum + width, 0)).toBe(Math.min(natural, room));
        widths?.forEach((width, i) => {
          const column = columns[i] ?? { natural: 0, least: 0 };
          expect(width).toBeGreaterThanOrEqual(Math.min(column.natural, column.least));
          expect(width).toBeLessThanOrEqual(column.natural);
        });
      }),
    );
  });
});

describe('several parts', () => {
  const parts = [
    { title: 'Products', data: parseJson('[{"key":"gold"}]'), view: {} },
    { title: 'Purchases', data: [], view: { empty: 'none' } },
  ];

  test('are printed one below the other with their titles', () => {
    expect(renderSections(parts, 'table', PIPE)).toBe('Products\nkey\ngold\n\nPurchases\nnone\n');
  });

  test('are headings in Markdown', () => {
    expect(renderSections(parts, 'md', PIPE)).toBe(
      '### Products\n\n| key  |\n| ---- |\n| gold |\n\n### Purchases\n\nnone\n',
    );
  });
});
