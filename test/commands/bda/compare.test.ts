import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { readParquet } from '../../support/duckdb.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';
import { analytics, paging, rowsReply, sent } from './analytics.ts';

const COUNTRIES = ['DE', 'AT', 'CH', 'US', 'GB', 'FR', 'IT'];
const ASKED = ['bda', 'query', '--data-set', 'pageview', '-d', 'report_day,country', '-m', 'visits,revenue'];
const NOW = ['--from', '2026-02-01', '--to', '2026-02-28'];
const BEFORE = ['--from', '2026-01-04', '--to', '2026-01-31'];

/** Made-up rows of the days asked about; each country is missing on some days. */
function rowsOf(body: string): string[] {
  const { date_range: days, dimensions = [] } = JSON.parse(body) as {
    date_range: Record<string, string>;
    dimensions?: string[];
  };
  const { start_date: from, end_date: to } = days;
  const rows: string[] = [];
  for (let time = Date.parse(`${from}`); time <= Date.parse(`${to}`); time += 86_400_000) {
    const day = new Date(time).toISOString().slice(0, 10);
    const countries = dimensions.includes('country') ? COUNTRIES : ['all'];
    countries.forEach((country, i) => {
      const seed = (time / 86_400_000) * 7919 + i * 104_729;
      if (countries.length > 1 && seed % 5 === 0) return;
      const revenue = `${seed % 1000}.${String((seed * 31_337) % 10_000_000_000_000).padStart(13, '0')}`;
      rows.push(
        `{"report_day":"${day}","country":"${country}","visits":${seed % 4000},"revenue":${seed % 11 === 0 ? 'null' : revenue}}`,
      );
    });
  }
  return rows;
}

const asking = () =>
  analytics(request =>
    request.method === 'GET' ? { body: '{"columns":[]}' } : paging(rowsOf(request.body))(request),
  );

