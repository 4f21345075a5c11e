import { createHash } from 'node:crypto';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import type { Chart } from '../../../src/output/chart/chart.ts';
import { printableChart } from '../../../src/output/chart/printable-chart.ts';
import { htmlChart } from '../../../src/output/chart-page/html-page.ts';
import { withScriptNames } from '../../../src/output/chart-page/png.ts';
import { svgChart } from '../../../src/output/chart-page/svg.ts';
import { printable } from '../../../src/text/printable.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  '</text></svg><img src=x onerror=alert(1)>',
  '"><svg onload="alert(1)">',
  "' onmouseover='alert(1)",
  '&lt;b&gt; ]]> <!-- -->',
  '{a|rich}{value}{b}',
  '\u001b[2J\u202e\u0000\ufffe',
];

function hostileChart(shape: 'line' | 'bars', positions = HOSTILE, names = HOSTILE): Chart {
  const points = (positions: readonly string[]) =>
    positions.map((label, i) => ({ value: i * 1000.5, digits: `${i * 1000.5}`, label }));
  const series = names.map(name => ({ name, points: points(positions) }));
  return printableChart({
    title: HOSTILE.join(' '),
    notes: HOSTILE,
    panels: [
      {
        title: HOSTILE.join(' '),
        unit: HOSTILE[0],
        shape,
        axis: HOSTILE[1] ?? '',
        positions: positions.map(label => ({ label })),
        series: shape === 'bars' ? series.slice(0, 1) : series,
      },
    ],
  });
}

/** Element names, attribute names and texts, read by an XML parser that forgives nothing. */
function read(xml: string) {
  const elements = new Set<string>();
  const attributes = new Set<string>();
  const texts: string[] = [];
  let current = '';
  const parser = new SaxesParser();
  parser.on('error', error => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes: given }) => {
    elements.add(name);
    for (const attribute of Object.keys(given)) attributes.add(attribute);
    current = '';
  });
  parser.on('text', text => {
    current += text;
  });
  parser.on('closetag', () => {
    texts.push(current);
    current = '';
  });
  parser.write(xml).close();
  return { elements, attributes, texts };
}

describe('an SVG chart', () => {
  test.each(['line', 'bars'] as const)(
    'of %s contains only drawing elements, whatever its texts are',
    shape => {
      const { elements, attributes, texts } = read(
        svgChart({ ...hostileChart(shape), subtitle: printable(HOSTILE.join(' ')) }),
      );
      const known = [
        'svg',
        'title',
        'desc',
        'rect',
        'g',
        'path',
        'text',
        'defs',
        'clipPath',
        'style',
        'image',
      ];
      expect([...elements].filter(name => !known.includes(name))).toEqual([]);
      expect([...attributes].filter(name => name.startsWith('on') || name.endsWith('href'))).toEqual([]);
      expect(texts.some(text => text.includes('<script>alert(1)</script>'))).toBe(true);
      expect(texts.some(text => text.includes('\\x1b[2J\\u202e\\x00'))).toBe(true);
    },
  );

  test('has title, axes, unit, legend, words and the period', () => {
    const chart: Chart = {
      title: 'revenue per day by country',
      subtitle: '2026-02-01 to 2026-02-02',
      notes: ['a remark'],
      panels: [
        {
          title: 'revenue',
          unit: 'USD',
          shape: 'line',
          time: 'day',
          axis: 'country',
          positions: [{ label: '2026-02-01' }, { label: '2026-02-02', part: '0 of 1 day' }],
          series: ['DE', 'AT'].map(name => ({
            name,
            points: [undefined, { value: 2500, digits: '2500.00' }],
          })),
        },
      ],
    };
    const { texts } = read(svgChart(chart));
    for (const text of [
      'revenue (USD) per day by country',
      'DE',
      'AT',
      '2026-02-02*',
      '2,500',
      'a remark',
      '2026-02-01 to 2026-02-02',
    ])
      expect(texts).toContain(text);
    expect(texts.some(text => text.startsWith('revenue (USD), DE: 2,500.00 (2026-02-02)'))).toBe(true);
  });

  test.each(['__proto__', ...Object.getOwnPropertyNames(Object.prototype)])(
    'shows %s, a name that every object has, like any other name',
    name => {
      // Of the same letters, and therefore of the same width.
      const other = [...name].reverse().join('');
      const lines = (name: string) => hostileChart('line', [name, 'b', `${name} b`], [name, 'b']);
      const bars = (name: string) => hostileChart('bars', [name, 'b'], [name]);
      for (const chart of [lines, bars])
        expect(svgChart(chart(name)).replaceAll(name, other)).toBe(svgChart(chart(other)));
    },
  );

  test('is the same each time', () => {
    expect(svgChart(hostileChart('line'), {})).toBe(svgChart(hostileChart('line'), {}));
  });
});

test.each([
  ['Launch day 🚀🎉', 'Launch day [emoji]'],
  ['東京の朝', '[Japanese]'],
  ['東京, 서울', '[Chinese or Japanese], [Korean]'],
  ['北京 and Übermut', '[Chinese or Japanese] and Übermut'],
  ['שלום עולם!', '[Hebrew]!'],
  ['Привет −5 € “ok” …', 'Привет −5 € “ok” …'],
  ['\ua9c1', '[other script]'],
])('a PNG image has a word for what its fonts lack: %s', (title, shown) => {
  expect(withScriptNames({ title, panels: [], notes: [] }).title).toBe(shown);
});

describe('an HTML chart', () => {
  const script = 'const a = "</script>" + "<!--";';
  const page = htmlChart({
    chart: hostileChart('line'),
    request: HOSTILE.join(' '),
    assets: { script, fonts: [[400, 'd09GMg==']] },
    table: '',
  });

  test('escapes data in its markup', () => {
    expect(page.match(/<script/g)?.length).toBe(2);
    expect(page.match(/<\/script/g)?.length).toBe(2);
    expect(page.match(/<(img|svg|b|iframe|link)\b/g)).toBeNull();
    const data = /class="chart-data">(.*?)<\/script>/.exec(page)?.[1] ?? '';
    expect(JSON.parse(data)).toEqual(JSON.parse(JSON.stringify(hostileChart('line'))));
  });

  test('runs only its own script and fetches nothing', () => {
    const code = /<script>(.*?)<\/script>/s.exec(page)?.[1] ?? '';
    expect(code).toBe('const a = "<\\/script>" + "<\\!--";');
    const hash = createHash('sha256').update(code).digest('base64');
    expect(page).toContain(
      `content="default-src 'none'; img-src blob:; font-src data:; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
    );
    expect(page).toContain("font-weight: 400; src: url(data:font/woff2;base64,d09GMg==) format('woff2');");
    const [head = ''] = page.split('<script type');
    expect(head.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\s(src|href)=/);
  });
});
