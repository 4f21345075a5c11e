import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';
import { readWorkbook } from '../../support/workbook.ts';
import { analytics, BASE, brokenFrom, paging } from './analytics.ts';

const ASKED = [...BASE, '-d', 'report_day,country', '-m', 'visits,revenue'];
const ROWS = [
  '{"report_day":"2026-02-01","country":"DE","visits":12345,"revenue":172.4133208101921}',
  '{"report_day":"2026-02-02","country":"=AT","visits":7,"revenue":null}',
  '{"report_day":"2026-02-03","country":"CH","visits":null,"revenue":-0.5}',
];

/** The first sheet as texts. */
const sheetOf = (path: string) =>
  readWorkbook(path)[0]?.rows.map(row => Array.from(row, cell => cell && `${cell.kind} ${cell.value}`));

describe('--out FILE.xlsx', () => {
  test('writes typed cells that another program reads, and nothing else', async () => {
    const { gatectl } = await analytics(paging(ROWS));
    const folder = temporaryFolder();
    const out = join(folder, 'rows.xlsx');
    const { code, stdout, stderr } = await gatectl([...ASKED, '--out', out, '--manifest']);
    const bytes = readFileSync(out);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: `note: 3 rows in ${out} (${bytes.length.toLocaleString('en')} bytes)\n`,
    });
    expect(sheetOf(out)).toEqual([
      ['text report_day', 'text country', 'text visits', 'text revenue'],
      ['day 2026-02-01', 'text DE', 'number 12345', 'number 172.4133208101921'],
      ['day 2026-02-02', 'text =AT', 'number 7'],
      ['day 2026-02-03', 'text CH', undefined, 'number -0.5'],
    ]);
    expect(readdirSync(folder).sort()).toEqual(['rows.xlsx', 'rows.xlsx.meta.json']);
    expect(JSON.parse(readFileSync(`${out}.meta.json`, 'utf8'))).toMatchObject({
      format: 'xlsx',
      sha256: createHash('sha256').update(bytes).digest('hex'),
      rows: 3,
    });
  });

  test('prints its days below each page', async () => {
    const { gatectl } = await analytics(paging(ROWS));
    const footerOf = async (...flags: string[]) => {
      const out = join(temporaryFolder(), 'rows.xlsx');
      expect(await gatectl([...ASKED, ...flags, '--out', out])).toMatchObject({ code: 0 });
      const sheet = unzipSync(readFileSync(out))['xl/worksheets/sheet1.xml'] ?? new Uint8Array();
      return /<oddFooter>(.*)<\/oddFooter>/.exec(strFromU8(sheet))?.[1];
    };
    const pages = '&amp;R&amp;P / &amp;N';
    expect(await footerOf()).toBe(`&amp;L&amp;A: 1 to 28 February 2026${pages}`);
    expect(await footerOf('--compare', 'previous')).toBe(
      `&amp;L&amp;A: 1 to 28 February 2026, compared with 4 to 31 January 2026${pages}`,
    );
  });

  test('marks a day that has not ended by its format; the value remains the day', async () => {
    const out = join(temporaryFolder(), 'rows.xlsx');
    const asked = ['bda', 'query', '--data-set', 'pageview', '-d', 'report_day', '-m', 'visits', '--sandbox'];
    const days = ['--last', '2d', '--include-today', '--out', out];
    expect(await run([...asked, ...days], { env: { TZ: 'UTC' } })).toMatchObject({ code: 0 });
    expect(
      readWorkbook(out)[0]
        ?.rows.slice(1)
        .map(([cell]) => cell),
    ).toEqual([
      { kind: 'day', value: '2026-03-13', format: 'yyyy-mm-dd' },
      { kind: 'day', value: '2026-03-14', format: 'yyyy-mm-dd" (not ended)";;;@" (not ended)"' },
    ]);
  });

  test.each([[['--chart']], [['--chart', 'FILE']]])(
    'with %j shows the chart beside its rows',
    async flags => {
      const { gatectl } = await analytics(paging(ROWS.slice(0, 2)));
      const folder = temporaryFolder();
      const out = join(folder, 'rows.xlsx');
      const chart = flags.map(flag => flag.replace('FILE', join(folder, 'rows.svg')));
      const { code } = await gatectl([...BASE, '-d', 'country', '-m', 'visits', ...chart, '--out', out]);
      expect(code).toBe(0);
      const sheets = readWorkbook(out);
      expect(sheets.map(({ name }) => name)).toEqual(['pageview', 'Data']);
      expect(sheets[1]?.rows.map(row => row.map(cell => cell?.value))).toEqual([
        ['country', 'Visits'],
        ['DE', '12345'],
        ['=AT', '7'],
      ]);
      const files = unzipSync(readFileSync(out));
      expect(strFromU8(files['xl/charts/chart1.xml'] ?? new Uint8Array())).toContain(
        "<c:f>'Data'!$B$2:$B$3</c:f>",
      );
    },
  );

  test('names a column whose numbers a spreadsheet would change, and --decimals rounds it to numbers', async () => {
    const { gatectl } = await analytics(paging([...ROWS, '{"revenue":12345.12345678901234567890}']));
    const out = join(temporaryFolder(), 'rows.xlsx');
    const exact = await gatectl([...ASKED, '--out', out]);
    expect(exact.code).toBe(0);
    expect(exact.stderr).toContain(
      'note: the column revenue is text, because a spreadsheet would change numbers such as 12345.12345678901234567890; --decimals N rounds them\n',
    );
    expect(
      sheetOf(out)
        ?.map(row => row[3])
        .slice(1),
    ).toEqual(['text 172.4133208101921', undefined, 'text -0.5', 'text 12345.12345678901234567890']);
    expect((await gatectl([...ASKED, '--out', out, '--decimals', '2'])).code).toBe(0);
    expect(
      sheetOf(out)
        ?.map(row => row[3])
        .slice(1),
    ).toEqual(['number 172.41', undefined, 'number -0.50', 'number 12345.12']);
  });

  test('after an interrupted export, the same command requests the rest only and gives the same file', async () => {
    const complete = await analytics(paging(ROWS));
    const folder = temporaryFolder();
    const [first, second] = [join(folder, 'complete.xlsx'), join(folder, 'resumed.xlsx')];
    const all = [...ASKED, '--all', '--page-size', '1', '--retries', '0'];
    await complete.gatectl([...all, '--out', first]);

    const { reply, repair } = brokenFrom(2, ROWS, { body: '{"rows":[{"report_day"' });
    const { server, gatectl } = await analytics(reply);
    const cut = await gatectl([...all, '--out', second]);
    expect(cut.code).toBe(6);
    expect(existsSync(second)).toBe(false);

    repair();
    const pages = () => server.received.filter(({ method }) => method === 'POST').length;
    const before = pages();
    expect((await gatectl([...all, '--out', second])).code).toBe(0);
    expect(pages() - before).toBe(1);
    expect(readFileSync(second)).toEqual(readFileSync(first));
    expect(readdirSync(folder).sort()).toEqual(['complete.xlsx', 'resumed.xlsx']);
  });

  test('that cannot hold a text fails and leaves no file', async () => {
    const { gatectl } = await analytics(
      paging([`{"report_day":"2026-02-01","country":"${'x'.repeat(40_000)}","visits":1,"revenue":1}`]),
    );
    const folder = temporaryFolder();
    const { code, stderr } = await gatectl([...ASKED, '--out', join(folder, 'rows.xlsx')]);
    expect(code).toBe(9);
    expect(stderr).toContain('the column country has a text of 40000 characters; a cell holds 32767');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('suggests no rounding for a column of integers', async () => {
    const { gatectl } = await analytics(
      paging(['{"report_day":"2026-02-01","country":"DE","visits":12345678901234567890,"revenue":1}']),
    );
    const { stderr } = await gatectl([...ASKED, '--out', join(temporaryFolder(), 'rows.xlsx')]);
    expect(stderr).toContain('a spreadsheet would change numbers such as 12345678901234567890\n');
  });

  test('formats numbers by the units that the API lists', async () => {
    const out = join(temporaryFolder(), 'rows.xlsx');
    const query = [
      'bda',
      'query',
      '--sandbox',
      '--data-set',
      'pageview',
      '-d',
      'country',
      '-m',
      'visits,revenue',
    ];
    const { code } = await run([...query, '--last', '7d', '--out', out]);
    expect(code).toBe(0);
    expect(readWorkbook(out)[0]?.rows[1]?.map(cell => cell?.format)).toEqual([
      'General',
      '#,##0',
      '[$USD] #,##0.00',
    ]);
  });
});