/** Decimal text as an integer of 13 decimals. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  return BigInt(whole + fraction.padEnd(13, '0')) * (text.startsWith('-') ? -1n : 1n);
}

describe('--compare', () => {
  test('leaves the file as it was if no rows are received, although some are announced', async () => {
    const { gatectl } = await analytics(({ method }) =>
      method === 'GET' ? { body: '{"columns":[]}' } : rowsReply([], 5),
    );
    const folder = temporaryFolder();
    const out = join(folder, 'rows.csv');
    writeFileSync(out, 'old');
    const compared = await gatectl([...ASKED, ...NOW, '--compare', 'previous', '--out', out]);
    expect(compared).toMatchObject({ code: 7, stdout: '' });
    expect(compared.stderr).toContain(`nothing was written to ${out}, because the rows are not complete\n`);
    expect(readFileSync(out, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['rows.csv']);
  });

  test('gives the same as joining two separate exports', async () => {
    const { gatectl } = await asking();
    const csv = async (flags: string[]) => {
      const { stdout } = await gatectl([...ASKED, '--all', '--csv', ...flags]);
      return parse(stdout, { columns: true }) as Record<string, string>[];
    };
    const [now, before, compared] = [
      await csv(NOW),
      await csv(BEFORE),
      await csv([...NOW, '--compare', 'previous']),
    ];
    expect(now.length).toBeGreaterThan(100);

    const byKey = new Map(compared.map(row => [`${row.report_day} ${row.country}`, row]));
    const later = (day = '') => new Date(Date.parse(day) + 28 * 86_400_000).toISOString().slice(0, 10);
    const earlier = new Map(before.map(row => [`${later(row.report_day)} ${row.country}`, row]));
    const keys = new Set([...now.map(row => `${row.report_day} ${row.country}`), ...earlier.keys()]);
    expect(new Set(byKey.keys())).toEqual(keys);
    expect(compared.length).toBe(keys.size);

    const found = { both: 0, 'now only': 0, 'before only': 0 };
    const nowByKey = new Map(now.map(row => [`${row.report_day} ${row.country}`, row]));
    for (const key of keys) {
      const [row, a, b] = [byKey.get(key), nowByKey.get(key), earlier.get(key)];
      const where = a === undefined ? 'before only' : b === undefined ? 'now only' : 'both';
      found[where] += 1;
      expect(row?.compared).toBe(where);
      expect(row?.report_day_before).toBe(b?.report_day ?? '');
      for (const figure of ['visits', 'revenue']) {
        const [from, to] = [b?.[figure] ?? '', a?.[figure] ?? ''];
        expect([row?.[figure], row?.[`${figure}_before`]]).toEqual([to, from]);
        if (from === '' || to === '') expect(row?.[`${figure}_change`]).toBe('');
        else expect(scaled(row?.[`${figure}_change`] ?? '')).toBe(scaled(to) - scaled(from));
        const percent = row?.[`${figure}_change_percent`];
        if (from === '' || to === '' || Number(from) === 0) expect(percent).toBe('');
        else expect(Number(percent)).toBeCloseTo(((Number(to) - Number(from)) / Number(from)) * 100, 3);
      }
    }
    expect(Object.values(found).every(count => count > 0)).toBe(true);
  });

  test.each(['table', 'md', 'html'])(
    'states in %s that a total is of more rows than the table',
    async format => {
      const rows = [30, 20, 10].map((visits, at) => `{"page":"/${at}","visits":${visits}}`);
      const { gatectl } = await analytics(request =>
        request.body.includes('"dimensions"') || request.method === 'GET'
          ? paging(rows)(request)
          : rowsReply(['{"visits":60}'], 1),
      );
      const asked = ['bda', 'query', '--data-set', 'pageview', '-d', 'page', '-m', 'visits', '-o', format];
      const total = async (...limit: string[]) =>
        (await gatectl([...asked, ...NOW, '--compare', 'previous', ...limit])).stdout;
      expect(await total('--limit', '2')).toContain('Visits in all rows: 60 (before: 60), unchanged');
      expect(await total()).toContain('Visits: 60 (before: 60), unchanged');
    },
  );

  test('compares with the days that it names', async () => {
    const { gatectl } = await asking();
    const csv = (compare: string) => gatectl([...ASKED, ...NOW, '--all', '--csv', '--compare', compare]);
    const [previous, named, month] = [
      await csv('previous'),
      await csv('2026-01-04..31.01.2026'),
      await csv('2026-01'),
    ];
    expect(named.stdout).toBe(previous.stdout);
    expect(month.stderr).toContain('note: compared with 1 to 31 January 2026, 31 days\n');
    expect(month.stderr).toContain('note: the periods do not have the same days of the week\n');
  });

  test.each(['nonsense', '2026-01..', '2026-02..2026-01', '1/2/2026', ''])(
    '%j is no period',
    async compare => {
      const { server, gatectl } = await asking();
      const { code, stderr } = await gatectl([...ASKED, ...NOW, '--compare', compare]);
      expect(code).toBe(2);
      expect(stderr).toContain(
        `error: cannot compare with '${compare}': not a period\n  pass previous or year, a period such as`,
      );
      expect(server.received).toEqual([]);
    },
  );

  test('says that both periods have days in common', async () => {
    const { gatectl } = await asking();
    const query = ['bda', 'query', '--data-set', 'pageview', '-d', 'report_day', '-m', 'visits', ...NOW];
    const compared = ['--all', '-o', 'md', '--compare'];
    const { stdout, stderr } = await gatectl([...query, ...compared, '2026-01-27..2026-02-02']);
    const overlap = 'both periods contain 1 to 2 February 2026';
    expect(stderr).toContain(`warning: ${overlap}\n`);
    expect(stdout.split(overlap).length - 1).toBe(2);
    const apart = await gatectl([...query, ...compared, '2026-01-25..2026-01-31']);
    expect(apart.stdout + apart.stderr).not.toContain('both periods');
  });

  test('of days that it names does not shift weekdays', async () => {
    const { gatectl } = await asking();
    const { code, stderr } = await gatectl([...ASKED, ...NOW, '--compare', '2026-01', '--match-weekdays']);
    expect(code).toBe(2);
    expect(stderr).toContain('--match-weekdays and --compare 2026-01 cannot be combined');
  });

  test('requests the complete previous days, and prints them', async () => {
    const { server, gatectl } = await asking();
    const { code, stderr } = await gatectl([...ASKED, ...NOW, '--limit', '3', '--compare', 'year', '--csv']);
    expect(code).toBe(0);
    expect(stderr).toBe(
      'note: compared with 1 to 28 February 2025, 28 days\n' +
        'note: the periods do not have the same days of the week; --match-weekdays shifts them by complete weeks\n' +
        'note: only the first 3 of 157 rows are compared; --all compares all, including rows that disappeared\n',
    );
    expect(sent(server, 0)).toMatchObject({ limit: 3, date_range: { start_date: '2026-02-01' } });
    expect(sent(server, 1)).toMatchObject({
      limit: 100_000,
      offset: 0,
      date_range: { start_date: '2025-02-01', end_date: '2025-02-28' },
      sort: [
        { column: 'report_day', direction: 'asc' },
        { column: 'country', direction: 'asc' },
      ],
    });
  });

  test('takes the columns of a saved report from the earlier rows if there are none now', async () => {
    const report = ['bda', 'report', 'run', 'Countries', '--group-by', 'week', '--sandbox'];
    const future = ['--from', '2026-03-16', '--to', '2026-03-20'];
    const { stdout } = await run([...report, ...future, '--all', '--compare', 'previous', '--csv']);
    const rows = parse(stdout, { columns: true }) as Record<string, string>[];
    expect(rows.length).toBeGreaterThan(10);
    expect(rows[0]).toMatchObject({
      country: 'US',
      report_week: '2026-03-16',
      report_week_before: '2026-03-09',
      visits: '',
      visits_before: expect.stringMatching(/^\d+$/),
      compared: 'not comparable',
    });
  });

  test.each([
    ['2026-03-14', '14 March 2026 has not ended yet'],
    ['2026-03-16', '14 to 16 March 2026 have not ended yet'],
  ])('notes that days up to %s have not ended yet', async (to, told) => {
    const { gatectl } = await asking();
    const { stderr } = await gatectl([
      ...ASKED,
      '--from',
      '2026-03-10',
      '--to',
      to,
      '--all',
      '--compare',
      'previous',
    ]);
    expect(stderr).toContain(`note: ${told}, so the requested days are not comparable with those before\n`);
  });

  test('notes that there is no data for the days before', async () => {
    const days = ['--from', '2026-01-01', '--to', '2026-01-02'];
    const { stderr } = await run([...ASKED, ...days, '--all', '--compare', 'year', '--csv', '--sandbox']);
    expect(stderr).toMatch(
      /^warning: the periods are not comparable: there is no data for 1 to 2 January 2025 \(data: \d+ \w+ 2025 to 14 March 2026\)\n/m,
    );
  });

  test('moves a report grouped by weeks by complete weeks', async () => {
    const days = ['--from', '2026-03-02', '--to', '2026-03-11'];
    const report = ['bda', 'report', 'run', '-d', 'country', '-m', 'visits', '--group-by', 'week'];
    const { stdout, stderr } = await run([
      ...report,
      ...days,
      '--all',
      '--compare',
      'previous',
      '--csv',
      '--sandbox',
    ]);
    expect(stderr).toContain('compared with 16 to 25 February 2026, 10 days');
    const rows = parse(stdout, { columns: true }) as Record<string, string>[];
    expect(rows.length).toBeGreaterThan(10);
    const pairs = rows.map(row => `${row.report_week} ${row.report_week_before}`);
    expect(new Set(pairs)).toEqual(new Set(['2026-03-02 2026-02-16', '2026-03-09 2026-02-23']));
  });

  test('compares Mondays with Mondays with --match-weekdays', async () => {
    const asked = ['bda', 'query', '--data-set', 'pageview', '-d', 'report_day', '-m', 'visits', '--all'];
    const days = ['--from', '2026-02-01', '--to', '2026-02-28'];
    const month = ['--from', '2026-01-01', '--to', '2026-01-31'];
    for (const [range, before, count] of [
      [days, '4 to 31 January 2026', 28],
      [month, '27 November to 27 December 2025', 31],
    ] as const) {
      const compared = ['--compare', 'previous', '--match-weekdays', '--csv', '--sandbox'];
      const { stdout, stderr } = await run([...asked, ...range, ...compared]);
      expect(stderr).toContain(`compared with ${before}, ${count} days`);
      const rows = parse(stdout, { columns: true }) as Record<string, string>[];
      const weekday = (day = '') => new Date(`${day}T00:00:00Z`).getUTCDay();
      expect(rows.length).toBe(count);
      for (const row of rows) expect(weekday(row.report_day)).toBe(weekday(row.report_day_before));
    }
  });

  test('does not match weekdays of months', async () => {
    const asked = ['bda', 'query', '--data-set', 'pageview', '-d', 'report_month', '-m', 'visits', '--all'];
    const days = ['--from', '2026-02-01', '--to', '2026-02-28'];
    const { code, stderr } = await run([
      ...[...asked, ...days, '--compare', 'year', '--match-weekdays', '--sandbox'],
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('--match-weekdays cannot be combined with months');
  });

  test.each(['json', 'ndjson', 'tsv', 'md', 'html', 'table'])('works as %s', async format => {
    const { gatectl } = await asking();
    const { code, stdout } = await gatectl([
      ...ASKED,
      ...NOW,
      '--all',
      '--compare',
      'previous',
      '-o',
      format,
    ]);
    expect(code).toBe(0);
    const isForPeople = ['table', 'md', 'html'].includes(format);
    expect(stdout).toContain(isForPeople ? 'Revenue change %' : 'revenue_change_percent');
    expect(stdout).toContain('before only');
  });

  test('goes into a file, typed where the file has types', async () => {
    const { gatectl } = await asking();
    const out = join(temporaryFolder(), 'a.parquet');
    const { code } = await gatectl([
      ...ASKED,
      ...NOW,
      '--all',
      '--compare',
      'previous',
      '--out',
      out,
      '--manifest',
    ]);
    expect(code).toBe(0);
    const { types } = await readParquet(out);
    expect(types).toMatchObject({
      report_day: 'DATE',
      report_day_before: 'DATE',
      visits: 'BIGINT',
      visits_change: 'BIGINT',
      revenue_change_percent: expect.stringMatching(/^DECIMAL/),
      compared: 'VARCHAR',
    });
    expect(JSON.parse(readFileSync(`${out}.meta.json`, 'utf8')).days).toEqual({
      now: { start_date: '2026-02-01', end_date: '2026-02-28' },
      before: { from: '2026-01-04', to: '2026-01-31' },
    });
  });

  test('draws both', async () => {
    const { gatectl } = await asking();
    const asked = [
      'bda',
      'query',
      '--data-set',
      'pageview',
      '-d',
      'report_day',
      '-m',
      'visits',
      ...NOW,
      '--all',
    ];
    const { stdout } = await gatectl([...asked, '--compare', 'previous', '--chart', '--ascii']);
    expect(stdout).toContain('* now  o before');
    const words = stdout.replaceAll('\n', ' ');
    expect(words).toMatch(/Visits: [\d,]+ \(before: [\d,]+\), change [+-][\d,]+ \([+-][\d.]+ %\)/);
    expect(words).toMatch(/Visits, now: lowest .* \(\w+ \d+ Feb\), highest .* \(\w+ \d+ Feb\)/);
    expect(words).toMatch(/Visits, before: lowest .* \(\w+ \d+ Jan\), highest .* \(\w+ \d+ Jan\)/);
    expect(words).not.toMatch(/first|last|peak/);
    expect(stdout).toContain('1 to 28 February 2026, compared with 4 to 31 January 2026');
  });

  test('--strict counts flaws of either side', async () => {
    const { gatectl } = await analytics(request => {
      if (request.body.includes('"2026-02-01"')) return paging(rowsOf(request.body))(request);
      return { body: '{"rows":[{"report_day":"2026-01-04","country":"DE","visits":1}],"total_rows":1}' };
    });
    const { code, stderr } = await gatectl([
      ...ASKED,
      ...NOW,
      '--all',
      '--compare',
      'previous',
      '--csv',
      '--strict',
    ]);
    expect(code).toBe(7);
    expect(stderr).toContain('warning: in the days before: the column revenue is missing in 1 row\n');
  });

  test('sends v1 the same request for the days before, from the first row', async () => {
    const { server, gatectl } = await analytics(({ method, body }) =>
      method === 'GET' || body.includes('"StartItem":1,')
        ? { body: '[]' }
        : { body: '[{"country":"DE","visits":3}]' },
    );
    const asked = [
      'bda',
      'report',
      'run',
      '-d',
      'country',
      '-m',
      'visits',
      '--offset',
      '5',
      '--limit',
      '1',
      '--csv',
    ];
    const { code, stdout } = await gatectl([...asked, ...NOW, '--compare', 'previous']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'country,visits,visits_before,visits_change,visits_change_percent,compared\nDE,3,3,0,0,both\n',
    });
    const posted = server.received
      .filter(({ method, body }) => method === 'POST' && !body.includes('"StartItem":1,'))
      .map(({ body }) => JSON.parse(body));
    expect(posted).toMatchObject([
      { StartDate: '2026-02-01', EndDate: '2026-02-28', StartItem: 5, MaxItems: 1 },
      { StartDate: '2026-01-04', EndDate: '2026-01-31', StartItem: 0, MaxItems: 10_000 },
    ]);
  });

  test('does not make a column that is there already', async () => {
    const { gatectl } = await analytics(paging(['{"visits":1,"visits_before":2}']));
    const asked = ['bda', 'query', '--data-set', 'pageview', '-m', 'visits,visits_before', ...NOW];
    const { code, stderr } = await gatectl([...asked, '--compare', 'year']);
    expect(code).toBe(2);
    expect(stderr).toContain('--compare adds a column visits_before, and the query already has one');
  });

  test('of a saved report without days requires them', async () => {
    const { server, gatectl } = await analytics(() => ({ body: '{"DateBaseSelectId":"BASE_LAST_7"}' }));
    const { code, stderr } = await gatectl(['bda', 'report', 'run', 'Countries', '--compare', 'previous']);
    expect(code).toBe(2);
    expect(stderr).toContain('--compare requires days');
    expect(server.received.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('and --resume are rejected together', async () => {
    const { gatectl } = await asking();
    const out = join(temporaryFolder(), 'a.csv');
    const { code, stderr } = await gatectl([
      ...ASKED,
      ...NOW,
      '--all',
      '--out',
      out,
      '--resume',
      '--compare',
      'year',
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('--compare and --resume cannot be combined');
    expect(existsSync(out)).toBe(false);
  });
});

describe('--compare with days that have no data', () => {
  /** 10 visits a day in each country, in the grouping asked for: from 10 January 2026 on, or from the first day. */
  const gateway = (
    range: unknown = { earliest_date: '2026-01-10', latest_date: '2026-03-13' },
    first = '2026-01-10',
  ) =>
    analytics(request => {
      if (request.method === 'GET')
        return request.target.endsWith('date-range')
          ? { body: JSON.stringify(range) }
          : { status: 404, body: '{}' };
      const { date_range: days, dimensions = [] } = JSON.parse(request.body);
      const rows = new Map<string, number>();
      for (let time = Date.parse(days.start_date); time <= Date.parse(days.end_date); time += 86_400_000) {
        const day = new Date(time).toISOString().slice(0, 10);
        if (day < first) continue;
        const label = { report_day: day, report_month: day.slice(0, 7) }[String(dimensions[0])] ?? 'DE';
        rows.set(label, (rows.get(label) ?? 0) + 10);
      }
      return rowsReply(
        [...rows].map(([label, visits]) => `{"${dimensions[0]}":"${label}","visits":${visits}}`),
        rows.size,
      );
    });
  const asked = (dimension: string) => [
    'bda',
    'query',
    '--data-set',
    'pageview',
    '-d',
    dimension,
    '-m',
    'visits',
  ];

  test('marks the change as not comparable, names the days with data, and exits 7 with --strict', async () => {
    const { gatectl } = await gateway();
    const flags = [...asked('country'), '--previous', 'month', '--compare', 'previous', '--csv'];
    const { code, stdout, stderr } = await gatectl([...flags, '--quiet']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout:
        'country,visits,visits_before,visits_change,visits_change_percent,compared\nDE,280,220,,,not comparable\n',
      stderr:
        'warning: the periods are not comparable: there is data for 22 of the 31 days from 1 to 31 January 2026 only (10 to 31 January 2026)\n',
    });
    const strict = await gatectl([...flags, '--strict', '--quiet']);
    expect(strict.code).toBe(7);
    expect(strict.stdout).toBe(stdout);
  });

  test('still compares the days that have data on both sides', async () => {
    const { gatectl } = await gateway();
    const { stdout } = await gatectl([
      ...asked('report_day'),
      '--previous',
      'month',
      '--compare',
      'previous',
      '--csv',
    ]);
    const rows = parse(stdout, { columns: true }) as Record<string, string>[];
    expect(rows.length).toBe(31);
    for (const { report_day: day = '', compared, visits_change: change } of rows.slice(0, 28))
      expect({ day, compared, change }).toEqual(
        day < '2026-02-10'
          ? { day, compared: 'not comparable', change: '' }
          : { day, compared: 'both', change: '0' },
      );
    expect(rows.slice(28).map(({ report_day_before, compared }) => [report_day_before, compared])).toEqual(
      ['2026-01-29', '2026-01-30', '2026-01-31'].map(day => [day, 'before only']),
    );
  });

  test('marks the months that data do not cover, and no other', async () => {
    const { gatectl } = await gateway();
    const days = ['--from', '2026-01-01', '--to', '2026-02-28'];
    const { stdout } = await gatectl([...asked('report_month'), ...days, '--compare', 'previous', '--csv']);
    expect(parse(stdout, { columns: true })).toMatchObject([
      { compared: 'not comparable' },
      { compared: 'not comparable' },
    ]);
    const later = ['--from', '2026-02-01', '--to', '2026-03-13'];
    const second = await gatectl([...asked('report_month'), ...later, '--compare', 'previous', '--csv']);
    expect(parse(second.stdout, { columns: true })).toMatchObject([
      { report_month: '2026-02', compared: 'not comparable' },
      { report_month: '2026-03', report_month_before: '2026-01', compared: 'not comparable' },
    ]);
  });

  test.each([
    ['chart', ['--chart'], /, not comparable\)[\s\S]*not comparable: there is data for 22 of the 31 days/],
    ['md', ['-o', 'md'], /\n\nnot comparable: there is data for 22 of the 31 days/],
    ['html', ['-o', 'html'], /<p>not comparable: there is data for 22 of the 31 days/],
  ])('a %s marks this, and shows no change', async (_, flags, told) => {
    const { gatectl } = await gateway();
    const { stdout } = await gatectl([
      ...asked('country'),
      '--previous',
      'month',
      '--compare',
      'previous',
      ...flags,
    ]);
    expect(stdout).toMatch(told);
    expect(stdout).not.toMatch(/27\.|\+/);
  });

  test.each(['country', 'report_day'])(
    'states the same totals of rows by %s, and no change',
    async dimension => {
      const { gatectl } = await gateway();
      const days = ['--previous', 'month', '--compare', 'previous'];
      const { stdout } = await gatectl([...asked(dimension), ...days, '-o', 'md']);
      expect(stdout).toContain(
        'Visits: 280 (before: 220), not comparable: there is data for 22 of the 31 days',
      );
    },
  );

  test('uses the range of the requested data set if the API lists several', async () => {
    const { gatectl } = await gateway({
      data_sets: [
        { name: 'visit', from: '2020-01-01', to: '2026-03-13' },
        { name: 'pageview', from: '2026-01-10', to: '2026-03-13' },
      ],
    });
    const { stdout } = await gatectl([
      ...asked('country'),
      '--previous',
      'month',
      '--compare',
      'previous',
      '--csv',
    ]);
    expect(stdout).toContain('not comparable');
  });

  test.each([
    ['a date range that cannot be read', { from: 'ever' }],
    ['data of both periods', { from: '2024-01-01', to: '2026-03-13' }],
  ])('compares as ever with %s', async (_, range) => {
    const { gatectl } = await gateway(range, '2024-01-01');
    const { stdout, stderr } = await gatectl([
      ...asked('country'),
      '--previous',
      'month',
      '--compare',
      'previous',
      '--csv',
      '-q',
    ]);
    expect(stdout).toContain('DE,280,310,,0,per day');
    expect(stderr).toBe('');
  });
});

