import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { periodText } from '../../../../src/output/presentation/index.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { run } from '../../../support/run.ts';
import { analytics, BASE, paging, rowsReply, sent } from '../analytics.ts';

const ROWS = ['{"country":"DE","visits":12345}', '{"country":"AT","visits":7}'];

describe('bda query', () => {
  test('sends the query of the flags, and prints a table', async () => {
    const { server, gatectl } = await analytics(paging(ROWS));
    const { code, stdout, stderr } = await gatectl([
      ...BASE,
      ...['-d', 'country', '-m', 'visits,pageviews', '-m', 'revenue', '--sort', 'visits:desc,country'],
      ...[
        '--filter',
        'visits>=3',
        '--any-of',
        'country=DE,AT',
        'device=mobile',
        '--any-of',
        'device:is:tablet',
      ],
      ...['--filter-json', '{"column":"x","operator":"new_word","value":1.50}'],
      ...['--limit', '20', '--offset', '0', '--domain-id', '7', '--platform', 'service'],
      ...['--query-params', 'exclude', '--fragments', 'include', '--case-normalization', 'lower'],
    ]);
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: expect.stringContaining('pageviews is missing in every row'),
    });
    expect(stdout.split('\n')[0]).toBe('Country  Visits  Page views  Revenue');
    expect(stdout).toContain('12,345');
    expect(server.received.map(({ target }) => target.split('/').pop())).toEqual([
      'query',
      'columns',
      'date-range',
    ]);
    expect(server.received[0]?.headers['x-api-key']).toBeDefined();
    expect(server.received[0]?.target).toBe('/gateway/bdaservices/v2/query');
    expect(server.received[0]?.body).toBe(
      '{"data_set":"pageview","date_range":{"start_date":"2026-02-01","end_date":"2026-02-28"},"dimensions":["country"],"metrics":["visits","pageviews","revenue"],"filters":[{"column":"visits","operator":"greater_than_or_equal","value":3},{"any_of":[{"column":"country","operator":"in","values":["DE","AT"]},{"column":"device","operator":"in","values":["mobile"]},{"column":"device","operator":"is","value":"tablet"}]},{"column":"x","operator":"new_word","value":1.50}],"sort":[{"column":"visits","direction":"desc"},{"column":"country","direction":"asc"}],"limit":20,"offset":0,"domain_id":7,"platform":"service","url_options":{"query_params":"exclude","fragments":"include","case_normalization":"lower"}}',
    );
  });

  test('sends nothing that was not requested', async () => {
    const { server, gatectl } = await analytics(paging([]));
    await gatectl([...BASE, '-m', 'visits']);
    expect(Object.keys(sent(server))).toEqual(['data_set', 'date_range', 'metrics']);
  });

  test('writes the brand word where the platform is the service', async () => {
    const { server, gatectl } = await analytics(paging([]));
    await gatectl([...BASE, '-m', 'visits', '--platform', 'service'], { env: { GATECTL_BRAND: 'Acme' } });
    expect(sent(server).platform).toBe('acme');
    await gatectl([...BASE, '-m', 'visits', '--platform', 'original'], { env: { GATECTL_BRAND: 'Acme' } });
    expect(sent(server, 2).platform).toBe('original');
    await gatectl([...BASE, '-m', 'visits', '--platform', 'ACME'], { env: { GATECTL_BRAND: 'Acme' } });
    expect(sent(server, 4).platform).toBe('acme');
    await gatectl([...BASE, '-m', 'visits', '--platform', 'ORIG']);
    expect(sent(server, 6).platform).toBe('original');
  });

  test('reads JSON from a file or stdin; flags replace fields, other values are unchanged to the digit', async () => {
    const { server, gatectl } = await analytics(paging(ROWS));
    const text =
      '{"data_set":"visit","x":{"id":12345678901234567890,"y":1.0E+3},"date_range":{"start_date":"2026-01-01","end_date":"2026-01-31"},"metrics":["visits"],"limit":50}';
    const file = join(temporaryFolder(), 'q.json');
    writeFileSync(file, `\ufeff${text}`);
    await gatectl(['bda', 'query', file, '-o', 'csv']);
    expect(server.received[0]?.body).toBe(text);
    await gatectl(['bda', 'query', '-', '--data-set', 'pageview', '--from', '2026-01-15', '-d', 'country'], {
      input: text,
    });
    expect(server.received[1]?.body).toBe(
      '{"data_set":"pageview","x":{"id":12345678901234567890,"y":1.0E+3},"date_range":{"start_date":"2026-01-15","end_date":"2026-01-31"},"metrics":["visits"],"limit":50,"dimensions":["country"]}',
    );
  });

  test('--print prints the JSON and sends nothing; with --all it is the first page', async () => {
    const { server, gatectl } = await analytics(paging([]));
    const printed = await gatectl([
      ...BASE,
      '-d',
      'country',
      '-m',
      'visits',
      '--all',
      '--page-size',
      '500',
      '--print',
    ]);
    expect(JSON.parse(printed.stdout)).toEqual({
      data_set: 'pageview',
      date_range: { start_date: '2026-02-01', end_date: '2026-02-28' },
      dimensions: ['country'],
      metrics: ['visits'],
      sort: [{ column: 'country', direction: 'asc' }],
      limit: 500,
      offset: 0,
    });
    const single = await gatectl([...BASE, '-m', 'visits', '--print']);
    expect(Object.keys(JSON.parse(single.stdout))).toEqual(['data_set', 'date_range', 'metrics']);
    expect(server.received.length).toBe(0);
  });

  test('works with only a base URL', async () => {
    expect((await run([...BASE, '-m', 'visits', '--print'])).code).toBe(0);
  });

  test('prints the total when not all rows are shown', async () => {
    const { gatectl } = await analytics(() => rowsReply(ROWS, 12_345));
    const { stderr } = await gatectl([...BASE, '-d', 'country', '-m', 'visits', '--limit', '2']);
    expect(stderr).toBe(
      'note: sorted by visits, the largest first; --sort COLUMN sets another order\nnote: 2 of 12,345 rows; --all shows all\n',
    );
    expect((await gatectl([...BASE, '-d', 'country', '-m', 'visits', '--limit', '2', '-q'])).stderr).toBe('');
  });

  test('without rows prints a note for people, and an empty list for programs', async () => {
    const { gatectl } = await analytics(paging([]));
    expect((await gatectl([...BASE, '-m', 'visits'])).stdout).toBe('no rows match\n');
    expect((await gatectl([...BASE, '-m', 'visits', '--json'])).stdout).toBe('[]\n');
    expect((await gatectl([...BASE, '-m', 'visits', '--csv'])).stdout).toBe('visits\n');
    expect((await gatectl([...BASE, '-m', 'visits', '-o', 'ndjson'])).stdout).toBe('');
    expect((await gatectl([...BASE, '-m', 'visits', '--jq', 'length'])).stdout).toBe('0\n');
  });

  test('passes every digit to jq', async () => {
    const { gatectl } = await analytics(() => rowsReply(['{"id":12345678901234567890}'], 1));
    expect((await gatectl([...BASE, '-d', 'id', '--jq', '.[0].id'])).stdout).toBe('12345678901234567890\n');
  });

  test('csv has the columns in the requested order, whatever order the rows have', async () => {
    const { gatectl } = await analytics(() => rowsReply(['{"visits":1,"country":"DE","b":null}'], 1));
    const { stdout } = await gatectl([...BASE, '-d', 'country,b', '-m', 'visits', '--csv']);
    expect(stdout).toBe('country,b,visits\nDE,,1\n');
  });
});

