import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import PostalMime from 'postal-mime';
import { describe, expect, test } from 'vitest';
import { MAIL_DRAWING } from '../../../../../src/output/chart-page/png.ts';
import { temporaryFolder } from '../../../../support/folder.ts';
import type { Received, Reply } from '../../../../support/wire-server.ts';
import { type ReadCell, readWorkbook } from '../../../../support/workbook.ts';
import { analytics } from '../../analytics.ts';
import { build, WEEKLY, weeks, withSections } from './report.ts';

const QUERY = '- query: {dimension: country, metric: visits}';

describe('a report', () => {
  test('as Markdown has the texts, figures, comparisons and explanations in order', async () => {
    const { code, stdout, stderr } = await build(WEEKLY);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replaceAll(/```text[\s\S]*?```/g, '(chart)').split('\n')).toEqual([
      '# Week of example.com',
      '',
      'Compared with the week before',
      '',
      '*7 to 13 March 2026, compared with 28 February to 6 March 2026*',
      '',
      'Visits in all rows fell by 55 (−27.1 %) to 148.',
      '',
      '|        | Now | Before |        Change |',
      '| ------ | --: | -----: | ------------: |',
      '| Visits | 148 |    203 | −55 (−27.1 %) |',
      '',
      '# Summary',
      '',
      'All figures are **net**. <script>alert(1)</script>',
      '',
      '## Countries',
      '',
      '(chart)',
      '',
      '| Country | Visits | Before | Change | Change % | Compared |',
      '| ------- | -----: | -----: | -----: | -------: | -------- |',
      '| DE      |     40 |    100 |    −60 |  −60.0 % | both     |',
      '| US      |    101 |    100 |     +1 |   +1.0 % | both     |',
      '',
      'First 2 of 4 rows',
      '',
      '## Why',
      '',
      'Visits fell by 55 (−27.1 %): country DE makes up 95 % of the falls of 63 (−60), against rises of 8 (most: NZ, +7, new).',
      '',
      'From 203 (28 February to 6 March 2026) to 148 (7 to 13 March 2026).',
      '',
      'Which changes are usual is unknown: no earlier change can be measured.',
      '',
      '(chart)',
      '',
      '| Dimension | Value     | Before | Now | Contribution | Share of rises/falls | Status  |',
      '| --------- | --------- | -----: | --: | -----------: | -------------------: | ------- |',
      '| country   | DE        |    100 |  40 |          −60 |               95.2 % | changed |',
      '| country   | NZ        |      0 |   7 |           +7 |               87.5 % | new     |',
      '| country   | &lt;b&gt; |      3 |   0 |           −3 |                4.8 % | gone    |',
      '| country   | US        |    100 | 101 |           +1 |               12.5 % | changed |',
      '',
    ]);
  });

  test('as a web page escapes what comes with the data and the texts, and runs only its own script', async () => {
    const { code, written, stderr } = await build(WEEKLY, [], { name: 'weekly.html' });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^note: 3 sections in weekly\.html \([\d,]+ bytes\)\n$/),
    });
    const page = written().toString();
    const markup = page.slice(0, page.lastIndexOf('<script>')).replace(/<style>[\s\S]*?<\/style>/, '');
    expect(markup).not.toMatch(/<script>|<b>/);
    expect(markup).toContain('All figures are <strong>net</strong>. &lt;script&gt;alert(1)&lt;/script&gt;');
    expect(markup).toContain('>&lt;b&gt;</td>');
    expect(markup.match(/<h\d>[^<]*/g)).toEqual([
      '<h1>Week of example.com',
      '<h2>Summary',
      '<h2>Countries',
      '<h2>Why',
    ]);
    expect(page).toMatch(/default-src 'none'[^"]*script-src 'sha256-/);
    expect(markup.match(/<figure>/g)).toHaveLength(2);
  });

  test('as an e-mail is read by another program with the same text and pictures', async () => {
    const { code, written } = await build(WEEKLY, [], { name: 'weekly.eml' });
    expect(code).toBe(0);
    const bytes = written().toString('latin1');
    expect(bytes).toMatch(/^[\t\n\x20-\x7e]*$/);
    expect(Math.max(...bytes.split('\n').map(line => line.length))).toBeLessThanOrEqual(76);
    expect(bytes).not.toMatch(/^(?:From |\.)/m);
    const mail = await PostalMime.parse(written());
    expect(mail.text?.trimEnd().split('\n')).toEqual([
      'Week of example.com',
      '===================',
      '',
      'Compared with the week before',
      '',
      '7 to 13 March 2026, compared with 28 February to 6 March 2026',
      '',
      'Visits in all rows fell by 55 (−27.1 %) to 148.',
      '',
      '        Now  Before         Change',
      'Visits  148     203  −55 (−27.1 %)',
      '',
      'Summary',
      'All figures are net. <script>alert(1)</script>',
      '',
      'Countries',
      '---------',
      '',
      expect.stringMatching(/^Visits, now, in the first 2 of 4 rows: /),
      expect.stringMatching(/^Visits, before, in the first 2 of 4 rows: /),
      '',
      'Country  Visits  Before  Change  Change %  Compared',
      'DE           40     100     −60   −60.0 %  both',
      'US          101     100      +1    +1.0 %  both',
      '',
      'First 2 of 4 rows',
      '',
      'Why',
      '---',
      '',
      'Visits fell by 55 (−27.1 %): country DE makes up 95 % of the falls of 63 (−60), against rises of 8 (most: NZ, +7, new).',
      '',
      'From 203 (28 February to 6 March 2026) to 148 (7 to 13 March 2026).',
      '',
      'Which changes are usual is unknown: no earlier change can be measured.',
      '',
      expect.stringMatching(/^Visits: 203 before, 148 now, /),
      '',
      expect.stringMatching(/^Dimension +Value +Before +Now /),
      ...Array.from({ length: 4 }, () => expect.stringMatching(/^country +/)),
    ]);
    const { subject, from, to, cc, date } = mail;
    expect({ subject, from, to, cc, date }).toMatchObject({
      subject:
        'Überblick über example.com – eine Woche mit einem langen Betreff, der nicht in eine Zeile passt',
      from: { name: 'Analytics', address: 'analytics@example.com' },
      to: [
        { name: 'Zoë Müller', address: 'zoe@example.com' },
        { name: '', address: 'editors@example.com' },
      ],
      cc: [{ name: '', address: 'chief@example.com' }],
      date: '2026-03-14T12:00:00.000Z',
    });
    expect(mail.headers.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['message-id', 'mime-version', 'auto-submitted']),
    );
    const pictures = mail.attachments.map(({ mimeType, contentId, disposition, content }) => ({
      mimeType,
      disposition,
      isShown: mail.html?.includes(`src="cid:${contentId?.slice(1, -1)}"`),
      begins: Buffer.from(content as ArrayBuffer).toString('latin1', 0, 4),
    }));
    const picture = { mimeType: 'image/png', disposition: 'inline', isShown: true, begins: '\u0089PNG' };
    expect(pictures).toEqual([picture, picture]);
    expect(mail.html).toContain('<h2>Countries</h2>');
    expect(mail.html?.match(/alt="[^"]+"/g)).toHaveLength(2);
  });

  test('as an e-mail has pictures of cells named as what every object has', async () => {
    const rows = ['__proto__', 'constructor', 'toString'].map(
      (country, index) => `{"country":"${country}","visits":${index + 1}}`,
    );
    const reply: typeof weeks = request =>
      request.method === 'GET' ? weeks(request) : { body: `{"rows":[${rows}],"total_rows":3}` };
    const { code, written } = await build(WEEKLY, [], { name: 'weekly.eml', reply });
    expect(code).toBe(0);
    const mail = await PostalMime.parse(written());
    expect(mail.attachments.map(({ mimeType }) => mimeType)).toEqual(['image/png', 'image/png']);
    expect(mail.html).toContain('>__proto__</td>');
    // Twice the column of the mail, and a drawing whose texts can be read at half of it.
    for (const { content } of mail.attachments)
      expect(Buffer.from(content as ArrayBuffer).readUInt32BE(16)).toBe(2 * 600);
    expect(MAIL_DRAWING.width / 328).toBeLessThan(1.5);
  });

  test.each([
    ['that of the file', WEEKLY, /^Überblick über example\.com/],
    [
      'or the title with the days and the first total',
      WEEKLY.replace(/^ {2}subject: .*\n/m, ''),
      /^Week of example\.com, 7 to 13 Mar: visits 148 \(−27\.1 %\)$/,
    ],
    [
      'or the title, where there is no total',
      WEEKLY.replace(/^ {2}subject: .*\n/m, '').replace('sections:', 'kpis: []\nsections:'),
      /^Week of example\.com$/,
    ],
  ])('as an e-mail has a subject: %s', async (_, text, subject) => {
    const { written } = await build(text, [], { name: 'weekly.eml' });
    expect((await PostalMime.parse(written())).subject).toMatch(subject);
  });

  test('as an e-mail is the same at the same time', async () => {
    const [one, other] = [await build(WEEKLY, ['--format', 'eml']), await build(WEEKLY, ['--format', 'eml'])];
    expect(one.stdout).toBe(other.stdout);
    expect(one.stdout).toMatch(/^From: "Analytics"\n <analytics@example\.com>\nTo: /);
  });

  test.each<[string, string, string[]]>([
    [
      'without a recipient',
      withSections(QUERY),
      [
        'error: the report has no recipient',
        '  add mail: {to: editors@example.com} to the file; sendmail -t reads it',
      ],
    ],
    [
      'with a recipient that is none',
      WEEKLY.replace('chief@example.com', 'chief'),
      [
        "error: weekly.yaml:8:7: 'chief' is not an e-mail address",
        "  write editors@example.com, or 'Editors <editors@example.com>'; several as a list",
      ],
    ],
  ])('%s cannot become an e-mail', async (_, text, lines) => {
    const { code, stderr, requests } = await build(text, ['--format', 'eml']);
    expect({ code, stderr, requests }).toEqual({ code: 2, stderr: `${lines.join('\n')}\n`, requests: [] });
  });

  test('as a workbook has a sheet for the texts and the explanation, one for each other section, and one for the figures of the charts', async () => {
    const { code, path } = await build(WEEKLY, [], { name: 'weekly.xlsx' });
    expect(code).toBe(0);
    const sheets = readWorkbook(path);
    expect(sheets.map(({ name, rows, frozenRows }) => [name, rows.length, frozenRows])).toEqual([
      ['Summary', 19, 0],
      ['Countries', 5, 1],
      ['Data', expect.any(Number), 0],
    ]);
    const [summary, countries, chart] = sheets;
    expect(summary?.rows.slice(0, 7).map(row => row.map(cell => cell?.value))).toEqual([
      ['Week of example.com'],
      ['Compared with the week before'],
      ['7 to 13 March 2026, compared with 28 February to 6 March 2026'],
      [],
      ['In short', 'Visits fell by 55 (−27.1 %) to 148.'],
      [undefined, 'Now', 'Before', 'Change', 'Change %'],
      ['Visits', '148', '203', '-55', '-27.1'],
    ]);
    expect(summary?.rows.slice(-5).map(row => row.map(cell => cell?.value))).toEqual([
      [undefined, 'Dimension', 'Value', 'Before', 'Now', 'Contribution', 'Share of rises/falls', 'Status'],
      [undefined, 'country', 'DE', '100', '40', '-60', '95.2380952381', 'changed'],
      [undefined, 'country', 'NZ', '0', '7', '7', '87.5', 'new'],
      [undefined, 'country', '<b>', '3', '0', '-3', '4.7619047619', 'gone'],
      [undefined, 'country', 'US', '100', '101', '1', '12.5', 'changed'],
    ]);
    const visits = countries?.rows.slice(1).map(row => row[1]?.value);
    expect(visits).toEqual(['40', '101', '7', '–']);
    expect(chart?.rows.slice(-5).map(row => row.map(cell => cell?.value))).toEqual([
      ['country', 'now', 'before'],
      ['DE', '40', '100'],
      ['US', '101', '100'],
      ['NZ', '7'],
      ['<b>', undefined, '3'],
    ]);
  });

  test('as a workbook has figures of its summary as numbers, whatever their decimals, and whole numbers without a wrong digit', async () => {
    const reply: typeof weeks = received => {
      if (received.method !== 'POST') return weeks(received);
      const [revenue, visits] = received.body.includes('2026-03-07')
        ? ['3214.8976736266252', '12345678901234567891']
        : ['3857.0444412345678', '12345678901234567890'];
      return {
        body: `{"rows":[{"country":"DE","revenue":${revenue},"visits":${visits}}],"total_rows":1}`,
      };
    };
    const text = WEEKLY.replace('metric: visits, compare', 'metric: [revenue, visits], compare').replace(
      'why: {metric: visits',
      'why: {metric: revenue',
    );
    const { code, path } = await build(text, [], { name: 'weekly.xlsx', reply });
    expect(code).toBe(0);
    const summary = readWorkbook(path)[0]?.rows ?? [];
    const figures = summary.filter(row => ['Revenue (USD)', 'Visits'].includes(row[0]?.value ?? ''));
    expect(figures.map(row => row.slice(1, 4).map(cell => [cell?.kind, cell?.value]))).toEqual([
      [
        ['number', '3214.89767362663'],
        ['number', '3857.04444123457'],
        ['number', '-642.1467676079426'],
      ],
      [
        ['text', '12345678901234567891'],
        ['text', '12345678901234567890'],
        ['number', '1'],
      ],
    ]);
    expect(figures[0]?.slice(1, 3).map(cell => cell?.format)).toEqual(['#,##0.00', '#,##0.00']);
    const explained = summary.find(row => row[2]?.value === 'DE');
    expect(explained?.slice(3, 6).map(cell => cell?.kind)).toEqual(['number', 'number', 'number']);
  });

  test('as a workbook prints one page wide, with its header and the number of the page on each', async () => {
    const { written } = await build(WEEKLY, [], { name: 'weekly.xlsx' });
    const files = unzipSync(written());
    const text = (name: string) => strFromU8(files[name] ?? new Uint8Array());
    for (const sheet of ['sheet1', 'sheet2']) {
      const xml = text(`xl/worksheets/${sheet}.xml`);
      expect(xml).toContain('<pageSetUpPr fitToPage="1"/>');
      expect(xml).toContain('orientation="landscape" fitToWidth="1"');
      expect(xml).toMatch(/&amp;A(?:: [^&]*)?&amp;R&amp;P \/ &amp;N/);
    }
    const book = text('xl/workbook.xml');
    expect(book).toContain(
      `<definedName name="_xlnm.Print_Titles" localSheetId="1">'Countries'!$1:$1</definedName>`,
    );
    expect(book).toContain(`<definedName name="Table_Countries">'Countries'!$A$1:`);
    // The figures of charts are not among the pages.
    expect(book).toContain('<sheet name="Data" sheetId="3" state="hidden"');
  });

  test('as a workbook has its texts without the marks of Markdown, and labels with units as headers', async () => {
    const marked = WEEKLY.replace('are **net**.', 'are **net** of `tax`, see [docs](https://example.com/d).');
    const { path } = await build(marked, [], { name: 'weekly.xlsx' });
    const [summary, countries] = readWorkbook(path);
    const texts = summary?.rows.flatMap(row => row.map(cell => cell?.value)) ?? [];
    expect(texts).toContain('Summary');
    expect(texts).toContain(
      'All figures are net of tax, see docs (https://example.com/d). <script>alert(1)</script>',
    );
    expect(countries?.widths[0]).toBeGreaterThanOrEqual('Country'.length);
    expect(countries?.rows[0]?.map(cell => cell?.value).slice(0, 2)).toEqual(['Country', 'Visits']);
  });

  test('as a workbook has charts that refer to the cells of their sheets', async () => {
    const { written } = await build(WEEKLY, [], { name: 'weekly.xlsx' });
    const files = unzipSync(written());
    const text = (name: string) => strFromU8(files[name] ?? new Uint8Array());
    const references = [...text('xl/charts/chart2.xml').matchAll(/<c:f>(.*?)<\/c:f>/g)].map(
      ([, where]) => where,
    );
    expect(references).toEqual([
      "'Data'!$B$10",
      "'Data'!$A$11:$A$14",
      "'Data'!$B$11:$B$14",
      "'Data'!$C$10",
      "'Data'!$A$11:$A$14",
      "'Data'!$C$11:$C$14",
    ]);
    expect(text('xl/charts/chart2.xml').match(/<a:noFill\/><a:ln [^>]*>/g)).toHaveLength(1);
    expect(text('xl/worksheets/_rels/sheet2.xml.rels')).toContain('Target="../drawings/drawing2.xml"');
    expect(text('xl/drawings/_rels/drawing2.xml.rels')).toContain('Target="../charts/chart2.xml"');
    // A mark of an axis has no point without decimals, and a printed sheet has its days.
    const formats = Object.keys(files).flatMap(name =>
      /charts\/chart\d+\.xml$/.test(name)
        ? [...text(name).matchAll(/formatCode="([^"]*)" sourceLinked="0"/g)].map(([, code]) => code)
        : [],
    );
    expect(formats.length).toBeGreaterThan(0);
    for (const code of formats) expect(code).not.toMatch(/\.#/);
    expect(text('xl/worksheets/sheet2.xml')).toContain(
      '<oddFooter>&amp;L&amp;A: 7 to 13 March 2026, compared with 28 February to 6 March 2026&amp;R&amp;P / &amp;N</oddFooter>',
    );
    for (const part of ['drawings/drawing2', 'charts/chart2'])
      expect(text('[Content_Types].xml')).toContain(`PartName="/xl/${part}.xml"`);
  });

  test('rounds to its decimals and shows the columns that a section names', async () => {
    const text = withSections(
      '- title: Changes',
      '  query: {dimension: country, metric: visits, compare: previous}',
      '  columns: [country, visits_change_percent]',
      '  table: 1',
    ).replace('title: T', 'title: T\ndecimals: 1');
    const thirds: typeof weeks = received =>
      received.method === 'POST'
        ? {
            body: `{"rows":[{"country":"DE","visits":${received.body.includes('-02-28') ? 3 : 4}}],"total_rows":1}`,
          }
        : weeks(received);
    const { stdout } = await build(text, [], { reply: thirds });
    expect(stdout).toContain('| Country | Visits change % |\n');
    expect(stdout).toContain('| DE      |         +33.3 % |\n');
    expect((await build(text, ['--decimals', '3'], { reply: thirds })).stdout).toContain(' +33.333 % |');
    const { code, stderr } = await build(text.replace('visits_change_percent', 'visits_chang'));
    expect({ code, line: stderr.split('\n')[0] }).toEqual({
      code: 2,
      line: "error: weekly.yaml:5:5 (Changes): unknown column 'visits_chang'",
    });
  });

  test('takes saved queries, whose flags a section changes', async () => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, 'weekly.yaml'),
      'title: T\ndefaults: {data-set: other, last: 7d}\nsections:\n  - query: top\n  - query: {saved: top, limit: 2}\n',
    );
    const { gatectl } = await analytics(weeks);
    const env = { GATECTL_CONFIG_DIR: folder };
    const saved = ['bda', 'query', 'save', 'top', '--data-set', 'pageview', '-d', 'country', '-m', 'visits'];
    expect((await gatectl([...saved, '--month', '2026-02', '--limit', '5'], { env })).code).toBe(0);
    const args = [
      'bda',
      'report',
      'build',
      join(folder, 'weekly.yaml'),
      '--tz',
      'UTC',
      '--dry-run',
      '-o',
      'json',
    ];
    const { stdout } = await gatectl(args, { env });
    const planned: { section: string; days: string; query: Record<string, unknown> }[] = JSON.parse(stdout);
    expect(planned.map(({ section, days, query }) => [section, days, query.data_set, query.limit])).toEqual([
      ['top', '2026-02-01 to 2026-02-28', 'pageview', 5],
      ['top', '2026-02-01 to 2026-02-28', 'pageview', 2],
    ]);
  });

  test('as JSON has all rows of its sections', async () => {
    const { stdout } = await build(WEEKLY, ['--jq', '[.sections[] | [.title, ((.rows // []) | length)]]']);
    expect(JSON.parse(stdout)).toEqual([
      [null, 0],
      ['Countries', 4],
      ['Why', 4],
    ]);
  });

  test.each<[string[], string]>([
    [['-o', 'csv'], 'a report cannot be printed as csv'],
    [['--format', 'html', '--jq', '.'], '--jq and --format cannot be combined'],
    [['--format', 'xlsx'], 'a workbook requires --out FILE'],
    [['--out', ''], '--out is empty'],
  ])('%j is rejected before a request', async (args, line) => {
    const { code, stderr, requests } = await build(WEEKLY, args);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain(line);
  });
});

