import { expect, test } from 'vitest';
import { proseHtml } from '../../../src/output/document/prose.ts';

test.each([
  ['headings begin at the level of their place', '## A\n\n### B', '<h2>A</h2>\n<h3>B</h3>\n'],
  ['the lowest heading stays one', '# A\n\n###### B', '<h2>A</h2>\n<h6>B</h6>\n'],
  [
    'HTML is text',
    'a <b>b</b> <img src=x onerror=alert(1)>',
    '<p>a &lt;b&gt;b&lt;/b&gt; &lt;img src=x onerror=alert(1)&gt;</p>\n',
  ],
  ['a block of HTML is text', '<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['a picture is its description', '![<a>](http://example.com/a.png)', '<p>&lt;a&gt;</p>\n'],
  ['a link of another scheme is its text', '[a](javascript:alert(1)) [b](data:text/html,x)', '<p>a b</p>\n'],
  [
    'a link of the web is one',
    '[a](https://example.com/?a=1&b="x)',
    '<p><a href="https://example.com/?a=1&amp;b=&quot;x" rel="noopener noreferrer">a</a></p>\n',
  ],
])('%s', (_, text, html) => {
  expect(proseHtml(text, 2)).toBe(html);
});