describe('-o xlsx', () => {
  test('writes a workbook whatever the name of the file', async () => {
    const { gatectl } = await analytics(paging(ROWS));
    const out = join(temporaryFolder(), 'rows.csv');
    const { code, stderr } = await gatectl([...ASKED, '-o', 'xlsx', '--out', out]);
    expect(code).toBe(0);
    expect(stderr).toContain(`note: writing xlsx to ${out}, because --output overrides the file name\n`);
    expect(sheetOf(out)).toHaveLength(4);
  });

  test.each([
    [[...ASKED, '-o', 'xlsx'], '-o xlsx requires --out FILE'],
    [[...ASKED, '-o', 'xlsx', '--out', '-'], '-o xlsx requires --out FILE'],
    [['bda', 'domains', '-o', 'parquet'], '-o parquet requires --out FILE'],
    [[...ASKED, '-o', 'xlsx', '--json', '--out', 'x'], '--output xlsx and --json are different formats'],
    [[...ASKED, '--out', 'rows.xlsx.gz'], 'cannot compress rows.xlsx.gz: xlsx has its own compression'],
    [[...ASKED, '--out', 'rows.csv', '--decimals', '2'], '--decimals and --out cannot be combined'],
  ])('%j is rejected and sends nothing', async (args, message) => {
    const { server, gatectl } = await analytics(paging(ROWS));
    const { code, stderr } = await gatectl(args, { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(server.received.length).toBe(0);
  });
});

test('a compared workbook, and a report, write the figure before and the change as the figure', async () => {
  const folder = temporaryFolder();
  const metrics = ['revenue', 'bounce_rate', 'engaged_time'];
  const flags = ['-d', 'device', '-m', metrics.join(), '--last', '7d', '--compare', 'previous', '--sandbox'];
  const [rows, report, file] = ['rows.xlsx', 'report.xlsx', 'report.yaml'].map(name => join(folder, name));
  await run(['bda', 'query', ...flags, '--out', `${rows}`]);
  writeFileSync(
    `${file}`,
    `title: Weekly\nsections:\n  - title: Devices\n    query: {data-set: pageview, dimension: device, metric: [${metrics}], last: 7d, compare: previous}\n`,
  );
  await run(['bda', 'report', 'build', `${file}`, '--out', `${report}`, '--sandbox']);
  const formatsIn = (path: string | undefined, name: string) => {
    const [header = [], first = []] = readWorkbook(`${path}`).find(sheet => sheet.name === name)?.rows ?? [];
    return Object.fromEntries(header.map((cell, at) => [cell?.value, first[at]?.format]));
  };
  const signed = (format: string) => `+${format};"\u2212"${format};${format}`;
  expect(formatsIn(rows, 'pageview')).toMatchObject({
    ...{ revenue: '[$USD] #,##0.00', revenue_before: '[$USD] #,##0.00' },
    ...{ revenue_change: signed('[$USD] #,##0.00'), revenue_change_percent: signed('#,##0.0" %"') },
    ...{ bounce_rate_before: '0.0 %', bounce_rate_change: signed('#,##0.0" pp"') },
    ...{ engaged_time_before: '#,##0.0" s"', engaged_time_change: signed('#,##0.0" s"') },
  });
  expect(formatsIn(report, 'Devices')).toMatchObject({
    'Bounce rate change': signed('#,##0.0" pp"'),
    'Revenue change %': signed('#,##0.0" %"'),
    'Revenue before (USD)': '#,##0.00',
  });
});