describe('if a section fails', () => {
  const text = withSections(
    '- title: Good',
    '  query: {dimension: country, metric: visits}',
    '- title: Bad',
    '  query: {dimension: device, metric: visits}',
  );
  const failing: typeof weeks = received =>
    received.body.includes('device')
      ? { status: 422, body: '{"error":{"code":"validation_error","message":"no"}}' }
      : weeks(received);

  test('nothing is written, the file that was there stays, and the error names the section', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'weekly.yaml'), text);
    writeFileSync(join(folder, 'weekly.html'), 'old');
    const { gatectl } = await analytics(failing);
    const { code, stderr } = await gatectl([
      'bda',
      'report',
      'build',
      join(folder, 'weekly.yaml'),
      '--out',
      join(folder, 'weekly.html'),
      '--tz',
      'UTC',
    ]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/^error: \S*weekly\.yaml:6:5 \(Bad\): /);
    expect(readdirSync(folder).sort()).toEqual(['weekly.html', 'weekly.yaml']);
  });

  test('missing rows are a warning in the report, and exit 7 with --strict', async () => {
    const incomplete: typeof weeks = received =>
      received.method === 'POST'
        ? { body: '{"rows":[{"country":"DE","visits":1}],"total_rows":5}' }
        : weeks(received);
    const few = withSections('- title: Few', '  query: {dimension: country, metric: visits}');
    expect((await build(few, [], { reply: incomplete })).code).toBe(0);
    const { code, stderr, written } = await build(few, ['--strict'], {
      name: 'weekly.md',
      reply: incomplete,
    });
    expect(code).toBe(7);
    const [, warning = ''] = /warning: weekly\.yaml:4:5 \(Few\): (.*)/.exec(stderr) ?? [];
    expect(warning).not.toBe('');
    expect(written().toString()).toContain(`> **Warning:** ${warning}`);
  });

  test('days without data are a warning in the report, and exit 7 with --strict', async () => {
    const started: typeof weeks = received =>
      received.target.endsWith('/date-range')
        ? { body: '{"earliest_date":"2026-03-10","latest_date":"2026-03-13"}' }
        : weeks(received);
    const section = '  query: {dimension: country, metric: visits, from: 2026-03-07, to: 2026-03-13}';
    const file = withSections('- title: Countries', section, '  chart: true');
    const gap = 'there is data for 4 of the 7 days from 7 to 13 March 2026 only (10 to 13 March 2026)';
    const loose = await build(file, [], { name: 'weekly.md', reply: started });
    expect(loose.code).toBe(0);
    expect(loose.stderr).toContain(`(Countries): ${gap}`);
    expect(loose.written().toString()).toContain(`> **Warning:** ${gap}`);
    const strict = await build(file, ['--strict'], { name: 'weekly.html', reply: started });
    expect(strict.code).toBe(7);
    expect(strict.written().toString()).toContain(gap);
  });

  test('with --strict, the error states why an explanation is not comparable', async () => {
    const why = withSections('- title: Why', '  why: {metric: visits, from: 2026-03-08, to: 2026-03-14}');
    const { code, stderr } = await build(why, ['--strict'], { name: 'weekly.md' });
    expect(code).toBe(7);
    expect(stderr).toMatch(
      /\nerror: \S+ \(Why\): the periods are not comparable: 14 March 2026 has not ended yet.* \(--strict\)\n/,
    );
  });

  test('a day that has not ended is marked in its tables', async () => {
    const rows = '{"report_day":"2026-03-13","visits":9},{"report_day":"2026-03-14","visits":4}';
    const reply: typeof weeks = received =>
      received.method === 'POST' ? { body: `{"rows":[${rows}],"total_rows":2}` } : weeks(received);
    const section = '  query: {dimension: report_day, metric: visits, from: -1d, to: today}';
    const file = withSections('- title: Days', section);
    for (const name of ['weekly.md', 'weekly.html'])
      expect((await build(file, [], { name, reply })).written().toString()).toContain(
        'Sat 14 Mar (not ended)',
      );
  });
});