describe('days', () => {
  /** Half past eleven at night in London, already tomorrow in Berlin. */
  const now = Date.UTC(2026, 2, 14, 23, 30);

  async function days(flags: readonly string[], zone = 'Europe/Berlin') {
    const { server, gatectl } = await analytics(paging([]));
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    const profile = { version: 1, current: 'p', profiles: { p: { 'time-zone': zone } } };
    writeFileSync(join(env.GATECTL_CONFIG_DIR, 'config.json'), JSON.stringify(profile), { mode: 0o600 });
    const ran = await gatectl(['bda', 'query', '--data-set', 'pageview', '-m', 'visits', ...flags], {
      env,
      now,
    });
    const { date_range: range } = (server.received.length > 0 ? sent(server) : {}) as {
      date_range?: { start_date: string; end_date: string };
    };
    return { ...ran, range: range && `${range.start_date} ${range.end_date}` };
  }

  test.each([
    [['--last', '7d'], '2026-03-08 2026-03-14'],
    [['--last', '7d', '--include-today'], '2026-03-09 2026-03-15'],
    [['--last', '4w'], '2026-02-15 2026-03-14'],
    [['--last', '3m'], '2025-12-15 2026-03-14'],
    [['--this', 'month'], '2026-03-01 2026-03-14'],
    [['--this', 'week'], '2026-03-09 2026-03-14'],
    [['--this', 'year', '--include-today'], '2026-01-01 2026-03-15'],
    [['--previous', 'month'], '2026-02-01 2026-02-28'],
    [['--previous', 'week'], '2026-03-02 2026-03-08'],
    [['--previous', 'quarter'], '2025-10-01 2025-12-31'],
    [['--from', '-7d'], '2026-03-08 2026-03-14'],
    [['--from', 'yesterday', '--to', 'today'], '2026-03-14 2026-03-15'],
    [['--from', '2026-03-01'], '2026-03-01 2026-03-14'],
    [['--last', '7'], '2026-03-08 2026-03-14'],
    [['--last', '2 weeks'], '2026-03-01 2026-03-14'],
    [['--month', '2026-01'], '2026-01-01 2026-01-31'],
    [['--month', 'last month'], '2026-02-01 2026-02-28'],
    [['--month', '2026-03'], '2026-03-01 2026-03-14'],
    [['--month', 'March', '--include-today'], '2026-03-01 2026-03-15'],
    [['--period', '2025-Q3'], '2025-07-01 2025-09-30'],
    [['--period', '2025'], '2025-01-01 2025-12-31'],
    [['--period', '2026'], '2026-01-01 2026-03-14'],
    [['--period', 'this week'], '2026-03-09 2026-03-14'],
    [['--period', 'yesterday'], '2026-03-14 2026-03-14'],
    [['--from', '1 Nov'], '2025-11-01 2026-03-14'],
    [['--from', '2025-11', '--to', '2026-01'], '2025-11-01 2026-01-31'],
    [['--from', '2026-02', '--to', '2026-03'], '2026-02-01 2026-03-14'],
    [['--from', '2026-Q1', '--to', 'today'], '2026-01-01 2026-03-15'],
  ])('%j are those of the profile’s zone, and are reported back', async (flags, range) => {
    const ran = await days(flags);
    expect(ran.range).toBe(range);
    expect(ran.stderr).toMatch(
      new RegExp(
        `^note: ${periodText({ from: range.slice(0, 10), to: range.slice(11) })}, \\d+ days? \\(Europe/Berlin\\)\n(?:note: 15 March 2026 has not ended yet\n)?$`,
      ),
    );
  });

  test('--tz overrides the zone of the profile', async () => {
    const { range, stderr } = await days(['--last', '1d', '--tz', 'America/New_York']);
    expect(range).toBe('2026-03-13 2026-03-13');
    expect(stderr).toBe('note: 13 March 2026, 1 day (America/New_York)\n');
    const { code, stderr: refusal } = await days(['--last', '1d', '--tz', 'Europe/Atlantis']);
    expect(code).toBe(2);
    expect(refusal).toContain('the time zone "Europe/Atlantis" (flag --tz) is not a known time zone');
  });

  test('in another zone it is another day', async () => {
    expect((await days(['--last', '1d'], 'America/New_York')).range).toBe('2026-03-13 2026-03-13');
    expect((await days(['--last', '1d'], 'Pacific/Kiritimati')).range).toBe('2026-03-14 2026-03-14');
  });

  test('that are absolute are not repeated in a note', async () => {
    expect((await days(['--from', '2026-01-01', '--to', '2026-01-31'])).stderr).toBe('');
  });

  test.each([
    [['--from', '2026-02-30', '--to', '2026-03-01'], "invalid --from '2026-02-30'", 'there is no such day'],
    [['--from', 'soon'], "invalid --from 'soon'", 'pass a day such as 2026-10-05'],
    [
      ['--last', 'month'],
      "invalid --last 'month'",
      'for the previous month, pass --previous month\n  for the days up to yesterday, pass --last 1m\n',
    ],
    [['--last', 'soon'], "invalid --last 'soon'", '7d, 4w, 3m, 1y'],
    [['--month', '2025'], "invalid --month '2025'", 'pass a month: 2026-10'],
    [['--period', 'soon'], "invalid --period 'soon'", 'gatectl help dates'],
    [
      ['--month', '2026-04'],
      'the month 2026-04-01 is in the future',
      'today is 2026-03-15; choose days before it',
    ],
    [['--from', '16.11.2026'], 'the day 2026-11-16 is in the future', 'today is 2026-03-15'],
    [
      ['--period', '2026-03-02..2026-03-01'],
      "invalid --period '2026-03-02..2026-03-01'",
      '2026-09-01..2026-09-14',
    ],
    [
      ['--month', '2026-01', '--last', '7d'],
      '--last 7d and --month 2026-01 cannot be combined',
      'pass one of them',
    ],
    [['--last', '0d'], "invalid --last '0d'", '7d, 4w, 3m, 1y'],
    [['--last', '7d', '--from', '-7d'], '--from -7d and --last 7d cannot be combined', 'pass one of them'],
    [['--from', 'today'], 'the day 2026-03-15 has no complete day yet', '--include-today'],
    [['--include-today'], '--include-today selects no days by itself', '--last 7d --include-today'],
    [['--to', '2026-03-01'], 'date_range.start_date is required', 'pass --from DAY'],
    [[], 'date_range is required', 'pass --last 7d'],
    [
      ['--from', '2026-03-10', '--to', '2026-03-01'],
      '--from 2026-03-10 is after --to 2026-03-01',
      'swap them: --from 2026-03-01 --to 2026-03-10',
    ],
    [
      ['--from', 'yesterday', '--to', '2026-03-01'],
      '--from 2026-03-14 is after --to 2026-03-01',
      'swap them: --from 2026-03-01 --to 2026-03-14',
    ],
  ])('%j is rejected before anything is sent', async (flags, message, hint) => {
    const { code, range, stderr } = await days(flags);
    expect({ code, range }).toEqual({ code: 2, range: undefined });
    expect(stderr).toContain(`error: ${message}\n`);
    expect(stderr).toContain(hint);
  });
});

