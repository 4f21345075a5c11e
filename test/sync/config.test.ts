import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseSyncConfig } from '../../src/sync/config-file.ts';
import { run } from '../support/run.ts';
import { figuresOf, KEY, queriesOf, respondFrom, SYNC_FILE, syncing } from './source.ts';

const FIGURES = figuresOf([7], '2026-03-01', 13);

async function failing(text: string) {
  const { sync, lake, server } = await syncing(FIGURES, text);
  const { code, stdout, stderr } = await sync(['run']);
  return {
    code,
    stdout,
    stderr,
    isTouched: existsSync(lake),
    queried: server.received.some(({ method }) => method === 'POST'),
  };
}

describe('a sync file', () => {
  test.each([
    [
      'an unknown setting',
      'destinaton: x\n',
      '1:1: unknown setting "destinaton"\n  did you mean destination?\n',
    ],
    [
      'an unknown setting of a table',
      SYNC_FILE.replace('metrics:', 'metrcs:'),
      '6:5: unknown setting "metrcs"\n  did you mean metrics?\n',
    ],
    [
      'a key',
      `api_key: abc\n${SYNC_FILE}`,
      '1:1: "api_key": the file must not contain secrets\n  gatectl reads the key from a profile or from GATECTL_API_KEY\n',
    ],
    [
      'a password in the destination',
      SYNC_FILE.replace('lake', 'postgres://me:secret@db.example.com/news'),
      '1:14: the destination contains a password\n  omit it: a sync file contains no secrets\n',
    ],
    [
      'a destination of an unknown kind',
      SYNC_FILE.replace('lake', 'mysql://db.example.com/news'),
      '1:14: unknown kind of destination "mysql"\n  type a folder for Parquet files, or one of: duckdb:, postgres:, postgresql:, s3:, clickhouse:, clickhouses:\n',
    ],
    [
      'a home folder by its sign',
      SYNC_FILE.replace('lake', '~/lake'),
      '1:14: the destination starts with ~, which is not replaced in a file\n  type the path of the folder in full, or relative to the sync file\n',
    ],
    [
      'a type that there is not',
      `${SYNC_FILE}    types: {visits: number}\n`,
      '8:21: "number" is not a type\n  types: varchar, boolean, date, bigint, double, decimal(18,2)\n',
    ],
    [
      'a type of no column',
      `${SYNC_FILE}    types: {visit: bigint}\n`,
      '8:13: visit is not a column of the table\n  did you mean visits?\n',
    ],
    [
      'a type that a brace of YAML cuts',
      `${SYNC_FILE}    types: {revenue: decimal(18,4)}\n`,
      '8:22: "decimal(18" is not a type\n  between braces, put it in quotes: "decimal(18,2)"\n',
    ],
    [
      'a metric that would not be a number',
      `${SYNC_FILE}    types: {visits: varchar}\n`,
      '8:21: visits is a metric, which is a number\n',
    ],
    [
      'a test that names no column of the table',
      `${SYNC_FILE}    tests: {not_null: [page_ur]}\n`,
      '8:24: page_ur is not a column of the table\n  did you mean page_url?\n',
    ],
    [
      'a range of no column',
      `${SYNC_FILE}    tests:\n      range: {visitors: {min: 0}}\n`,
      '9:15: visitors is not a column of the table\n  did you mean visits?\n',
    ],
    [
      'a range without bounds',
      `${SYNC_FILE}    tests: {range: {visits: {}}}\n`,
      '8:29: visits has neither min nor max\n',
    ],
    [
      'bounds in the wrong order',
      `${SYNC_FILE}    tests: {range: {visits: {min: 10, max: 9}}}\n`,
      '8:29: min is greater than max: 10 is greater than 9\n',
    ],
    [
      'the sum of a ratio',
      `${SYNC_FILE.replace('revenue]', 'bounce_rate]')}    tests: {day_on_day: {bounce_rate: {max: 2}}}\n`,
      '8:26: the values of bounce_rate may not be summed\n  if they may, add it to additive: additive: [bounce_rate]\n',
    ],
    ['no test', `${SYNC_FILE}    tests:\n`, '8:11: tests is empty\n'],
    ['a test of no column', `${SYNC_FILE}    tests: {not_null: []}\n`, '8:23: not_null is empty\n'],
    [
      'days of freshness that are none',
      `${SYNC_FILE}    tests: {fresh_within: soon}\n`,
      '8:27: fresh_within must be a number of days such as 3d\n',
    ],
    [
      'a word for changes of types that there is not',
      `${SYNC_FILE}    on_type_change: ignore\n`,
      '8:21: on_type_change cannot be "ignore"\n  one of: widen, fail, quarantine\n',
    ],
    [
      'a database in memory',
      SYNC_FILE.replace('lake', '"duckdb::memory:"'),
      '1:14: a DuckDB database in memory ends with the run\n  name a file: duckdb:analytics.duckdb\n',
    ],
    [
      'a folder whose name no file system allows',
      SYNC_FILE.replace('lake', `news/${'ü'.repeat(150)}`),
      '1:14: a name in the destination is too long: 300 bytes\n  use at most 255 bytes for each folder and file\n',
    ],
    [
      'a metric that no data set has',
      SYNC_FILE.replace('revenue', 'revenu'),
      '6:23: there is no column "revenu"\n  did you mean revenue?\n',
    ],
    [
      'a metric of another data set',
      SYNC_FILE.replace('revenue', 'bounce_rate'),
      '6:23: the data set pageview has no bounce_rate\n',
    ],
    [
      'an unknown data set',
      SYNC_FILE.replace('pageview', 'pageviews'),
      '4:15: there is no data set "pageviews"\n  did you mean pageview?\n',
    ],
    [
      'tables that overlap',
      `${SYNC_FILE}  again:\n    data_set: pageview\n    dimensions: [page_url]\n    metrics: [revenue, visits]\n    start: 2026-02-01\n`,
      '8:3: the tables pages and again overlap: they have the same columns and filters\n  remove one of them\n',
    ],
    ['the same table twice', `${SYNC_FILE}  pages: {}\n`, '8:3: duplicate setting\n'],
    [
      'an alias without an anchor',
      SYNC_FILE.replace('[page_url]', '*columns'),
      '5:17: there is no anchor for this alias above it\n',
    ],
    [
      'an alias of what it is a part of',
      SYNC_FILE.replace('[page_url]', '&columns [*columns]'),
      '5:27: the alias names an anchor that contains it\n',
    ],
    [
      'a table whose name is too long',
      SYNC_FILE.replace('pages:', `${'p'.repeat(300)}:`),
      '3:3: the name of the table is too long: 300 characters\n  use at most 63 characters\n',
    ],
    [
      'an unknown site',
      `domains: [site-9.example.com]\n${SYNC_FILE}`,
      '1:11: the account has no site site-9.example.com\n  did you mean site-7.example.com?\n',
    ],
    [
      'no tables',
      'destination: lake\n',
      '1:1: the sync file has no tables\n  add tables: with at least one table\n',
    ],
    [
      'no valid YAML',
      'tables: [\n',
      '2:1: not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ]\n',
    ],
    [
      'a tab as indentation',
      SYNC_FILE.replace('  pages', '\tpages'),
      '3:1: indentation must be spaces, not tabs\n',
    ],
    [
      'a tab after a space',
      SYNC_FILE.replace('    start', '  \tstart'),
      '7:3: indentation must be spaces, not tabs\n',
    ],
    [
      'a tab in a list',
      SYNC_FILE.replace('visits, revenue]', 'visits,\n\trevenue]'),
      '7:1: indentation must be spaces, not tabs\n',
    ],
    [
      'a merge key without a mapping',
      SYNC_FILE.replace('dimensions: [page_url]', 'dimensions: &columns [page_url]\n    <<: *columns'),
      '5:27: << requires a mapping, or a list of them\n',
    ],
    [
      'a merge key twice',
      SYNC_FILE.replace('pages:', 'first: &first {}\n  pages:\n    <<: *first\n    <<: *first'),
      '6:5: duplicate setting\n',
    ],
    [
      'an unknown setting by a merge key',
      SYNC_FILE.replace('pages:', 'pages:\n    <<: {metrcs: [visits]}'),
      '4:10: unknown setting "metrcs"\n  did you mean metrics?\n',
    ],
    [
      'two documents',
      `${SYNC_FILE}---\ndestination: other\n`,
      `${SYNC_FILE.split('\n').length}:1: a second document starts here; the file must have one\n`,
    ],
    [
      'an impossible day',
      SYNC_FILE.replace('2026-01-01', '2026-02-30'),
      '7:12: start must be a day, YYYY-MM-DD\n',
    ],
    [
      'a column that gatectl adds',
      SYNC_FILE.replace('page_url', 'domain'),
      '5:18: domain is a column that gatectl adds itself\n',
    ],
    [
      'a dimension that the folders of a lake hide',
      SYNC_FILE.replace('page_url', 'month'),
      '5:18: readers of the lake take month from the folders month=…\n  remove the column, set partition: day, or choose another destination\n',
    ],
    [
      'a metric that the folders of a bucket hide, in another case',
      `${SYNC_FILE.replace('lake', 's3://news/lake').replace('visits', 'Day')}    partition: day\n`,
      '6:15: readers of the lake take Day from the folders day=…\n  remove the column, set partition: month, or choose another destination\n',
    ],
    [
      'a column that the folders of superseded rows hide',
      `${SYNC_FILE.replace('page_url', 'valid_from')}    history: true\n`,
      '5:18: readers of the lake take valid_from from the folders valid_from=…\n  remove the column, or set history: false\n',
    ],
    [
      'two columns that differ in case only',
      SYNC_FILE.replace('page_url', 'Visits'),
      '6:15: visits differs from Visits only in case, which DuckDB ignores\n  remove visits, or choose PostgreSQL or ClickHouse as the destination\n',
    ],
    [
      'two columns of a bucket that differ in case only',
      SYNC_FILE.replace('lake', 's3://news/lake').replace('page_url', 'Visits'),
      '6:15: visits differs from Visits only in case, which DuckDB ignores\n  remove visits, or choose PostgreSQL or ClickHouse as the destination\n',
    ],
    [
      'a column of a DuckDB file that gatectl adds in another case',
      SYNC_FILE.replace('lake', 'duckdb:news.duckdb').replace('page_url', 'Domain_ID'),
      '5:18: Domain_ID differs from domain_id only in case, which DuckDB ignores\n  remove Domain_ID, or choose PostgreSQL or ClickHouse as the destination\n',
    ],
  ])('with %s is rejected before anything is touched', async (_, text, message) => {
    expect(await failing(text)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: gatectl.sync.yaml:${message}`,
      isTouched: false,
      queried: false,
    });
  });

  test.each([
    ['month in folders of days', `${SYNC_FILE.replace('page_url', 'month')}    partition: day\n`],
    ['month in a DuckDB file', SYNC_FILE.replace('lake', 'duckdb:news.duckdb').replace('page_url', 'month')],
    ['valid_from without superseded rows', SYNC_FILE.replace('page_url', 'valid_from')],
    [
      'two cases in a database',
      SYNC_FILE.replace('lake', 'postgres://db.example.com/news').replace('page_url', 'Visits'),
    ],
  ])('may have %s', (_, text) => {
    expect(parseSyncConfig('gatectl.sync.yaml', text).tables).toHaveLength(1);
  });

  describe.each([
    [
      'a metric among the dimensions',
      '[visits]',
      '[revenue]',
      '5:18: visits is a metric, not a dimension\n  move it to metrics',
    ],
    [
      'a dimension among the metrics',
      '[]',
      '[page_url]',
      '6:15: page_url is a dimension, not a metric\n  move it to dimensions',
    ],
  ])('with %s', (_, dimensions, metrics, message) => {
    const text = SYNC_FILE.replace('[page_url]', dimensions).replace('[visits, revenue]', metrics);
    const respond = respondFrom(FIGURES);

    test.each(['"role":"', '"Kind":"'])(
      'is rejected where the list of columns states it: %s',
      async field => {
        const { sync, server } = await syncing(FIGURES, text, request => {
          if (!request.target.endsWith('/columns')) return respond(request);
          const body = String(respond(request).body)
            .replace('"name":"page_url"', `"name":"page_url",${field}dimension"`)
            .replace('"name":"visits"', `"name":"visits",${field}metric"`);
          return { body };
        });
        expect(await sync(['plan'])).toEqual({
          code: 2,
          stdout: '',
          stderr: `error: gatectl.sync.yaml:${message}\n`,
        });
        expect(queriesOf(server)).toEqual([]);
      },
    );

    test('is accepted where the list of columns states no role', async () => {
      const { sync } = await syncing(FIGURES, text);
      expect((await sync(['plan'])).code).toBe(0);
    });
  });

  test('cannot change the case of a column that is stored', async () => {
    const { sync, folder } = await syncing(FIGURES);
    expect((await sync(['run'])).code).toBe(0);
    writeFileSync(join(folder, 'gatectl.sync.yaml'), SYNC_FILE.replace('page_url', 'Page_URL'));
    expect(await sync(['run'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: gatectl.sync.yaml:5:18: Page_URL differs only in case from page_url, which pages has in lake\n  give the table another name\n',
    });
  });

  test('shares a list by an alias', async () => {
    const { sync, server } = await syncing(
      FIGURES,
      `${SYNC_FILE.replace('[visits, revenue]', '&figures [visits, revenue]')}  days:
    data_set: pageview
    metrics: *figures
    start: 2026-01-01
`,
    );
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    const metrics = server.received.flatMap(({ method, body }) =>
      method === 'POST' ? [(JSON.parse(body) as { metrics: string[] }).metrics] : [],
    );
    expect(new Set(metrics.map(String))).toEqual(new Set(['visits,revenue']));
  });

  test('that contains the API key is rejected', async () => {
    const { code, stderr } = await failing(`# ${KEY}\n${SYNC_FILE}`);
    expect(code).toBe(2);
    expect(stderr).toContain('gatectl.sync.yaml contains an API key');
    expect(stderr).not.toContain(KEY);
  });

  test.each([
    ['plan other.yaml', 'gatectl bda sync plan FILE'],
    ['verify', 'gatectl bda sync verify FILE'],
    [
      'worker other.yaml --engine redis://queue.example.com',
      'gatectl bda sync worker --engine redis://queue.example.com FILE',
    ],
  ])('that does not exist is named, with what to do: %s', async (words, command) => {
    const { sync, folder } = await syncing(FIGURES);
    rmSync(join(folder, 'gatectl.sync.yaml'));
    const [, file = 'gatectl.sync.yaml'] = words.split(' ');
    expect(await sync(words.split(' '))).toEqual({
      code: 9,
      stdout: '',
      stderr: `error: no such file: ${file}\n  write one with gatectl bda sync init, or name another one: ${command}\n`,
    });
  });

  test('that does not exist is named by its option where that names it', async () => {
    expect(await run(['bda', 'sql', 'SELECT 1', '--sync', 'other.yaml'], { cwd: '/' })).toEqual({
      code: 9,
      stdout: '',
      stderr:
        'error: no such file: other.yaml\n  write one with gatectl bda sync init, or name another one: --sync FILE\n',
    });
  });
});