describe('before anything is sent', () => {
  test('--dry-run lists the queries of all sections', async () => {
    const { code, stdout, requests } = await build(WEEKLY, ['--dry-run', '-o', 'csv']);
    expect(code).toBe(0);
    expect(stdout.split('\n').map(line => line.split(',').slice(0, 4).join(','))).toEqual([
      'section,days,compared,most',
      'Countries,2026-03-07 to 2026-03-13,2026-02-28 to 2026-03-06,',
      'Why,2026-03-07 to 2026-03-13,2026-02-28 to 2026-03-06,40',
      '',
    ]);
    expect(requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('--curl prints the requests of all sections, also those of the period before', async () => {
    const { code, stdout, requests } = await build(WEEKLY, ['--curl'], { name: 'weekly.html' });
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    const days = [...stdout.matchAll(/"start_date":"([\d-]+)"/g)].map(([, day]) => day);
    const [now, before] = ['2026-03-07', '2026-02-28'];
    // Rows, then both periods by day, then totals, then the explanation.
    expect(days).toEqual([now, before, before, now, before, before, now]);
  });

  test('a file that cannot be written is found out', async () => {
    const { code, requests, path } = await build(WEEKLY, [], { name: join('missing', 'weekly.html') });
    expect({ code, requests, exists: existsSync(dirname(path)) }).toEqual({
      code: 9,
      requests: [],
      exists: false,
    });
  });
});

test('a section has one count of rows, in its picture, its sentences and its table', async () => {
  const rows = Array.from({ length: 12 }, (_, at) => `{"country":"C${at}","visits":${900 - at}}`);
  const reply = ({ method }: Received): Reply =>
    method === 'GET' ? { status: 404, body: '{}' } : { body: `{"rows":[${rows.join()}],"total_rows":12}` };
  const report = withSections('- title: Countries', `  ${QUERY.slice(2)}`, '  chart: true', '  table: 5');
  const { stdout } = await build(report, [], { reply });
  expect(stdout.match(/^C\d+ █+/gm)).toHaveLength(5);
  expect(stdout.match(/^\| C\d+ /gm)).toHaveLength(5);
  expect(stdout).toContain('Visits in the first 5 of 12 rows: lowest 896 (C4), highest 900 (C0)');
  expect(stdout.match(/\d+ of \d+ rows/g)).toEqual(['5 of 12 rows', '5 of 12 rows']);
  const mailed = report.replace('sections:', 'mail: {to: [editors@example.com]}\nsections:');
  const { written } = await build(mailed, [], { reply, name: 'weekly.eml' });
  const { text = '', html = '' } = await PostalMime.parse(written());
  for (const part of [text, html]) {
    expect(part.match(/\d+ of \d+ rows/g)?.every(count => count === '5 of 12 rows')).toBe(true);
    expect(part).not.toMatch(/\d bars/);
  }
});

/** What a spreadsheet displays, of the formats that reports have. */
function displayed({ kind, value, format }: ReadCell): string {
  if (kind === 'text') return value;
  const [, part = ''] = /"( \([^"]*\))"/.exec(format) ?? [];
  if (kind === 'day') {
    const date = new Date(`${value}T00:00:00Z`).toUTCString();
    const [, weekday, day, month, year] = /^(\w+), (\d+) (\w+) (\d+)/.exec(date) ?? [];
    const text = format
      .replace(/^\[\$-409\]|"[^"]*"|;.*$/g, '')
      .replace('ddd', weekday ?? '')
      .replace('dd.mm', value.slice(5).split('-').reverse().join('.'))
      .replace(/\bd\b/, String(Number(day)))
      .replace('mmm', month ?? '')
      .replace('yyyy', year ?? '');
    return text + part;
  }
  if (format.startsWith('[<')) {
    const seconds = Math.round(Number(value) * 86_400);
    if (seconds < 60) return `${seconds} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
    return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} m`;
  }
  const [positive = '', negative = positive] = format.split(';');
  const section = Number(value) < 0 ? negative : positive;
  const [, places = ''] = /0(?:\.(0+))?/.exec(section) ?? [];
  const size = Math.abs(Number(value)) * (section.endsWith('0 %') ? 100 : 1);
  const digits = size.toLocaleString('en', {
    minimumFractionDigits: places.length,
    maximumFractionDigits: places.length,
  });
  return section.replaceAll('"', '').replace(/#,##0(?:\.0+)?|0(?:\.0+)?/, digits);
}

test.each([
  ['of days', 'report_day', ['"2026-03-09"', '"2026-03-10"'], []],
  ['of weeks, of which one lacks days', 'report_week', ['"2026-03-02"', '"2026-03-09"'], []],
  ['of months', 'report_month', ['"2026-02"', '"2026-03"'], []],
  ['of German days', 'report_day', ['"2026-03-09"', '"2026-03-10"'], ['--locale', 'de-DE']],
  ['rounded', 'country', ['"DE"', 'null'], ['--decimals', '2']],
])('a workbook displays figures %s as a page does, and keeps them typed', async (_, time, labels, flags) => {
  const columns = ['visits', 'revenue', 'bounce_rate', 'engaged_time'];
  const rows = [
    `{"${time}":${labels[0]},"visits":12345,"revenue":1234.5,"bounce_rate":0.43218,"engaged_time":141600}`,
    `{"${time}":${labels[1]},"visits":7,"revenue":null,"bounce_rate":1,"engaged_time":192}`,
  ];
  const listing = columns.map((name, at) => ({ name, unit: ['count', 'USD', 'ratio', 'seconds'][at] }));
  const reply = ({ method, target }: Received): Reply => {
    if (method !== 'GET') return { body: `{"rows":[${rows.join()}],"total_rows":2}` };
    return target.includes('columns')
      ? { body: JSON.stringify({ columns: listing }) }
      : { status: 404, body: '{}' };
  };
  const days = time === 'report_month' ? '2026-02-01' : '2026-03-02';
  const report = withSections('- title: Figures', `  query: {dimension: ${time}, metric: [${columns}]}`)
    .replace('2026-03-07', days)
    .replace('sections', 'kpis: [visits]\nsections');
  const { stdout } = await build(report, flags, { reply });
  const { path } = await build(report, flags, { reply, name: 'figures.xlsx' });
  const table = stdout
    .slice(stdout.indexOf('## Figures'))
    .split('\n')
    .filter(line => /^\| /.test(line));
  const page = table.slice(2).map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(text => text.trim()),
  );
  const sheet = readWorkbook(path).find(({ name }) => name === 'Figures');
  const comma = flags.includes('de-DE');
  const shown = (text: string) => (comma ? text.replace(/[.,]/g, mark => (mark === '.' ? ',' : '.')) : text);
  expect(
    sheet?.rows
      .slice(1)
      .map(cells =>
        cells.map((cell, at) =>
          cell === undefined ? '' : at === 0 ? displayed(cell) : shown(displayed(cell)),
        ),
      ),
  ).toEqual(page);
  expect(sheet?.rows[1]?.slice(1).map(cell => cell?.kind)).toEqual(columns.map(() => 'number'));
});