describe('what is rejected before anything is sent', () => {
  test.each<[readonly string[], string]>([
    [['--limit', '0'], "invalid --limit '0'"],
    [['--limit', '-5'], "invalid --limit '-5'"],
    [['--limit', '1e3'], "invalid --limit '1e3'"],
    [['--limit', '100001'], "invalid --limit '100001'"],
    [['--offset', '-1'], "invalid --offset '-1'"],
    [['--page-size', '100001', '--all'], "invalid --page-size '100001'"],
    [['--concurrency', '0'], "invalid --concurrency '0'"],
    [['--concurrency', '65'], "invalid --concurrency '65'"],
    [['--concurrency', 'many'], "invalid --concurrency 'many'"],
    [['-m', 'visits'], "metrics[1] (--metric visits) is a duplicate of 'visits'"],
    [['-d', 'visits'], "metrics[0] (--metric visits) is a duplicate of 'visits'"],
    [['-d', 'a,,b'], '--dimension has an empty name'],
    [['--sort', 'visits:down'], "invalid --sort 'visits:down'"],
    [['--filter', 'visits'], "--filter 'visits' is not a filter"],
    [['--filter-json', '{'], '--filter-json is not JSON: the text ends too early (column 2)'],
    [['--filter-json', '7'], '--filter-json must be a JSON object, or a list of them'],
    [['--platform', 'mobile'], "invalid --platform 'mobile'"],
    [['--all', '--limit', '5'], '--all and --limit cannot be combined'],
    [['--page-size', '5'], '--page-size has no effect: a table shows the first 100 rows only'],
    [['--page-size', '5', '--limit', '9'], '--page-size and --limit cannot be combined'],
    [['--resume'], '--resume requires --out and cannot be combined with --limit'],
    [['--manifest'], '--manifest requires --out'],
    [['--out', 'rows'], 'cannot determine the format of rows'],
    [['--out', 'rows.csv', '-o', 'md'], 'cannot write md to a file'],
  ])('%j', async (flags, message) => {
    const { server, gatectl } = await analytics(paging([]));
    const { code, stdout, stderr } = await gatectl([...BASE, '-m', 'visits', ...flags]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toBe(`error: ${message}`);
    expect(server.received.length).toBe(0);
  });

  test('a format that no file has is redirected, as the hint says', async () => {
    const { gatectl } = await analytics(paging([]));
    const { stderr } = await gatectl([...BASE, '-m', 'visits', '--out', 't.html', '-o', 'html']);
    expect(stderr).toBe(
      'error: cannot write html to a file\n  print it into the file: omit --out, and end the command with > t.html\n',
    );
  });

  test('--jq and --out are reported as JSON, because --jq implies it', async () => {
    const { code, stderr } = await run([
      ...BASE,
      '-m',
      'visits',
      '--out',
      'rows.csv',
      '--jq',
      '.',
      '--sandbox',
    ]);
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error.message).toBe('--jq and --out cannot be combined');
  });

  test.each([
    [[], '{}', 'session'],
    [['--data-set', 'pageview'], '{}', 'pageview'],
    [[], '{"data_set":"pageview"}', 'pageview'],
  ])('a default data set counts where neither flags nor JSON name one: %j %s', async (flags, input, name) => {
    const args = ['bda', 'query', '-', '-m', 'visits', '--month', '2026-01', '--print', ...flags];
    const { stdout } = await run(args, { input, env: { GATECTL_DATA_SET: 'session' } });
    expect(JSON.parse(stdout).data_set).toBe(name);
  });

  test.each([
    ['visits', 'asc'],
    ['visits:desc', 'desc'],
    ['-visits', 'desc'],
    ['visits desc', 'desc'],
    ['visits ASC', 'asc'],
  ])('--sort %j is %s', async (sort, direction) => {
    const { stdout } = await run(['bda', 'query', '-m', 'visits', '--last', '7d', '--sort', sort, '--print']);
    expect(JSON.parse(stdout).sort).toEqual([{ column: 'visits', direction }]);
  });

  test.each(['-visits:desc', 'visits down', '-'])('--sort %j is rejected', async sort => {
    const { code, stderr } = await run([
      'bda',
      'query',
      '-m',
      'visits',
      '--last',
      '7d',
      '--sort',
      sort,
      '--print',
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('pass COLUMN, COLUMN:asc, COLUMN:desc or -COLUMN');
  });

  test.each<[string, readonly string[], unknown]>([
    ['the largest first', ['-d', 'country', '--limit', '3'], [{ column: 'visits', direction: 'desc' }]],
    ['not without a limit', ['-d', 'country'], undefined],
    ['not of days', ['-d', 'report_day', '--limit', '3'], undefined],
    ['not of a total', ['--limit', '3'], undefined],
    [
      'not against a sort',
      ['-d', 'country', '--limit', '3', '--sort', 'country'],
      [{ column: 'country', direction: 'asc' }],
    ],
  ])('a limited number of rows: %s', async (_, flags, sort) => {
    const { stdout, stderr } = await run([
      'bda',
      'query',
      '-m',
      'visits,revenue',
      '--last',
      '7d',
      '--print',
      ...flags,
    ]);
    expect(JSON.parse(stdout).sort).toEqual(sort);
    const isNoted = stderr.includes(
      'note: sorted by visits, the largest first; --sort COLUMN sets another order',
    );
    expect(isNoted).toBe(JSON.stringify(sort) === '[{"column":"visits","direction":"desc"}]');
  });

  test('a date with the month and the day in either order names both', async () => {
    const { code, stderr } = await run(['bda', 'query', '-m', 'visits', '--from', '03/10/2026', '--print']);
    expect(code).toBe(2);
    expect(stderr).toContain('it may be 2026-10-03 or 2026-03-10: pass one of them');
  });

  test('an empty query is rejected with what it requires', async () => {
    const { code, stderr } = await run(['bda', 'query']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: [
        'note: data set pageview; --data-set NAME selects another',
        'error: date_range is required',
        '  pass --last 7d, --previous month, or --from DAY --to DAY',
        '',
      ].join('\n'),
    });
  });

  test.each([
    ['{"data_set":', 'stdin is not JSON: the text ends too early (line 1, column 13)'],
    ['[]', 'no query in stdin'],
    [
      '{"data_set":"a","date_range":{"start_date":"2026-02-30","end_date":"2026-03-01"}}',
      'date_range.start_date (stdin) is not a valid day: 2026-02-30',
    ],
    [
      '{"data_set":"a","date_range":{"start_date":"2026-02-01","end_date":"2026-03-01"},"limit":100001}',
      'limit (stdin) must be an integer from 1 to 100000',
    ],
  ])('%s', async (input, message) => {
    const { code, stderr } = await run(['bda', 'query', '-'], { input });
    expect({ code, first: stderr.split('\n')[0] }).toEqual({ code: 2, first: `error: ${message}` });
  });

  test('a second column without a comma is not mistaken for a file without a word', async () => {
    const { code, stderr } = await run([...BASE, '-d', 'country', 'device']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: no such file: device\n  if device is a column, separate it with a comma: a,device\n',
    });
  });
});