describe('bda sync init', () => {
  const INIT = [
    'init',
    '--data-set',
    'pageview',
    '-d',
    'page_url',
    '-m',
    'visits,revenue',
    '--start',
    '2026-03-01',
  ];

  test('writes a file that runs', async () => {
    const { sync, folder } = await syncing(FIGURES);
    expect(await sync([...INIT, 'new.yaml'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'wrote new.yaml; next: gatectl bda sync plan new.yaml\n',
    });
    expect(readFileSync(join(folder, 'new.yaml'), 'utf8')).toBe(`# gatectl bda sync run new.yaml

destination: lake
domains: all
tables:
  pageview:
    data_set: pageview
    dimensions: [page_url]
    metrics: [visits, revenue]
    start: 2026-03-01
    partition: month
`);
    expect((await sync(['run', 'new.yaml'])).code).toBe(0);
  });

  test('never overwrites a file', async () => {
    const { sync } = await syncing(FIGURES);
    const { code, stderr } = await sync(INIT);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: gatectl.sync.yaml already exists\n  edit it, or name another file\n',
    });
  });

  test.each([
    ['--start', '2026-02-30', "invalid --start '2026-02-30'\n  pass a day such as 2026-01-01\n"],
    [
      '--table',
      'Pages',
      '--table: "Pages" is not a valid name for a table\n  use lower-case letters, digits and underscores, starting with a letter\n',
    ],
    [
      '--table',
      'p'.repeat(64),
      '--table: the name of the table is too long: 64 characters\n  use at most 63 characters\n',
    ],
    [
      '--destination',
      'postgres://me:made-up@db.example.com/news',
      '--destination: the destination contains a password\n  omit it: a sync file contains no secrets\n',
    ],
    ['-m', 'visits,visits', 'new.yaml:9:23: visits is named twice\n'],
  ])('rejects what a sync file would reject: %s %s', async (flag, value, message) => {
    const { sync, folder, server } = await syncing(FIGURES);
    const init = INIT.filter((word, index) => word !== flag && INIT[index - 1] !== flag);
    const ran = await sync([...init, 'new.yaml', flag, value]);
    expect(ran).toEqual({ code: 2, stdout: '', stderr: `error: ${message}` });
    expect(existsSync(join(folder, 'new.yaml'))).toBe(false);
    expect(server.received).toEqual([]);
  });

  test('without a terminal requires what it would prompt for', async () => {
    const { sync } = await syncing(FIGURES);
    const { code, stderr } = await sync(['init', 'new.yaml', '--data-set', 'pageview']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: --metric is required\n  type gatectl bda sync init --data-set pageview -m visits --start 2026-01-01\n  on a terminal, gatectl bda sync init prompts for everything\n',
    });
  });
});

