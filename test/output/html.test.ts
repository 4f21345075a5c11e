import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { type Json, parseJson } from '../../src/json/index.ts';
import { render, renderSections } from '../../src/output/render.ts';
import type { View } from '../../src/output/view.ts';
import { PIPE } from './styles.ts';

interface Page {
  /** The text of each table's rows, cell by cell. */
  readonly rows: readonly (readonly string[])[];
  /** Every element in order. */
  readonly elements: readonly string[];
  readonly paragraphs: readonly string[];
}

/** Reads a page with an XML parser, which forgives nothing; only the doctype and the unclosed metas are HTML's own. */
function read(text: string): Page {
  const elements: string[] = [];
  const rows: string[][] = [];
  const paragraphs: string[] = [];
  let current = '';
  const parser = new SaxesParser();
  parser.on('error', error => {
    throw error;
  });
  parser.on('opentag', ({ name }) => {
    elements.push(name);
    current = '';
    if (name === 'tr') rows.push([]);
  });
  parser.on('text', part => {
    current += part;
  });
  parser.on('closetag', ({ name }) => {
    if (name === 'td' || name === 'th') rows.at(-1)?.push(current);
    if (name === 'p') paragraphs.push(current);
  });
  parser.write(text.replace('<!doctype html>', '').replace(/<meta [^>]*>/g, '')).close();
  return { rows, elements, paragraphs };
}

const page = (data: Json, view: View = {}) => read(render(data, view, 'html', PIPE));

describe('HTML', () => {
  test('rows are a table, with numbers as people read them and to the right', () => {
    const text = render(parseJson('[{"key":"gold","views":12345,"ok":null}]'), {}, 'html', PIPE);
    expect(read(text).rows).toEqual([
      ['key', 'views', 'ok'],
      ['gold', '12,345', '–'],
    ]);
    expect(text).toContain('text-align:right">12,345</td>');
    expect(text).toContain('text-align:left">gold</td>');
  });

  test('an address of thousands of characters loses its middle; all of it is its title', () => {
    const path = Array.from({ length: 400 }, (_, at) => `s${at}`).join('/');
    const [address, token] = [`https://example.com/${path}?a=1`, 'x'.repeat(500)];
    const text = render(parseJson(JSON.stringify([{ address, token }])), {}, 'html', PIPE);
    const [, cells] = read(text).rows;
    expect(cells?.[0]).toMatch(/^https:\/\/example\.com\/s0\/.*….*\/s399\?a=1$/);
    expect(cells?.[0]).toHaveLength(120);
    expect(text).toContain(` title="${address}"`);
    expect(cells?.[1]).toBe(token);
  });

  test('one record is fields and values', () => {
    const columns = [{ key: 'decision', title: 'Decision' }];
    expect(page(parseJson('{"decision":"denied","extra":1}'), { columns }).rows).toEqual([
      ['Decision', 'denied'],
      ['extra', '1'],
    ]);
  });

  test.each([
    '<script>alert(1)</script>',
    '</td></table><img src=x onerror=alert(1)>',
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    '&lt;b&gt; &amp; &#x3c;',
    '<!-- -->',
    ']]>',
  ])('%s stays text', text => {
    const { rows, elements } = page([{ [text]: text }], { heading: text });
    expect(rows).toEqual([[text], [text]]);
    expect(new Set(elements)).toEqual(
      new Set([
        'html',
        'head',
        'title',
        'style',
        'body',
        'h2',
        'div',
        'table',
        'thead',
        'tbody',
        'tr',
        'th',
        'td',
      ]),
    );
  });

  test('what would drive a terminal or hide is shown', () => {
    expect(page([{ cell: '\u001b[2J\u202e\u0000' }]).rows[1]).toEqual(['\\x1b[2J\\u202e\\x00']);
  });

  test('a page is black on white on paper, whatever the colours of the browser', () => {
    expect(render(parseJson('[{"a":1}]'), {}, 'html', PIPE)).toMatch(
      /@media print\{:root\{color-scheme:light\}body\{color:#000;background:#fff;/,
    );
  });

  test('a page fits a phone, is called by its rows, and its table scrolls by the keyboard', () => {
    const view = { page: { title: 'Visits <by> country', period: '7 to 13 March 2026' } };
    const text = render(parseJson('[{"a":1}]'), view, 'html', PIPE);
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(text).toContain('<title>Visits &lt;by&gt; country</title>');
    expect(text).toContain('<h1>Visits &lt;by&gt; country</h1>\n<p class="period">7 to 13 March 2026</p>\n');
    expect(text).toContain('<div class="rows" role="region" tabindex="0" aria-label="Rows">\n<table');
  });

  test('no rows print the text of the view', () => {
    expect(page([], { empty: 'no purchases' }).paragraphs).toEqual(['no purchases']);
  });

  test('several parts are one page', () => {
    const parts = [
      { title: 'Products', data: parseJson('[{"key":"gold"}]'), view: {} },
      { title: 'Meaning', data: ['one & two'], view: { prose: true } },
    ];
    const { elements, rows, paragraphs } = read(renderSections(parts, 'html', PIPE));
    expect(elements.filter(name => name === 'html' || name === 'h2')).toEqual(['html', 'h2', 'h2']);
    expect(rows).toEqual([['key'], ['gold']]);
    expect(paragraphs).toEqual(['one & two']);
  });
});