describe('what the server rejects', () => {
  const refusal = (details: readonly { field: string; message: string }[]) => ({
    status: 400,
    body: JSON.stringify({ error: { code: 'validation_error', message: 'the query is not valid', details } }),
  });

  test('is reported field by field, with the origin of each', async () => {
    const details = [
      { field: 'metrics[1]', message: "unknown column 'vists'; did you mean 'visits'?" },
      { field: 'dimensions.0', message: 'not here' },
      { field: 'filters[0].value', message: 'must be a number' },
      { field: 'filters[1].any_of[1].column', message: 'unknown' },
      { field: 'filters[2]', message: 'odd' },
      { field: 'sort[0].column', message: 'not asked for' },
      { field: 'date_range.end_date', message: 'in the future' },
      { field: 'date_range', message: 'too long' },
      { field: 'x', message: 'unknown field' },
    ];
    const { gatectl } = await analytics(() => refusal(details));
    const { code, stdout, stderr } = await gatectl(
      [
        ...[
          'bda',
          'query',
          '-',
          '--data-set',
          'pageview',
          '--last',
          '7d',
          '-d',
          'country',
          '-m',
          'revenue,vists',
        ],
        ...['--filter', 'visits>many', '--any-of', 'a=1x', 'b=2x', '--filter-json', '{}', '--sort', 'z:desc'],
      ],
      { input: '{"x":1}' },
    );
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr.split('\n').slice(1)).toEqual([
      'error: the query is not valid',
      '  in POST /gateway/bdaservices/v2/query: 400',
      "  metrics[1] (--metric vists): unknown column 'vists'; did you mean 'visits'?",
      '  dimensions.0 (--dimension country): not here',
      '  filters[0].value (--filter visits>many): must be a number',
      '  filters[1].any_of[1].column (--any-of b=2x): unknown',
      '  filters[2] (--filter-json): odd',
      '  sort[0].column (--sort z:desc): not asked for',
      '  date_range.end_date (--last 7d): in the future',
      '  date_range (--last 7d): too long',
      '  x (stdin): unknown field',
      '  gatectl bda columns lists the columns',
      '',
    ]);
  });

  test('gets a hint with similar names, and with the sort that --all adds', async () => {
    const { gatectl } = await analytics(({ target }) =>
      target.endsWith('/columns')
        ? { body: '[{"name":"report_day"},{"name":"site"},{"name":"visits"}]' }
        : refusal([
            { field: 'dimensions[0]', message: "unknown column 'day'" },
            { field: 'dimensions[1]', message: "unknown column 'date'" },
            { field: 'dimensions[2]', message: 'not in this data set' },
            { field: 'sort[0].column', message: "unknown column 'day'" },
          ]),
    );
    const { code, stderr } = await gatectl([...BASE, '-d', 'day,date,site', '-m', 'visits', '--all']);
    expect(code).toBe(5);
    expect(stderr.split('\n').slice(2)).toEqual([
      "  dimensions[0] (--dimension day): unknown column 'day'; did you mean 'report_day'?",
      "  dimensions[1] (--dimension date): unknown column 'date'; did you mean 'report_day'?",
      '  dimensions[2] (--dimension site): not in this data set',
      "  sort[0].column (sorting by each dimension, which fetching all rows requires): unknown column 'day'",
      '  gatectl bda columns lists the columns',
      '',
    ]);
  });

  test('that concerns no column requests no listing', async () => {
    const { server, gatectl } = await analytics(() =>
      refusal([{ field: 'date_range', message: 'too long' }]),
    );
    const { stderr } = await gatectl([...BASE, '-m', 'visits']);
    expect(stderr).not.toContain('gatectl bda columns');
    expect(server.received.length).toBe(1);
  });

  test('is one object as json, with the flags in it', async () => {
    const { gatectl } = await analytics(() => refusal([{ field: 'metrics[0]', message: 'unknown' }]));
    const { stderr } = await gatectl([...BASE, '-m', 'vists', '--json']);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'validation_error',
      status: 400,
      exit: 5,
      details: [{ field: 'metrics[0]', message: 'unknown', origin: '--metric vists' }],
    });
  });

  test('cannot drive a terminal', async () => {
    const { gatectl } = await analytics(() => refusal([{ field: 'm\u001b[2J', message: '\u202edrawkcab' }]));
    const { stderr } = await gatectl([...BASE, '-m', 'visits']);
    expect(stderr).toContain('  m\\x1b[2J: \\u202edrawkcab\n');
  });

  test.each([
    ['unauthorized', 401, 4],
    ['forbidden', 403, 4],
    ['unauthorized', 200, 4],
    ['not_found', 404, 5],
    ['not_found', 200, 5],
    ['validation_error', 200, 5],
    ['validation_error', 500, 5],
    ['concurrent_request_limit', 400, 8],
    ['rate_limit_exceeded', 200, 8],
    ['upstream_error', 200, 6],
    ['internal_error', 418, 6],
  ])('%s under %i ends with %i', async (word, status, exit) => {
    const { gatectl } = await analytics(() => ({
      status,
      body: JSON.stringify({ error: { code: word, message: 'so it is' } }),
    }));
    const { code, stdout, stderr } = await gatectl([...BASE, '-m', 'visits', '--csv', '--retries', '1']);
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
    expect(stderr).toContain('so it is');
  });
});

