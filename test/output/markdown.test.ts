import { describe, expect, test } from 'vitest';
import { type Json, parseJson } from '../../src/json/index.ts';
import { render } from '../../src/output/render.ts';
import type { View } from '../../src/output/view.ts';
import { PIPE } from './styles.ts';

const lines = (data: Json, view: View = {}) => render(data, view, 'md', PIPE).split('\n').slice(0, -1);

describe('Markdown', () => {
  test('rows are a table, aligned also as plain text', () => {
    const data = parseJson('[{"key":"gold","views":12345,"ok":true},{"key":"日本 😀","views":1,"ok":null}]');
    expect(lines(data, { heading: 'Products' })).toEqual([
      '### Products',
      '',
      '| key     |  views | ok  |',
      '| ------- | -----: | --- |',
      '| gold    | 12,345 | yes |',
      '| 日本 😀 |      1 | –   |',
    ]);
  });

  test('one record is fields and values, titles in plain case', () => {
    const columns = [{ key: 'decision', title: 'Decision' }];
    expect(lines(parseJson('{"decision":"denied","extra_field":1}'), { columns })).toEqual([
      '| Field       | Value  |',
      '| ----------- | ------ |',
      '| Decision    | denied |',
      '| extra_field | 1      |',
    ]);
  });

  test.each([
    ['a|b', 'a\\|b'],
    ['a\\|b', 'a\\\\\\|b'],
    ['two\nlines', 'two\\\\nlines'],
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['&lt;b&gt; & more', '&amp;lt;b&amp;gt; & more'],
    ['[x](https://example.com) ![i](u)', '\\[x\\](https://example.com) !\\[i\\](u)'],
    ['*a* _b_ ~~c~~ `d`', '\\*a\\* \\_b\\_ \\~\\~c\\~\\~ \\`d\\`'],
    ['page_views', 'page_views'],
    ['\u001b[2J\u202e', '\\\\x1b\\[2J\\\\u202e'],
  ])('%j stays text: %s', (text, written) => {
    expect(lines([{ cell: text }])[2]).toBe(`| ${written} |`);
  });

  test('no rows print the text of the view', () => {
    expect(lines([], { empty: 'no purchases' })).toEqual(['no purchases']);
    expect(render([], {}, 'md', PIPE)).toBe('');
  });
});
