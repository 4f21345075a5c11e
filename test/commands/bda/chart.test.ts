import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { analytics, BASE, paging, rowsReply } from './analytics.ts';

const ROWS = [
  '{"country":"DE","visits":4000,"revenue":1.50}',
  '{"country":"AT","visits":2000,"revenue":0.25}',
];
const ASKED = [...BASE, '-d', 'country', '-m', 'visits'];
const COLUMNS = {
  body: '{"columns":[{"name":"country"},{"name":"visits","unit":"count"},{"name":"revenue","unit":"USD"}]}',
};

/** A gateway that lists columns too. */
const asking = (rows: readonly string[]) =>
  analytics(request => (request.method === 'GET' ? COLUMNS : paging(rows)(request)));

describe('--chart', () => {
  test('draws instead of the table, with units from the columns listing', async () => {
    const { server, gatectl } = await asking(ROWS);
    const { code, stdout, stderr } = await gatectl([...ASKED, '-m', 'revenue', '--chart', '--ascii']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        '1 to 28 February 2026',
        '',
        'Visits by country',
        `DE ${'#'.repeat(71)} 4,000`,
        `AT ${'#'.repeat(36)} 2,000`,
        'Visits: lowest 2,000 (AT), highest 4,000 (DE)',
        '',
        'Revenue (USD) by country',
        `DE ${'#'.repeat(72)} 1.50`,
        `AT ${'#'.repeat(12)} 0.25`,
        'Revenue (USD): lowest 0.25 (AT), highest 1.50 (DE)',
        '',
      ].join('\n'),
    );
    expect(server.received.map(({ target }) => target.split('/').at(-1))).toEqual([
      'query',
      'columns',
      'date-range',
    ]);
  });

  test.each([
    ['on the screen', []],
    ['in a page', ['days.html']],
    ['in a picture', ['days.svg']],
  ])('has numbers and dates as the locale writes them %s', async (_, file) => {
    const days = [
      '{"report_day":"2026-02-09","revenue":1234.5}',
      '{"report_day":"2026-02-10","revenue":7.25}',
    ];
    const { gatectl } = await asking(days);
    const folder = temporaryFolder();
    const query = [...BASE, '-d', 'report_day', '-m', 'revenue', '--locale', 'de-DE', '--chart'];
    const { code, stdout } = await gatectl([...query, ...file.map(name => join(folder, name))]);
    expect(code).toBe(0);
    const drawn = file.length === 0 ? stdout : readFileSync(join(folder, file[0] ?? ''), 'utf8');
    for (const text of ['01.02.2026 to 28.02.2026', 'Mon 09.02.2026', '1.234,50', '7,25'])
      expect(drawn).toContain(text);
    // The labels of the axis; a page has them drawn by its script, which has the locale.
    if (file[0] !== 'days.html') expect(drawn).toMatch(/\b1\.500\b/);
    else expect(drawn).toContain('"locale":{"tag":"de-DE"');
    expect(drawn).not.toMatch(/1,234|1,500|Mon 9 /);
  });

  test('draws without units where the columns cannot be listed', async () => {
    const { gatectl } = await analytics(request =>
      request.method === 'GET' ? { status: 500, body: '{}' } : paging(ROWS)(request),
    );
    const { code, stdout } = await gatectl([...ASKED, '--chart', '--retries', '0']);
    expect(code).toBe(0);
    expect(stdout).toContain('Visits by country');
  });

  test.each([
    [[], 'no rows match, so there is nothing to draw\n'],
    [['{"country":"DE","visits":null}'], 'visits: no row has a figure, so there is nothing to draw\n'],
    [['{"country":"DE","visits":"n/a"}'], 'visits: no row has a figure, so there is nothing to draw\n'],
    [
      ['{"country":"DE","visits":12345678}'],
      '1 to 28 February 2026\n\nVisits by country\nVisits: 12,345,678 (DE)\n',
    ],
  ])('of %j ends in a sentence', async (rows, stdout) => {
    const { gatectl } = await asking(rows);
    expect(await gatectl([...ASKED, '--chart'])).toEqual({ code: 0, stdout, stderr: '' });
  });

  test('notes when not all rows are drawn', async () => {
    const { gatectl } = await analytics(request =>
      request.method === 'GET' ? COLUMNS : rowsReply(ROWS, 500),
    );
    const { stdout } = await gatectl([...ASKED, '--limit', '2', '--chart']);
    expect(stdout).toContain('\nVisits in the first 2 of 500 rows: lowest 2,000 (AT), highest 4,000 (DE)\n');
  });

  test('of more rows than a chart can show is rejected, not drawn in part', async () => {
    const rows = Array.from({ length: 100_001 }, (_, i) => `{"country":"c${i}","visits":${i}}`);
    const { gatectl } = await asking(rows);
    const { code, stdout, stderr } = await gatectl([...ASKED, '--all', '--chart']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('more than 100,000 rows are too many for a chart');
  });

  test('goes with a file of the rows', async () => {
    const { server, gatectl } = await asking(ROWS);
    const out = join(temporaryFolder(), 'rows.csv');
    const { code, stdout } = await gatectl([...ASKED, '-m', 'revenue', '--all', '--chart', '--out', out]);
    expect(code).toBe(0);
    expect(stdout).toContain('Visits by country');
    expect(readFileSync(out, 'utf8')).toBe('country,visits,revenue\nDE,4000,1.50\nAT,2000,0.25\n');
    expect(server.received.filter(({ method }) => method === 'POST').length).toBe(1);
  });

  test.each([
    [['--chart', '-o', 'csv'], '--chart and -o csv cannot be combined'],
    [['--chart', '--jq', '.'], '--chart and --jq cannot be combined'],
    [['--ascii'], '--ascii requires --chart without a file'],
    [['--chart', 'rows.gif'], 'cannot write a chart to rows.gif'],
    [['--title', 'Visits'], '--title requires --chart'],
    [['--match-weekdays'], '--match-weekdays requires --compare'],
    [['--chart', '--all', '--out', 'a.csv', '--resume'], '--chart and --resume cannot be combined'],
  ])('%j is rejected before anything is sent', async (flags, message) => {
    const { server, gatectl } = await asking(ROWS);
    const { code, stderr } = await gatectl([...ASKED, ...flags], { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(server.received.length).toBe(0);
  });
});

describe('--chart FILE', () => {
  test('writes a chart, and prints the rows as usual', async () => {
    const { gatectl } = await asking(ROWS);
    const folder = temporaryFolder();
    const [svg, html] = [join(folder, 'a.svg'), join(folder, 'a.html')];
    const { code, stdout, stderr } = await gatectl([...ASKED, '-o', 'csv', '--chart', svg]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'country,visits\nDE,4000\nAT,2000\n',
      stderr: `note: wrote the chart to ${svg}\nnote: the rows have fields that were not requested: revenue\n`,
    });
    expect(readFileSync(svg, 'utf8')).toMatch(
      /^<svg [\s\S]*>1 to 28 February 2026<[\s\S]*>data set pageview<[\s\S]*<\/svg>\n$/,
    );
    expect((await gatectl([...ASKED, '-m', 'revenue', '--chart', html])).code).toBe(0);
    const page = readFileSync(html, 'utf8');
    expect(page).toContain('>4,000</td>');
    expect(page).toContain('&quot;data_set&quot;: &quot;pageview&quot;');
    expect(readdirSync(folder).sort()).toEqual(['a.html', 'a.svg']);
  });

  test('has the given title, and no JSON of the query', async () => {
    const { gatectl } = await asking(ROWS);
    const svg = join(temporaryFolder(), 'a.svg');
    const filter = ['--filter', 'country=DE,AT'];
    expect((await gatectl([...ASKED, ...filter, '--chart', svg, '--title', 'Our readers'])).code).toBe(0);
    const text = readFileSync(svg, 'utf8');
    expect(text).toContain('<title>Our readers</title>');
    expect(text).toContain('>Visits by country<');
    expect(text).toContain('>data set pageview; country in DE, AT<');
    expect(text).not.toContain('&quot;');
  });

  test('ending in .png is an image, with a warning for text that its fonts lack', async () => {
    const { gatectl } = await asking(['{"country":"日本","visits":4000}', '{"country":"AT","visits":2}']);
    const png = join(temporaryFolder(), 'a.png');
    const { code, stderr } = await gatectl([...ASKED, '--chart', png]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: the fonts of PNG charts lack characters of 日本; use .svg or .html to show them\nnote: wrote the chart to ${png}\n`,
    });
    const bytes = readFileSync(png);
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    expect(bytes.readUInt32BE(16)).toBe(1920);
  });

  test('of a single row is its figure, without axes', async () => {
    const { gatectl } = await asking(['{"country":"DE","visits":4000,"revenue":1.5}']);
    const svg = join(temporaryFolder(), 'a.svg');
    await gatectl([...ASKED, '-m', 'revenue', '--title', 'Germany', '--chart', svg]);
    const texts = [...readFileSync(svg, 'utf8').matchAll(/>([^<>\n]+)<\/text>/g)].map(([, text]) => text);
    expect(texts).toEqual([
      ...['Germany', '1 to 28 February 2026', 'Visits by country', 'Revenue (USD) by country'],
      ...['4,000', 'DE', '1.50', 'DE', 'data set pageview'],
    ]);
  });

  test('of no rows writes no file, with a note', async () => {
    const { gatectl } = await asking([]);
    const svg = join(temporaryFolder(), 'a.svg');
    const { code, stderr } = await gatectl([...ASKED, '--chart', svg]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: no rows match, so there is nothing to draw: ${svg} was not written\n`,
    });
    expect(existsSync(svg)).toBe(false);
  });
});

describe('bda report run --chart', () => {
  test('draws a saved report by what its rows hold', async () => {
    const { gatectl } = await analytics(({ method }) =>
      method === 'GET' ? { body: '{"DateBaseSelectId":"BASE_LAST_7"}' } : { body: `[${ROWS.join(',')}]` },
    );
    const { code, stdout } = await gatectl(['bda', 'report', 'run', 'Countries', '--chart', '--ascii']);
    expect(code).toBe(0);
    expect(stdout).toContain('Visits by country\nDE ####');
    expect(stdout).toContain('Revenue by country\nDE ####');
  });
});
