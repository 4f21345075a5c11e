import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Quarantine } from '../../src/sync/contracts/quarantine.ts';
import { FolderStore } from '../../src/sync/destinations/lake/folder-store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { lockMachine } from '../support/lock-machine.ts';
import { NOON } from '../support/run.ts';
import {
  type Figures,
  figuresOf,
  queriesOf,
  type SourceRow,
  SYNC_FILE,
  type SyncRuns,
  syncing,
} from './source.ts';

/** One row a day of one site, up to yesterday. */
function someFigures(): Figures {
  return figuresOf([7], '2026-01-01', 72, () => 1);
}

/** The sync file with more settings of its table. */
function fileWith(settings = '', destination = 'lake'): string {
  return SYNC_FILE.replace('destination: lake', `destination: ${destination}`) + settings;
}

function setRow(figures: Figures, day: string, row: Partial<SourceRow>): void {
  const days = figures.get(7);
  const [before] = days?.get(day) ?? [];
  if (before !== undefined) days?.set(day, [{ ...before, ...row }]);
}

/** What `status` says of the quarantined partitions. */
async function quarantinedIn({ sync }: SyncRuns): Promise<Record<string, string>[]> {
  const { stdout } = await sync(['status', '-o', 'json']);
  return JSON.parse(stdout)[0].quarantined;
}

/** The files below a folder whose names end with a text, with their content. */
function filesIn(folder: string, ending: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith(ending))
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  return Object.fromEntries(paths.map(path => [path, readFileSync(join(folder, path), 'base64')]));
}

function typesOf(lake: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(lake, '_gatectl/tables/pages.json'), 'utf8'));
}

describe('a number that only a double could hold', () => {
  test('is kept aside: its partition and the types stay as they were, until the gateway has another one', async () => {
    const figures = someFigures();
    const runs = await syncing(figures);
    await runs.sync(['run']);
    const [files, types] = [filesIn(runs.lake, '.parquet'), typesOf(runs.lake)];
    setRow(figures, '2026-03-05', { revenue: '1e308' });
    const { code, stdout, stderr } = await runs.sync(['run', '--quiet', '-o', 'json']);
    expect([code, JSON.parse(stdout).failures, JSON.parse(stderr).error.code]).toEqual([
      7,
      [
        {
          table: 'pages',
          domain: 'site-7.example.com',
          from: '2026-03-01',
          to: '2026-03-13',
          error: 'quarantined: revenue: DECIMAL(18,2) -> DOUBLE, which is not exact, for 1e308 on 2026-03-05',
          quarantined: true,
        },
      ],
      'contract_broken',
    ]);
    expect([filesIn(runs.lake, '.parquet'), typesOf(runs.lake)]).toEqual([files, types]);
    const [kept] = await quarantinedIn(runs);
    expect(kept).toEqual({
      partition: '2026-03',
      domain: 'site-7.example.com',
      from: '2026-03-01',
      to: '2026-03-13',
      quarantined_at: '2026-03-14T12:00:00.000Z',
      tried_at: '2026-03-14T12:00:00.000Z',
      rows: 13,
      problems: ['revenue: DECIMAL(18,2) -> DOUBLE, which is not exact, for 1e308 on 2026-03-05'],
      path: join(runs.lake, '_gatectl/quarantine/pages/domain_id=7/2026-03/rows.json'),
    });
    expect(JSON.parse(readFileSync(kept?.path ?? '', 'utf8'))).toHaveLength(13);
    expect((await runs.sync(['status'])).stdout).toContain('1 partition quarantined\n');
    const again = await runs.sync(['run', '--quiet']);
    expect([again.code, again.stdout.includes('quarantined'), again.stderr]).toEqual([
      7,
      true,
      `error: 1 of 1 partition failed
  gatectl bda sync status lists the rows that are kept aside; run --refetch requests them again
`,
    ]);
    setRow(figures, '2026-03-05', { revenue: '2.25' });
    expect((await runs.sync(['run', '--refetch', '2026-03'])).code).toBe(0);
    expect(await quarantinedIn(runs)).toEqual([]);
    expect(filesIn(runs.lake, 'rows.json')).toEqual({});
  });

  test('is kept aside where it comes first, too, so that the order of the partitions does not matter', async () => {
    const figures = someFigures();
    setRow(figures, '2026-01-05', { revenue: '1e308' });
    const { sync, lake } = await syncing(figures);
    const { code, stdout } = await sync(['run', '-o', 'json']);
    expect([code, JSON.parse(stdout).failures[0].error]).toEqual([
      7,
      expect.stringMatching(
        /^quarantined: revenue: (?:.* -> )?DOUBLE, which is not exact, for 1e308 on 2026-01-05$/,
      ),
    ]);
    expect(Object.keys(filesIn(lake, '.parquet'))).toEqual(
      ['2026-02', '2026-03'].map(month => `pages/domain_id=7/month=${month}/data.parquet`),
    );
  });

  test.each(
    ['lake', 'duckdb:analytics.duckdb'].flatMap(destination =>
      ['', 'quarantine', 'fail'].flatMap(setting =>
        ['2.5e50', '5e-324'].map(number => [destination, setting, number] as const),
      ),
    ),
  )('is found in %s with on_type_change: %j after a null: %s', async (destination, setting, number) => {
    const figures = someFigures();
    setRow(figures, '2026-03-02', { revenue: 'null' });
    setRow(figures, '2026-03-05', { revenue: number });
    const settings = setting === '' ? '' : `    on_type_change: ${setting}\n`;
    const { sync } = await syncing(figures, fileWith(settings, destination));
    const { code, stdout } = await sync(['run', '-o', 'json']);
    expect([code, JSON.parse(stdout).failures.map(({ error }: { error: string }) => error)]).toEqual([
      7,
      [
        expect.stringMatching(
          `^${setting === 'fail' ? '' : 'quarantined: '}revenue: (?:.* -> )?DOUBLE, which is not exact, for ${number} on 2026-03-05$`,
        ),
      ],
    ]);
  });

  test('makes the column a double with on_type_change: widen', async () => {
    const figures = someFigures();
    const { sync } = await syncing(figures, fileWith('    on_type_change: widen\n'));
    await sync(['run']);
    setRow(figures, '2026-03-05', { revenue: '1e308' });
    const { code, stderr } = await sync(['run']);
    expect([code, stderr]).toEqual([
      0,
      'note: pages, version 2 of its column types: revenue: DECIMAL(18,2) -> DOUBLE\n',
    ]);
  });
});