test('no share of an explanation reads 100 % that is not all of it', async () => {
  const reply: typeof weeks = request => {
    if (request.method === 'GET') return weeks(request);
    const visits = request.body.includes('2026-03-07') ? [3000, 1] : [0, 0];
    const rows = visits.map((count, at) => `{"country":"v${at}","visits":${count}}`);
    return { body: `{"rows":[${rows}],"total_rows":2}` };
  };
  const { stdout } = await build(WEEKLY, [], { reply });
  expect(stdout).toMatch(/ v0 .* over 99\.9 % .*\n.* v1 .* 0\.03 % /);
  const { path } = await build(WEEKLY, [], { name: 'weekly.xlsx', reply });
  const summary = readWorkbook(path).find(({ name }) => name === 'Summary');
  const shares = (summary?.rows ?? []).flatMap(row => (/^v\d$/.test(row[2]?.value ?? '') ? row[6] : []));
  expect(shares.map(cell => cell && displayed(cell))).toEqual(['99.97 %', '0.03 %']);
});

test('a section without rows says so on its sheet as elsewhere', async () => {
  const reply = ({ method }: Received): Reply =>
    method === 'GET' ? { status: 404, body: '{}' } : { body: '{"rows":[],"total_rows":0}' };
  const report = withSections('- title: Countries', `  ${QUERY.slice(2)}`);
  const { stdout } = await build(report, [], { reply });
  expect(stdout).toContain('\nno rows match\n');
  const { path } = await build(report, [], { reply, name: 'empty.xlsx' });
  for (const { rows } of readWorkbook(path))
    expect(rows.flat().map(cell => cell?.value)).toContain('no rows match');
});