describe('rows that are omitted by a default only', () => {
  const rows = Array.from({ length: 130 }, (_, i) => `{"country":"C${i}","visits":${i}}`);
  const asked = [...BASE, '-d', 'country', '-m', 'visits', '-o', 'md'];

  test('end a strict query with 7 where only the default limit kept them out, and say so under --quiet', async () => {
    const { gatectl } = await analytics(paging(rows));
    const quiet = await gatectl([...asked, '--quiet']);
    expect({ code: quiet.code, stderr: quiet.stderr }).toEqual({
      code: 0,
      stderr: 'warning: 100 of 130 rows; --all shows all, --csv prints all as CSV\n',
    });
    const strict = await gatectl([...asked, '--strict', '--quiet']);
    expect({ code: strict.code, stderr: strict.stderr }).toEqual({
      code: 7,
      stderr:
        'warning: 100 of 130 rows; --all shows all, --csv prints all as CSV\n' +
        'error: the rows are not complete (--strict): 100 of 130 were fetched, because neither --all nor --limit was given\n',
    });
    expect(strict.stdout.split('\n').slice(-4)).toEqual([
      expect.stringMatching(/^\| C99 /),
      '',
      'First 100 of 130 rows',
      '',
    ]);
  });

  test.each([
    ['a limit that was typed', ['--limit', '100'], '{}'],
    ['a limit in the JSON', [], '{"limit":100}'],
    ['all rows', ['--all'], '{}'],
    ['rows that all came', ['--offset', '30'], '{}'],
  ])('are none with %s', async (_, flags, input) => {
    const { gatectl } = await analytics(paging(rows));
    const words = ['bda', 'query', '-', ...asked.slice(2), '--strict', ...flags];
    expect((await gatectl(words, { input })).code).toBe(0);
  });

  test('are warnings of a truncated table, too', async () => {
    const { gatectl } = await analytics(paging(Array.from({ length: 10_001 }, (_, i) => `{"country":${i}}`)));
    const { code, stderr } = await gatectl([...BASE, '-d', 'country', '--all', '--strict']);
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr:
        'warning: the table shows 10,000 of 10,001 rows; to get all, pass --out FILE or -o csv\n' +
        'error: the rows are not complete (--strict)\n',
    });
  });
});