describe('a type that becomes wider, and remains exact', () => {
  test.each([
    ['', 0, undefined, 0],
    ['    on_type_change: widen\n', 0, undefined, 0],
    ['    on_type_change: fail\n', 7, 'revenue: DECIMAL(18,2) -> DECIMAL(18,4), for 1.2345 on 2026-03-05', 0],
    [
      '    on_type_change: quarantine\n',
      7,
      'quarantined: revenue: DECIMAL(18,2) -> DECIMAL(18,4), for 1.2345 on 2026-03-05',
      1,
    ],
  ])('with %j ends with %i', async (settings, code, error, kept) => {
    const figures = someFigures();
    const runs = await syncing(figures, fileWith(settings));
    await runs.sync(['run']);
    setRow(figures, '2026-03-05', { revenue: '1.2345' });
    const found = await runs.sync(['run', '-o', 'json']);
    const { failures } = JSON.parse(found.stdout);
    expect([found.code, failures[0]?.error]).toEqual([code, error]);
    expect(await quarantinedIn(runs)).toHaveLength(kept);
  });
});

describe('a pinned type', () => {
  const PINNED = fileWith('    types:\n      visits: decimal(20, 3)\n      revenue: DECIMAL(9,4)\n');

  test('is that of the column from the start, and other values are kept aside', async () => {
    const figures = someFigures();
    const { sync, lake } = await syncing(figures, PINNED);
    expect((await sync(['run'])).code).toBe(0);
    expect((await sync(['ddl', '--for', 'trino'])).stdout).toContain('"visits" DECIMAL(20,3)');
    const types = typesOf(lake);
    setRow(figures, '2026-03-05', { revenue: '1.23456' });
    const { code, stdout } = await sync(['run', '-o', 'json']);
    expect([code, JSON.parse(stdout).failures[0].error]).toEqual([
      7,
      'quarantined: revenue is pinned to DECIMAL(9,4), but has values of DECIMAL(18,6), such as 1.23456 on 2026-03-05',
    ]);
    expect(typesOf(lake)).toEqual(types);
  });

  test('is that of a column in a DuckDB file, too, also where other values come first', async () => {
    const figures = someFigures();
    for (const day of ['2026-01-01', '2026-02-01', '2026-03-01']) setRow(figures, day, { page: '1e3' });
    const pinned = fileWith(
      '    types:\n      page_url: varchar\n      visits: decimal(20,3)\n      revenue: double\n',
      'duckdb:analytics.duckdb',
    );
    const { sync } = await syncing(figures, pinned);
    expect((await sync(['run'])).code).toBe(0);
    expect((await sync(['verify'])).code).toBe(0);
    const { stdout } = await sync(['ddl', '--for', 'trino', '--location', 's3://news/lake']);
    expect(stdout).toMatch(/"page_url" VARCHAR,\n.*"visits" DECIMAL\(20,3\),\n.*"revenue" DOUBLE/);
  });

  test.each([
    ['lake', '', 'quarantined: '],
    ['lake', '    on_type_change: fail\n', ''],
    ['duckdb:analytics.duckdb', '    on_type_change: widen\n', 'quarantined: '],
  ])(
    'to a double in %s with %j keeps numbers aside that none represents',
    async (destination, settings, start) => {
      const figures = someFigures();
      setRow(figures, '2026-02-02', { revenue: 'null' });
      setRow(figures, '2026-02-04', { revenue: '9007199254740993' });
      setRow(figures, '2026-03-05', { revenue: '9007199254740992' });
      const runs = await syncing(figures, fileWith(`    types: {revenue: double}\n${settings}`, destination));
      const { code, stdout } = await runs.sync(['run', '-o', 'json']);
      expect([code, JSON.parse(stdout).failures.map(({ error }: { error: string }) => error)]).toEqual([
        7,
        [
          `${start}revenue is pinned to DOUBLE, but has numbers that are too long for it, such as 9007199254740993 on 2026-02-04`,
        ],
      ]);
      expect(await quarantinedIn(runs)).toHaveLength(start === '' ? 0 : 1);
      setRow(figures, '2026-02-04', { revenue: '9007199254740994' });
      expect((await runs.sync(['run'])).code).toBe(0);
      expect(await quarantinedIn(runs)).toEqual([]);
    },
  );

  test('that is removed from the file only becomes wider', async () => {
    const figures = someFigures();
    const { sync, folder } = await syncing(figures, PINNED);
    await sync(['run']);
    writeFileSync(join(folder, 'gatectl.sync.yaml'), SYNC_FILE);
    const { code, stderr } = await sync(['run']);
    expect([code, stderr]).toEqual([
      0,
      'note: pages, version 2 of its column types: visits: DECIMAL(20,3) -> DECIMAL(38,4), revenue: DECIMAL(9,4) -> DECIMAL(18,4)\n',
    ]);
  });

  test('that the rows of a partition contradict leaves it as it was, whichever site is first', async () => {
    for (const contradicting of [7, 8]) {
      const figures = figuresOf([7, 8], '2026-03-01', 13, () => 1);
      for (const [day, rows] of figures.get(15 - contradicting) ?? [])
        figures.get(15 - contradicting)?.set(
          day,
          rows.map(row => ({ ...row, revenue: '5' })),
        );
      const { sync, lake } = await syncing(
        figures,
        fileWith('    types: {visits: bigint, revenue: bigint}\n').replace('2026-01-01', '2026-03-01'),
      );
      const { code, stdout } = await sync(['run', '-o', 'json']);
      expect([code, JSON.parse(stdout).failures]).toEqual([
        7,
        [
          {
            table: 'pages',
            domain: `site-${contradicting}.example.com`,
            from: '2026-03-01',
            to: '2026-03-13',
            error:
              'quarantined: revenue is pinned to BIGINT, but has values of DECIMAL(18,2), such as 0.50 on 2026-03-01',
            quarantined: true,
          },
        ],
      ]);
      expect(Object.keys(filesIn(lake, '.parquet'))).toEqual([
        `pages/domain_id=${15 - contradicting}/month=2026-03/data.parquet`,
      ]);
    }
  });

  test('that the rows of all partitions contradict leaves the destination without a table', async () => {
    const runs = await syncing(
      someFigures(),
      fileWith('    types: {revenue: bigint}\n    on_type_change: fail\n'),
    );
    const { code, stdout } = await runs.sync(['run', '-o', 'json']);
    expect([code, JSON.parse(stdout).failures.map(({ error }: { error: string }) => error)]).toEqual([
      7,
      ['revenue is pinned to BIGINT, but has values of DECIMAL(18,2), such as 0.50 on 2026-01-01'],
    ]);
    expect([
      filesIn(runs.lake, '.parquet'),
      filesIn(runs.lake, 'rows.json'),
      filesIn(runs.lake, 'pages.json'),
    ]).toEqual([{}, {}, {}]);
  });

  test('that cannot hold what is stored is one line, before a query', async () => {
    const figures = someFigures();
    const { sync, folder, server } = await syncing(figures);
    await sync(['run']);
    const queries = queriesOf(server).length;
    writeFileSync(join(folder, 'gatectl.sync.yaml'), fileWith('    types:\n      revenue: bigint\n'));
    const { code, stderr } = await sync(['run']);
    expect([code, stderr]).toEqual([
      2,
      `error: gatectl.sync.yaml:9:16: revenue is DECIMAL(18,2) in lake, which cannot become BIGINT
  set revenue: decimal(18,2), or give the table another name
`,
    ]);
    expect(queriesOf(server)).toHaveLength(queries);
  });
});