describe('--refetch', () => {
  test.each(['2025-12', '2026-03-14', '2027'])('of days that no table has is rejected: %s', async days => {
    const { sync, server } = await syncing(FIGURES);
    for (const command of ['run', 'plan'])
      expect(await sync([command, '--refetch', days])).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: no table has days of --refetch '${days}'\n  pages has 2026-01-01 to 2026-03-13\n`,
      });
    expect(server.received.some(({ method }) => method === 'POST')).toBe(false);
  });

  test('of days that one of two tables has is enough', async () => {
    const { sync } = await syncing(
      FIGURES,
      `${SYNC_FILE}  later:\n    data_set: pageview\n    metrics: [visits]\n    start: 2026-05-01\n`,
    );
    expect((await sync(['plan', '--refetch', '2026-01'])).code).toBe(0);
    expect((await sync(['plan', '--refetch', '2026-04'])).stderr).toBe(
      "note: later starts on 2026-05-01: it has no complete day yet\nerror: no table has days of --refetch '2026-04'\n  pages has 2026-01-01 to 2026-03-13\n  later starts on 2026-05-01\n",
    );
  });
});

test('a table that starts today or later is named, with its first day', async () => {
  const { sync } = await syncing(FIGURES, SYNC_FILE.replace('2026-01-01', '2026-03-14'));
  expect(await sync(['plan'])).toEqual({
    code: 0,
    stdout: 'nothing to request\n',
    stderr: 'note: pages starts on 2026-03-14: it has no complete day yet\n',
  });
});

describe('a destination', () => {
  test.runIf(process.platform === 'linux').each(['/proc/lake', 'duckdb:/proc/lake/rows.duckdb'])(
    'in a file system without new folders is one error: %s',
    async destination => {
      const { sync } = await syncing(FIGURES, SYNC_FILE.replace('lake', destination));
      expect(await sync(['run'], { env: { GATECTL_TRUST: '/proc' } })).toEqual({
        code: 9,
        stdout: '',
        stderr: 'error: cannot create /proc/lake: no folder can be created in /proc\n',
      });
    },
  );

  test('a destination that is a file', async () => {
    const { sync, folder } = await syncing(figuresOf([7], '2026-03-01', 3));
    writeFileSync(join(folder, 'lake'), 'a thesis');
    for (const command of ['plan', 'run', 'status'])
      expect(await sync([command])).toMatchObject({
        code: 2,
        stderr: 'error: lake is a file, not a folder\n  choose an empty folder, or one that does not exist\n',
      });
    expect(readFileSync(join(folder, 'lake'), 'utf8')).toBe('a thesis');
  });

  test('that holds something else is not touched', async () => {
    const { sync, lake, server } = await syncing(FIGURES);
    mkdirSync(lake);
    writeFileSync(join(lake, 'thesis.txt'), 'mine');
    const { code, stderr } = await sync(['run']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: lake contains thesis.txt, which no sync wrote\n  choose an empty folder, or one that does not exist\n',
    });
    expect(existsSync(join(lake, '_gatectl'))).toBe(false);
    expect(server.received.length).toBe(0);
  });

  test('of a newer gatectl is not touched', async () => {
    const { sync, lake } = await syncing(FIGURES);
    await sync(['run']);
    writeFileSync(join(lake, '_gatectl', 'lake.json'), '{"format":2}');
    const { code, stderr } = await sync(['run']);
    expect({ code, stderr }).toEqual({
      code: 9,
      stderr:
        'error: lake was written by a newer version of gatectl\n  update gatectl, or choose another destination\n',
    });
  });

  test('keeps the size of its partitions', async () => {
    const { sync, folder } = await syncing(FIGURES);
    await sync(['run']);
    writeFileSync(
      join(folder, 'gatectl.sync.yaml'),
      SYNC_FILE.replace('pages:', 'pages:\n    partition: day'),
    );
    const { code, stderr } = await sync(['run']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: gatectl.sync.yaml:4:16: the partitions of pages in lake are months\n  set partition: month, or give the table another name\n',
    });
  });
});