describe('--compare of periods of unequal length', () => {
  /** A country with 10 visits a day that grows to 12, and a ratio and a metric of unknown kind beside them. */
  const gateway = () =>
    analytics(({ method, body }) => {
      if (method === 'GET') return { body: '{"columns":[]}' };
      const { date_range: range, dimensions = [] } = JSON.parse(body);
      const days = (Date.parse(range.end_date) - Date.parse(range.start_date)) / 86_400_000 + 1;
      const visits = (range.start_date === '2026-02-01' ? 12 : 10) * days;
      const row = JSON.stringify({ visits, bounce_rate: days / 100, readers: days });
      const by = dimensions.includes('report_day') ? '"report_day":"2026-02-01",' : '"country":"DE",';
      return rowsReply([dimensions.length === 0 ? row : row.replace('{', `{${by}`)], 1);
    });
  const february = (metrics: string) =>
    `bda query -d country -m ${metrics} --month 2026-02 --compare previous -q`.split(' ');

  test('states how sums changed per day, and no difference', async () => {
    const { gatectl } = await gateway();
    const csv = await gatectl([...february('visits,bounce_rate,readers'), '--csv']);
    expect(parse(csv.stdout, { columns: true })).toEqual([
      {
        country: 'DE',
        ...{ visits: '336', visits_before: '310', visits_change: '', visits_change_percent: '20' },
        ...{ bounce_rate: '0.28', bounce_rate_before: '0.31', bounce_rate_change: '-0.03' },
        bounce_rate_change_percent: '-9.6774',
        ...{ readers: '28', readers_before: '31', readers_change: '', readers_change_percent: '' },
        compared: 'per day',
      },
    ]);
    const md = await gatectl([...february('visits'), '-o', 'md']);
    expect(md.stdout).toContain('Visits: 336 (before: 310), change +20.0 % per day; 28 days, before 31\n');
    expect(md.stdout).toContain('| Country | Visits | Before | Change % | Compared |\n');
    expect(md.stdout).toContain('| DE      |    336 |    310 |  +20.0 % | per day  |\n');
    const chart = await gatectl([...february('visits'), '--chart']);
    expect(chart.stdout).toContain('+20.0 % per day');
  });

  test('states no change of a metric that may be no sum', async () => {
    const { gatectl } = await gateway();
    const { stdout } = await gatectl([...february('readers'), '-o', 'md']);
    expect(stdout).toContain('Readers: 28 (before: 31), not comparable: 28 days, before 31\n');
    expect(stdout).toContain('| DE      |      28 |     31 | not comparable |\n');
    const chart = await gatectl([...february('readers'), '--chart']);
    expect(chart.stdout).toContain('not comparable');
    expect(stdout + chart.stdout).not.toContain('%');
  });
});