describe('no rows', () => {
  const withDays = (answer: unknown) =>
    analytics(request =>
      request.target.endsWith('/date-range') ? { body: JSON.stringify(answer) } : rowsReply([], 0),
    );
  const told = { earliest_date: '2026-03-01', latest_date: '2026-03-13T00:00:00Z' };

  test('because there is no data for those days give a warning, and fail with --strict', async () => {
    const { server, gatectl } = await withDays(told);
    const loose = await gatectl([...BASE, '-m', 'visits', '--csv', '--quiet']);
    expect({ code: loose.code, stderr: loose.stderr }).toEqual({
      code: 0,
      stderr: 'warning: no rows: there is no data for 1 to 28 February 2026 (data: 1 to 13 March 2026)\n',
    });
    expect(server.received.map(({ target }) => target.split('/').pop())).toEqual(['query', 'date-range']);
    expect((await gatectl([...BASE, '-m', 'visits', '--strict'])).code).toBe(7);
  });

  test.each([
    ['lie in the data', { from: '2026-01-01', to: '2026-02-28' }],
    ['are not told in a way that can be read', { from: '2026-01-01' }],
    ['are not told', []],
  ])('are a result if the days %s', async (_, answer) => {
    const { gatectl } = await withDays(answer);
    const { code, stderr } = await gatectl([...BASE, '-m', 'visits', '--strict']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('are a result even if the request for the days with data is rejected, which is sent once', async () => {
    const { server, gatectl } = await analytics(request =>
      request.target.endsWith('/date-range') ? { status: 503, body: '{}' } : rowsReply([], 0),
    );
    const { code, stderr } = await gatectl([...BASE, '-m', 'visits', '--strict']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(server.received.length).toBe(2);
  });
});

describe('days without data', () => {
  const partial = () =>
    analytics(request =>
      request.target.endsWith('/date-range')
        ? { body: JSON.stringify({ earliest_date: '2026-02-10', latest_date: '2026-03-13' }) }
        : rowsReply(['{"visits":1}'], 1),
    );
  const WARNING =
    'warning: there is data for 19 of the 28 days from 1 to 28 February 2026 only (10 to 28 February 2026)\n';

  test('of a calendar period are warned about, since its total looks like that of the period', async () => {
    const { gatectl } = await partial();
    const { code, stderr } = await gatectl([
      ...['bda', 'query', '--data-set', 'pageview', '-m', 'visits', '--previous', 'month', '--csv'],
      '--quiet',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: WARNING });
  });

  test('fail a query with --strict', async () => {
    const { gatectl } = await partial();
    const { code, stderr } = await gatectl([...BASE, '-m', 'visits', '--csv', '--strict']);
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: `${WARNING}error: the rows are not complete (--strict)\n`,
    });
  });

  test('cost no request for days that a program names', async () => {
    const { server, gatectl } = await partial();
    for (const format of [['--csv'], ['-o', 'json'], ['--jq', '.']]) {
      const { code, stderr } = await gatectl([...BASE, '-m', 'visits', ...format]);
      expect({ code, stderr: stderr.includes('days from') }).toEqual({ code: 0, stderr: false });
    }
    expect(server.received.map(({ target }) => target.split('/').pop())).not.toContain('date-range');
  });

  test('cost no request if each day has a row', async () => {
    const { server, gatectl } = await analytics(request =>
      request.method === 'GET'
        ? { body: '[]' }
        : rowsReply(['{"report_day":"2026-02-01","visits":1}', '{"report_day":"2026-02-02","visits":1}'], 2),
    );
    const days = ['--from', '2026-02-01', '--to', '2026-02-02', '-d', 'report_day'];
    await gatectl(['bda', 'query', '--data-set', 'pageview', '-m', 'visits', ...days]);
    expect(server.received.map(({ target }) => target.split('/').pop())).toEqual(['query', 'columns']);
  });

  const SENTENCE = WARNING.slice('warning: '.length).trimEnd();

  test.each([
    ['named in full', ['--from', '2026-02-01', '--to', '2026-02-28']],
    ['from months', ['--from', '2026-02', '--to', '2026-02']],
    ['of a month', ['--month', '2026-02']],
  ])(
    '%s are named below a table, in md, html and a picture, and in the manifest of a file',
    async (_, days) => {
      const { gatectl } = await partial();
      const folder = temporaryFolder();
      const run = (...args: string[]) =>
        gatectl(['bda', 'query', '--data-set', 'pageview', '-m', 'visits', ...days, ...args, '--quiet']);
      for (const format of [['-o', 'table'], ['-o', 'md'], ['-o', 'html'], ['--chart']]) {
        const { code, stdout, stderr } = await run(...format);
        expect({ code, stderr }).toEqual({ code: 0, stderr: WARNING });
        if (format[1] !== 'table') expect(stdout.replaceAll('\n', ' ')).toContain(SENTENCE);
      }
      const file = join(folder, 'rows.csv');
      const picture = join(folder, 'rows.svg');
      const exported = await run('--out', file, '--manifest', '--chart', picture);
      expect({ code: exported.code, stderr: exported.stderr }).toEqual({ code: 0, stderr: WARNING });
      expect(JSON.parse(readFileSync(`${file}.meta.json`, 'utf8')).flaws).toEqual([
        'there is data for 19 of the 28 days from 2026-02-01 to 2026-02-28 only (2026-02-10 to 2026-02-28)',
      ]);
      expect(readFileSync(picture, 'utf8')).toContain('there is data for 19 of the 28 days');
      expect((await run('-o', 'md', '--strict')).code).toBe(7);
    },
  );

  test('make a month partial, and a month without a row is not noted', async () => {
    const rows = ['{"report_month":"2026-02","visits":5}', '{"report_month":"2026-03","visits":9}'];
    const { gatectl } = await analytics(request =>
      request.target.endsWith('/date-range')
        ? { body: JSON.stringify({ earliest_date: '2026-02-10', latest_date: '2026-03-31' }) }
        : rowsReply(rows, 2),
    );
    const days = ['--from', '2026-01-14', '--to', '2026-03-31', '-d', 'report_month'];
    const query = ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', ...days];
    const now = Date.parse('2026-05-01T12:00:00Z');
    for (const format of ['md', 'csv', 'json']) {
      const { stdout, stderr } = await gatectl([...query, '-o', format], { now });
      expect(stdout.includes('Feb 2026 (19 of 28 days)')).toBe(format === 'md');
      expect(stderr.match(/\w+ 2026 is partial.*/g)).toEqual(['February 2026 is partial (19 of 28 days)']);
    }
    const chart = await gatectl([...query, '--chart'], { now });
    expect(chart.stdout).toContain('* Feb 2026 is partial (19 of 28 days)');
    expect(chart.stdout).not.toContain('lowest');
  });
});

describe('days that have not ended', () => {
  const NOON = Date.parse('2026-03-14T12:00:00Z');
  const rows = ['{"report_day":"2026-03-13","visits":9}', '{"report_day":"2026-03-14","visits":4}'];
  const byDay = ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', '-d', 'report_day'];
  const listed = (all: readonly string[]) =>
    analytics(({ method }) => (method === 'GET' ? { body: '[]' } : rowsReply(all, all.length)));

  test.each(['table', 'md', 'html'])('are marked in %s', async format => {
    const { gatectl } = await listed(rows);
    const { stdout } = await gatectl([...byDay, '--from', '-1d', '--to', 'today', '-o', format], {
      now: NOON,
    });
    expect(stdout).toContain('Sat 14 Mar (not ended)');
    expect(stdout).not.toContain('Fri 13 Mar (');
  });

  test.each(['csv', 'tsv', 'json', 'ndjson'])('are not marked in %s', async format => {
    const { gatectl } = await listed(rows);
    const ran = await gatectl([...byDay, '--from', '-1d', '--to', 'today', '-o', format], { now: NOON });
    expect(ran.stdout).not.toContain('not ended');
    expect(ran.stderr).toContain('note: 14 March 2026 has not ended yet\n');
  });

  test('are marked in the table of a chart page, and named below bars and their table', async () => {
    const { gatectl } = await listed(rows);
    const page = join(temporaryFolder(), 'chart.html');
    await gatectl([...byDay, '--from', '-1d', '--to', 'today', '--chart', page], { now: NOON });
    expect(readFileSync(page, 'utf8')).toContain('>Sat 14 Mar (not ended)</td>');
    const countries = await listed(['{"country":"DE","visits":9}', '{"country":"AT","visits":4}']);
    const query = ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', '-d', 'country'];
    for (const format of [['--chart'], ['-o', 'md']]) {
      const { stdout } = await countries.gatectl([...query, '--from', '-1d', '--to', 'today', ...format], {
        now: NOON,
      });
      expect(stdout).toMatch(/^14 March 2026 has not ended yet$/m);
    }
  });

  test('are a part of their month, which is said', async () => {
    const { gatectl } = await listed(['{"report_month":"2026-03","visits":5}']);
    const query = ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', '-d', 'report_month'];
    const label = async (...flags: string[]) =>
      /Mar 2026 \((.*)\)/.exec((await gatectl([...query, ...flags], { now: NOON })).stdout)?.[1];
    expect(await label('--this', 'month')).toBe('13 of 31 days');
    expect(await label('--this', 'month', '--include-today')).toBe('13 of 31 days and part of today');
  });

  test('in UTC may have in a zone that was typed', async () => {
    const { gatectl } = await listed(rows);
    const { stdout, stderr } = await gatectl([...byDay, '--last', '2d', '--tz', 'Pacific/Auckland'], {
      now: NOON,
    });
    expect(stdout).toContain('Sat 14 Mar (not ended in UTC)');
    expect(stderr).toContain('note: 14 March 2026 has not ended yet in UTC\n');
    // It ended there an hour ago, and in UTC too.
    const later = await gatectl(
      [...byDay, '--from', '2026-03-13', '--to', '2026-03-14', '--tz', 'Pacific/Auckland'],
      {
        now: Date.parse('2026-03-15T00:10:00Z'),
      },
    );
    expect(later.stdout + later.stderr).not.toContain('not ended');
  });
});

test('an unknown column is named with a similar one, also where the days are missing', async () => {
  const { code, stderr } = await run(['bda', 'query', '-d', 'contry', '-m', 'vists,visits', '--sandbox']);
  expect(code).toBe(2);
  expect(stderr).toContain("metrics[0] (--metric vists): unknown column 'vists'; did you mean 'visits'?");
  expect(stderr).toContain(
    "dimensions[0] (--dimension contry): unknown column 'contry'; did you mean 'country'?",
  );
  expect(stderr).toContain('date_range: is required\n');
});