describe('a quarantined partition', () => {
  const HOUR = 3_600_000;

  test('has the time when it was first set aside since it was last replaced', async () => {
    const figures = someFigures();
    const runs = await syncing(figures);
    await runs.sync(['run']);
    const timesAfter = async (revenue: string, hours: number) => {
      setRow(figures, '2026-03-05', { revenue });
      await runs.sync(['run', '-q'], { now: NOON + hours * HOUR });
      return (await quarantinedIn(runs)).map(({ quarantined_at, tried_at }) => [quarantined_at, tried_at]);
    };
    const at = (hour: number) => `2026-03-14T${hour}:00:00.000Z`;
    expect(await timesAfter('1e308', 1)).toEqual([[at(13), at(13)]]);
    expect(await timesAfter('1e307', 2)).toEqual([[at(13), at(14)]]);
    const kept = join(runs.lake, '_gatectl/quarantine/pages/domain_id=7/2026-03');
    const record = readFileSync(join(kept, 'record.json'));
    expect(await timesAfter('2.25', 3)).toEqual([]);
    // A process was killed before it removed what was kept.
    mkdirSync(kept, { recursive: true });
    writeFileSync(join(kept, 'record.json'), record);
    expect(await quarantinedIn(runs)).toEqual([]);
    expect(await timesAfter('1e308', 4)).toEqual([[at(16), at(16)]]);
    writeFileSync(join(kept, 'record.json'), '{');
    expect(await timesAfter('1e308', 5)).toEqual([[at(17), at(17)]]);
  });

  test('is requested again by a sweep, which releases it if the gateway has the stored rows again', async () => {
    const figures = someFigures();
    const runs = await syncing(figures);
    await runs.sync(['run']);
    const [before] = figures.get(7)?.get('2026-01-05') ?? [];
    setRow(figures, '2026-01-05', { revenue: '1e40' });
    const found = await runs.sync(['run', '--refetch', '2026-01-05', '-q']);
    expect([found.code, found.stdout.split('\n')[0]]).toEqual([
      7,
      '0 partitions written to lake, 1 unchanged, 1 failed',
    ]);
    setRow(figures, '2026-01-05', { ...before });
    const queries = queriesOf(runs.server).length;
    const { code, stdout, stderr } = await runs.sync(['sweep']);
    expect([code, stdout.split('\n')[0], stderr]).toEqual([
      0,
      '0 partitions written to lake, 1 unchanged',
      'note: 1 quarantined partition requested again\nnote: compared totals in 1 request\n',
    ]);
    expect(queriesOf(runs.server)).toHaveLength(queries + 2);
    expect(await quarantinedIn(runs)).toEqual([]);
    expect((await runs.sync(['sweep'])).stderr).toBe('note: compared totals in 1 request\n');
  });
});