describe('--compare of a period of the calendar', () => {
  test.each([
    ['month', 'previous', '1 to 31 January 2026, 31 days'],
    ['quarter', 'previous', '1 July to 30 September 2025, 92 days'],
    ['year', 'previous', '1 January to 31 December 2024, 366 days'],
    ['week', 'previous', '23 February to 1 March 2026, 7 days'],
    ['month', 'year', '1 to 28 February 2025, 28 days'],
    ['quarter', 'year', '1 October to 31 December 2024, 92 days'],
  ])('--previous %s --compare %s compares with %s', async (period, way, told) => {
    const { gatectl } = await asking();
    const { stderr } = await gatectl([...ASKED, '--previous', period, '--compare', way, '--csv']);
    expect(stderr).toContain(`note: compared with ${told}\n`);
  });

  test('a February is compared with all 29 days of the one before', async () => {
    const { gatectl } = await asking();
    const now = Date.UTC(2025, 2, 14, 12);
    const { stderr } = await gatectl([...ASKED, '--previous', 'month', '--compare', 'year', '--csv'], {
      now,
    });
    expect(stderr).toContain('note: compared with 1 to 29 February 2024, 29 days\n');
  });
});

describe('--complete-periods', () => {
  const WEEKS = ['bda', 'query', '--data-set', 'pageview', '-d', 'report_week', '-m', 'visits', '--csv'];

  test('requests only complete weeks, with a note', async () => {
    const { server, gatectl } = await analytics(paging([]));
    const { code, stderr } = await gatectl([...WEEKS, '--last', '3w', '--complete-periods']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'note: 21 February to 13 March 2026, 21 days (UTC)\n' +
        'note: complete weeks only: 23 February to 8 March 2026, 14 days\n',
    });
    expect(sent(server).date_range).toEqual({ start_date: '2026-02-23', end_date: '2026-03-08' });
  });

  test('serves saved reports by their grouping', async () => {
    const { server, gatectl } = await analytics(paging([]));
    const asked = ['bda', 'report', 'run', '-d', 'country', '-m', 'visits', '--csv', '--group-by', 'month'];
    await gatectl([...asked, '--from', '2026-01-10', '--to', '2026-03-13', '--complete-periods']);
    expect(sent(server)).toMatchObject({ StartDate: '2026-02-01', EndDate: '2026-02-28' });
  });

  test.each([
    [['-d', 'country', '--last', '7d'], '--complete-periods requires weeks or months'],
    [
      ['-d', 'report_week,report_month', '--last', '90d'],
      '--complete-periods cannot combine weeks and months',
    ],
    [['-d', 'report_month', '--last', '7d'], '7 to 13 March 2026, 7 days (UTC)'],
  ])('with %j is rejected', async (flags, message) => {
    const { server, gatectl } = await analytics(paging([]));
    const asked = ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', '--complete-periods'];
    const { code, stderr } = await gatectl([...asked, ...flags]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(server.received.length).toBe(0);
  });
});