test.each([
  ['country', [{ column: 'visits', direction: 'desc' }]],
  ['report_day', undefined],
])('rows of %s without an order begin with the largest, unless they are of days', async (column, first) => {
  const query = `  query: {dimension: ${column}, metric: [visits, revenue]}`;
  const { requests } = await build(withSections('- title: Rows', query));
  const body = requests.find(({ method, body }) => method === 'POST' && body.includes('"dimensions"'))?.body;
  const { sort = [] } = JSON.parse(body ?? '{}');
  expect(sort[0]).toEqual(first?.[0] ?? { column, direction: 'asc' });
});

test.each([
  ['{dimension: report_day, metric: visits}', 'Visits per day'],
  ['{dimension: [country, device], metric: [visits, page_views]}', 'Views and page views by country, device'],
])('a section without a title is called by the labels of its columns: %s', async (query, title) => {
  const reply = ({ method }: Received): Reply =>
    method === 'GET' ? { status: 404, body: '{}' } : { body: '{"rows":[],"total_rows":0}' };
  const report = withSections(`- query: ${query}`).replace('sections:', 'labels: {visits: Views}\nsections:');
  const { stdout } = await build(title.startsWith('Views') ? report : withSections(`- query: ${query}`), [], {
    reply,
  });
  expect(stdout).toContain(`\n## ${title}\n`);
});