test('what another process keeps aside is known to one that has looked before', async () => {
  const folder = temporaryFolder();
  const quarantineOf = () => new Quarantine(new FolderStore(folder, folder, lockMachine), 'quarantine');
  const [one, other] = [quarantineOf(), quarantineOf()];
  expect([...(await one.partitions('pages', 7))]).toEqual([]);
  const tried = (hour: number) => ({
    ...{
      partition: '2026-03-11',
      domain: 'site-7.example.com',
      domainId: 7,
      rows: 0,
      problems: ['min_rows'],
    },
    ...{ from: '2026-03-11', to: '2026-03-11', triedAt: `2026-03-14T${hour}:00:00.000Z` },
  });
  const none = { path: undefined, columns: [], replacedAt: undefined };
  await other.keep('pages', tried(12), none);
  expect(await one.has('pages', 7, '2026-03-11')).toBe(true);
  expect(await one.has('pages', 7, '2026-03-12')).toBe(false);
  await one.keep('pages', tried(13), none);
  const [kept] = await other.list('pages', async () => new Map());
  expect([kept?.quarantinedAt, kept?.triedAt]).toEqual([tried(12).triedAt, tried(13).triedAt]);
});

test('units carry the types of their table', async () => {
  const figures = someFigures();
  const { sync } = await syncing(figures, fileWith('    on_type_change: fail\n'));
  await sync(['run']);
  setRow(figures, '2026-03-05', { revenue: '1.2345' });
  const { stdout: units } = await sync(['plan', '--units'], { now: NOON + 1 });
  const { code, stdout } = await sync(['run', '--units', '-', '-o', 'json'], { input: units });
  expect([code, JSON.parse(stdout).failures[0].error]).toEqual([
    7,
    'revenue: DECIMAL(18,2) -> DECIMAL(18,4), for 1.2345 on 2026-03-05',
  ]);
});