describe('a partial week of a saved report', () => {
  test('is marked based on the columns of the response', async () => {
    const { gatectl } = await analytics(({ body }) => ({
      body: body.includes('"StartItem":0,') ? '[{"report_week":"2026-03-09","visits":5}]' : '[]',
    }));
    const asked = ['bda', 'report', 'run', '-d', 'report_day', '-m', 'visits', '--group-by', 'week'];
    const { stdout } = await gatectl([...asked, '--from', '2026-03-02', '--to', '2026-03-13']);
    expect(stdout).toBe('Week                     Visits\nMon 9 Mar (5 of 7 days)       5\n');
    const csv = await gatectl([...asked, '--from', '2026-03-02', '--to', '2026-03-13', '--csv']);
    expect(csv.stderr).toBe('note: the week of 9 March 2026 is partial (5 of 7 days)\n');
    const compared = await gatectl([
      ...asked,
      '--from',
      '2026-03-02',
      '--to',
      '2026-03-13',
      '--compare',
      'year',
    ]);
    expect(compared.stdout).toContain('Mon 9 Mar (5 of 7 days)');
    expect(compared.stderr).toContain('note: the week of 9 March 2026 is partial (5 of 7 days)\n');
  });
});

describe('a partial week', () => {
  const ROWS = ['{"report_week":"2026-03-02","visits":7}', '{"report_week":"2026-03-09","visits":5}'];
  const WEEKS = ['bda', 'query', '--data-set', 'pageview', '-d', 'report_week', '-m', 'visits'];
  const DAYS = ['--from', '2026-03-02', '--to', '2026-03-13'];

  test('is marked in a table and warned about everywhere; data stays as it was sent', async () => {
    const { gatectl } = await analytics(paging(ROWS));
    const table = await gatectl([...WEEKS, ...DAYS]);
    expect(table.stdout).toBe(
      'Week                     Visits\nMon 2 Mar                     7\nMon 9 Mar (5 of 7 days)       5\n',
    );
    expect(table.stderr).toBe('note: the week of 9 March 2026 is partial (5 of 7 days)\n');
    const csv = await gatectl([...WEEKS, ...DAYS, '--csv']);
    expect(csv.stdout).toBe('report_week,visits\n2026-03-02,7\n2026-03-09,5\n');
    expect(csv.stderr).toBe(table.stderr);
  });
});

test.each([
  ['2026-01', true],
  // 1 June 2025 and 1 February 2026 are Sundays.
  ['2025-06', false],
])(
  'by day, --compare %s says in each document whether the weekdays are shifted',
  async (compare, isShifted) => {
    const asked = [
      'bda',
      'query',
      '-d',
      'report_day',
      '-m',
      'visits',
      '--month',
      '2026-02',
      '--compare',
      compare,
    ];
    for (const flags of [['-o', 'md'], ['-o', 'html'], ['--chart']]) {
      const { stdout } = await run([...asked, ...flags, '--sandbox']);
      expect(stdout.includes('each day is compared with another day of the week')).toBe(isShifted);
    }
  },
);

test('the total of a period that has not ended says so, on a terminal and in documents', async () => {
  const asked = [
    'bda',
    'query',
    '-m',
    'visits',
    '--this',
    'week',
    '--include-today',
    '--compare',
    'previous',
  ];
  const total = 'Visits: 21,233 (before: 21,676), not comparable: 14 March 2026 has not ended yet\n';
  for (const flags of [[], ['-o', 'md']]) {
    const { stdout } = await run([...asked, ...flags, '--sandbox']);
    expect(stdout.startsWith(total)).toBe(true);
  }
});

test.each([
  ['--month 2026-03', '1 to 13 March 2026', '1 to 13 February 2026'],
  ['--this quarter', '1 January to 13 March 2026', '1 October to 13 December 2025'],
  ['--this week', '9 to 13 March 2026', '2 to 6 March 2026'],
  ['--month 2026-02', '1 to 28 February 2026', '1 to 31 January 2026'],
])('%s, previous compares the same days of the period before', async (days, own, before) => {
  const compared = ['-d', 'country', '-m', 'visits', ...days.split(' '), '--compare', 'previous'];
  const { stderr } = await run(['bda', 'query', ...compared, '--sandbox', '--locale', 'en']);
  expect(stderr).toContain(`note: ${own}, `);
  expect(stderr).toContain(`note: compared with ${before}, `);
});