test('units do not make a type narrower that another run has made wider since they were planned', async () => {
  const figures = someFigures();
  const { sync, folder, lake } = await syncing(figures, fileWith('    types: {revenue: bigint}\n'));
  const { stdout: units } = await sync(['plan', '--units']);
  writeFileSync(join(folder, 'gatectl.sync.yaml'), SYNC_FILE);
  expect((await sync(['run'], { now: NOON - 1 })).code).toBe(0);
  const types = typesOf(lake);
  for (const day of figures.get(7)?.keys() ?? []) setRow(figures, day, { revenue: '5' });
  const { code, stdout } = await sync(['run', '--units', '-', '-o', 'json'], { input: units });
  expect([code, JSON.parse(stdout).failures.map(({ error }: { error: string }) => error)]).toEqual([
    7,
    ['quarantined: revenue is DECIMAL(18,2) by now, which cannot become BIGINT'],
  ]);
  expect(typesOf(lake)).toEqual(types);
});

test('a run warns of files that keep earlier types, because their rows are kept aside', async () => {
  const figures = someFigures();
  const settings = '    partition: day\n    tests: {range: {visits: {max: 1000}}}\n';
  const { sync } = await syncing(figures, fileWith(settings));
  await sync(['run']);
  setRow(figures, '2026-03-10', { visits: '5000' });
  setRow(figures, '2026-03-11', { revenue: '1.2345' });
  const warning =
    'warning: files that were not replaced have earlier column types than their table: read them with union_by_name = true\n';
  const first = await sync(['run', '-q']);
  expect([first.code, first.stderr.includes(warning)]).toEqual([7, true]);
  setRow(figures, '2026-03-10', { visits: '50' });
  expect(await sync(['run', '-q'])).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('a DuckDB file has a folder beside it for rows that are kept aside', async () => {
  const figures = someFigures();
  const runs = await syncing(figures, fileWith('', 'duckdb:analytics.duckdb'));
  await runs.sync(['run']);
  setRow(figures, '2026-03-05', { page: '"/a,b"', revenue: '1e308' });
  expect((await runs.sync(['run'])).code).toBe(7);
  const [kept] = await quarantinedIn(runs);
  expect(kept?.path).toBe(
    join(runs.folder, 'analytics.duckdb.quarantine/pages/domain_id=7/2026-03/rows.csv'),
  );
  const lines = readFileSync(kept?.path ?? '', 'utf8').split('\n');
  expect([lines[0], lines.find(line => line.startsWith('2026-03-05'))]).toEqual([
    '"report_day","page_url","visits","revenue"',
    `2026-03-05,"/a,b",70,1${'0'.repeat(308)}`,
  ]);
});

describe('a test of a table', () => {
  /** Runs with figures that may break it, after a run without; resolves to what is quarantined. */
  async function problemsOf(
    tests: string,
    change: (figures: Figures) => void,
    destination = 'lake',
  ): Promise<string[]> {
    const figures = someFigures();
    const runs = await syncing(figures, fileWith('', destination));
    await runs.sync(['run']);
    change(figures);
    writeFileSync(join(runs.folder, 'gatectl.sync.yaml'), fileWith(`    tests:\n${tests}`, destination));
    const { code } = await runs.sync(['run']);
    const quarantined = await quarantinedIn(runs);
    expect(code).toBe(quarantined.length === 0 ? 0 : 7);
    return quarantined.flatMap(({ partition, problems }) =>
      [problems].flat().map(each => `${partition}: ${each}`),
    );
  }
  const rows = (figures: Figures, day: string) => figures.get(7)?.get(day) ?? [];

  test.each(['lake', 'duckdb:analytics.duckdb'])('says in %s what was found', async destination => {
    const found = await problemsOf(
      `      not_null: page_url
      unique: [report_day, page_url]
      range: {revenue: {min: 0, max: 0.5}}
      min_rows: 15
      day_on_day: {visits: {min: 0.5, max: 2}}
`,
      figures => {
        setRow(figures, '2026-03-02', { page: 'null' });
        setRow(figures, '2026-03-03', { revenue: '0.50000000000000001' });
        const [before] = rows(figures, '2026-03-09');
        if (before !== undefined) figures.get(7)?.set('2026-03-09', [before, { ...before, visits: '1000' }]);
      },
      destination,
    );
    expect(found).toEqual(
      [
        'not_null: 1 of 14 rows without page_url, the first on 2026-03-02',
        'range: revenue is 0.59 on 2026-03-01, not from 0 to 0.5',
        'unique: several rows have report_day, page_url = "2026-03-09","/page-0000"',
        'min_rows: 14 rows, fewer than 15',
        'day_on_day: visits is 1074 on 2026-03-09, after 73 the day before: the quotient is not from 0.5 to 2',
      ].map(problem => `2026-03: ${problem}`),
    );
  });

  test('compares a bound with all digits of a number', async () => {
    expect(await problemsOf('      range: {page_url: {min: 0}}\n', () => {})).toEqual([
      '2026-03: range: page_url is "/page-0000" on 2026-03-01, which is not a number',
    ]);
    const range = '      range: {revenue: {max: 9007199254740992}}\n';
    const set = (revenue: string) => (figures: Figures) => setRow(figures, '2026-03-03', { revenue });
    expect(await problemsOf(range, set('9007199254740992'))).toEqual([]);
    expect(await problemsOf(range, set('9007199254740993'))).toEqual([
      '2026-03: range: revenue is 9007199254740993 on 2026-03-03, more than 9007199254740992',
    ]);
  });

  test('compares the first day of a month with the last one of the month before', async () => {
    const found = await problemsOf('      day_on_day: {visits: {max: 1.5}}\n', figures => {
      const [row] = rows(figures, '2026-03-01');
      if (row !== undefined) figures.get(7)?.set('2026-03-01', [{ ...row, visits: '500' }]);
    });
    expect(found).toEqual([
      '2026-03: day_on_day: visits is 500 on 2026-03-01, after 65 the day before: the quotient is more than 1.5',
    ]);
  });

  test.each(['lake', 'duckdb:analytics.duckdb'])(
    'keeps rejecting a jump that lasts in %s, until the sync file accepts its day',
    async destination => {
      const figures = figuresOf([7], '2026-03-01', 10, () => 1);
      const file = (jump: string) =>
        `${fileWith('', destination).replace('2026-01-01', '2026-03-01')}    partition: day\n    tests: {day_on_day: {visits: ${jump}}}\n`;
      const { sync, folder } = await syncing(figures, file('{max: 2}'));
      await sync(['run'], { now: Date.parse('2026-03-11T12:00:00Z') });
      const level = (days: string[], visits: string) => {
        for (const day of days) figures.get(7)?.set(day, [{ page: '"/"', visits, revenue: '1.25' }]);
      };
      level(['2026-03-11'], '500');
      const failuresOn = async (now: string) => {
        const { code, stdout } = await sync(['run', '-o', 'json'], { now: Date.parse(now) });
        const errors = JSON.parse(stdout).failures.map(({ error }: { error: string }) => error);
        expect(code).toBe(errors.length === 0 ? 0 : 7);
        return errors;
      };
      const problem = (day: number, after = 'on 2026-03-10') =>
        `quarantined: day_on_day: visits is 500 on 2026-03-${day}, after 16 ${after}: the quotient is more than 2`;
      expect(await failuresOn('2026-03-12T12:00:00Z')).toEqual([problem(11, 'the day before')]);
      level(['2026-03-12'], '500');
      const both = [problem(11, 'the day before'), problem(12)];
      expect(await failuresOn('2026-03-13T12:00:00Z')).toEqual(both);
      expect(await failuresOn('2026-03-13T13:00:00Z')).toEqual(both);
      const { stdout } = await sync(['run', '-o', 'json', '--refetch', '2026-03-12'], {
        now: Date.parse('2026-03-13T14:00:00Z'),
      });
      expect(JSON.parse(stdout).failures.map(({ error }: { error: string }) => error)).toEqual(both);
      level(['2026-03-13'], '20');
      expect(await failuresOn('2026-03-14T12:00:00Z')).toEqual(both);
      writeFileSync(join(folder, 'gatectl.sync.yaml'), file('{min: 0.01, max: 2, accept: 2026-03-11}'));
      expect(await failuresOn('2026-03-14T13:00:00Z')).toEqual([]);
      const [table] = JSON.parse((await sync(['status', '-o', 'json'])).stdout);
      expect(table).toMatchObject({ partitions: 13, from: '2026-03-01', to: '2026-03-13', quarantined: [] });
    },
  );

  test.each([1, 2, 5])('rejects %i days without rows alike, once a day after them has some', async days => {
    const figures = figuresOf([7], '2026-03-04', 10, () => 1);
    const empty = Array.from({ length: days }, (_, day) => `2026-03-${String(day + 6).padStart(2, '0')}`);
    for (const day of [...empty, '2026-03-13']) figures.get(7)?.set(day, []);
    const runs = await syncing(
      figures,
      `${fileWith().replace('2026-01-01', '2026-03-04')}    partition: day\n    tests: {day_on_day: {visits: {min: 0.2}}}\n`,
    );
    expect((await runs.sync(['run'])).code).toBe(7);
    const found = await quarantinedIn(runs);
    expect(found.map(({ partition, problems }) => [partition, problems])).toEqual(
      empty.map((day, index) => [
        day,
        [
          `day_on_day: visits is 0 on ${day}, after 8 ${index === 0 ? 'the day before' : 'on 2026-03-05'}: the quotient is less than 0.2`,
        ],
      ]),
    );
  });

  test('finds that there are no rows of the last days', async () => {
    const clear = (from: number) => (figures: Figures) => {
      for (let day = from; day <= 13; day++)
        figures.get(7)?.set(`2026-03-${String(day).padStart(2, '0')}`, []);
    };
    const fresh = '      fresh_within: 3d\n';
    expect(await problemsOf(fresh, clear(12))).toEqual([]);
    expect(await problemsOf(fresh, clear(11))).toEqual(['2026-03: fresh_within: no rows since 2026-03-11']);
  });

  test('keeps the partition where its rows have vanished, and there are none to be kept aside', async () => {
    const figures = someFigures();
    const runs = await syncing(figures, fileWith('    tests: {min_rows: 1}\n'));
    await runs.sync(['run']);
    const before = filesIn(runs.lake, '.parquet');
    for (const day of figures.get(7)?.keys() ?? []) if (day > '2026-03') figures.get(7)?.set(day, []);
    expect((await runs.sync(['run'])).code).toBe(7);
    expect(filesIn(runs.lake, '.parquet')).toEqual(before);
    expect(await quarantinedIn(runs)).toMatchObject([{ partition: '2026-03', rows: 0, path: null }]);
  });
});

test.each([
  ['first', '2026-01-05', '2026-01'],
  ['one of the middle', '2026-02-05', '2026-02'],
  ['last', '2026-03-05', '2026-03'],
])(
  'verify reports a partition that was never written, because it is quarantined: the %s',
  async (_, day, partition) => {
    const figures = someFigures();
    const runs = await syncing(figures, fileWith('    types: {visits: bigint}\n'));
    setRow(figures, day, { visits: '0.5' });
    expect((await runs.sync(['run'])).code).toBe(7);
    const { code, stdout } = await runs.sync(['verify', '-o', 'json']);
    expect(code).toBe(7);
    const problem = 'not written yet: its rows are quarantined';
    expect(JSON.parse(stdout).mismatches).toContainEqual({
      ...{ table: 'pages', domain: 'site-7.example.com', partition, state: null, problem },
    });
    setRow(figures, day, { visits: '5' });
    expect((await runs.sync(['run', '--quiet'])).code).toBe(0);
    expect((await runs.sync(['verify', '--quiet'])).code).toBe(0);
  },
);