describe('a week before that the days cut', () => {
  const asked = [
    'bda',
    'query',
    '-d',
    'report_week',
    '-m',
    'visits',
    '--from',
    '2026-02-23',
    '--to',
    '2026-03-08',
  ];
  const compared = [...asked, '--compare', '2026-01-07..2026-01-20', '--sandbox', '--locale', 'en'];

  test.each([
    ['table', []],
    ['md', ['-o', 'md']],
    ['html', ['-o', 'html']],
  ])('is marked in %s and in a note', async (_, flags) => {
    const { stdout, stderr } = await run([...compared, ...flags]);
    expect(stdout).toContain('Mon 5 Jan (5 of 7 days)');
    expect(stdout).toContain('Mon 19 Jan (2 of 7 days)');
    expect(stderr).toContain('note: the week of 5 January 2026 is partial (5 of 7 days)\n');
    for (const [, value] of stdout.matchAll(/data-value="([^"]*)"/g)) expect(value).not.toMatch(/[ (]/);
  });

  test('is named below a chart, and left out of its extremes', async () => {
    const { stdout } = await run([...compared, '--chart']);
    expect(stdout).toContain('Mon 5 Jan, before, is partial (5 of 7 days)\n');
    expect(stdout).toContain('Visits, before: of complete weeks only 26,634 (Mon 12 Jan)\n');
  });

  test('and has no partner is not matched with a day that begins no week', async () => {
    const { stdout } = await run([...compared, '--csv']);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^,2026-01-19,,/);
  });
});

test('a period that counts today has no change in any row, and --strict ends with 7', async () => {
  const asked = ['bda', 'query', '-m', 'visits', '--period', 'today', '--compare', 'previous', '--sandbox'];
  for (const by of [[], ['-d', 'country'], ['-d', 'report_day']]) {
    const { code, stdout } = await run([...asked, ...by, '--csv', '--strict']);
    expect(code).toBe(7);
    const rows = parse(stdout, { columns: true }) as Record<string, string>[];
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toMatchObject({ visits_change: '', compared: 'not comparable' });
  }
});
