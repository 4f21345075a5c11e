import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readShard, shardOfEnvironment } from '../../src/commands/bda/sync/shard-flags.ts';
import { pacedSender } from '../../src/http/paced-sender.ts';
import type { Sender } from '../../src/http/sender.ts';
import { readRate } from '../../src/sync/engine/rate.ts';
import { NOON } from '../support/run.ts';
import { figuresOf, KEY, queriesOf, SYNC_FILE, syncing } from './source.ts';

/** The data files of a lake, by path, with a hash of their content. */
function filesOf(lake: string): Record<string, string> {
  const files = readdirSync(lake, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !path.includes('_gatectl'))
    .sort();
  return Object.fromEntries(
    files.map(path => [relative(lake, path), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}

const SITES = [7, 8, 9, 10, 11];

/** Figures of several sites, one of which has revenue that needs a wider type than the others. */
function figures() {
  const all = figuresOf(SITES, '2026-01-01', 72);
  const [row] = all.get(9)?.get('2026-02-03') ?? [];
  all
    .get(9)
    ?.set('2026-02-03', [{ page: row?.page ?? '""', visits: '1', revenue: '123456789012345.123456789' }]);
  return all;
}

describe('bda sync plan --units', () => {
  test('prints a line for each unit, without the key, whatever format is the default', async () => {
    const { sync } = await syncing(figures());
    const { code, stdout, stderr } = await sync(['plan', '--units'], { env: { GATECTL_OUTPUT: 'table' } });
    expect([code, stderr]).toEqual([0, '']);
    const [first, ...rest] = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(rest).toHaveLength(4);
    expect(first).toEqual({
      unit: expect.stringMatching(/^[0-9a-f]{24}$/),
      destination: 'lake',
      table: 'pages',
      domain: 'site-7.example.com',
      domain_id: 7,
      from: '2026-01-01',
      to: '2026-03-13',
      partitions: 3,
      reasons: '3 new',
      rows: null,
      requests: 1,
      today: '2026-03-14',
      planned_at: '2026-03-14T12:00:00.000Z',
      replaces: [],
      lookback: 7,
      latest: null,
      definition: {
        data_set: 'pageview',
        dimensions: ['page_url'],
        metrics: ['visits', 'revenue'],
        filters: [],
        kinds: {},
        platform: null,
        start: '2026-01-01',
        end: null,
        partition: 'month',
        additive: [],
      },
    });
    expect(stdout).not.toContain(KEY);
    expect(await sync(['plan', '--units', '-o', 'csv'])).toMatchObject({
      code: 2,
      stderr: 'error: --units and --output cannot be combined\n  the units are ndjson\n',
    });
  });
});

describe('bda sync run --units', () => {
  test('in shards at once, ends with the same bytes as a single run, and a repeated shard requests nothing', async () => {
    const single = await syncing(figures());
    expect((await single.sync(['run'])).code).toBe(0);
    const { sync, lake, folder, server } = await syncing(figures());
    writeFileSync(join(folder, 'units.ndjson'), (await sync(['plan', '--units'])).stdout);
    const shards = await Promise.all(
      [1, 2, 3].map(shard =>
        sync(['run', '--units', 'units.ndjson', '--shard', `${shard}/3`, '-o', 'json'], { cwd: folder }),
      ),
    );
    expect(shards.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(shards.map(({ stderr }) => stderr.split('\n')[0])).toEqual([
      'note: shard 1 of 3: 2 units of units.ndjson',
      'note: shard 2 of 3: 2 units of units.ndjson',
      'note: shard 3 of 3: 1 unit of units.ndjson',
    ]);
    expect(filesOf(lake)).toEqual(filesOf(single.lake));
    expect(Object.keys(filesOf(lake))).toHaveLength(15);
    expect((await sync(['verify'])).code).toBe(0);
    const before = queriesOf(server).length;
    const again = await sync(['run', '--units', 'units.ndjson', '--shard', '2/3'], { cwd: folder });
    expect([again.code, queriesOf(server).length]).toEqual([0, before]);
    const files = readdirSync(join(lake, '_gatectl'), { recursive: true }).map(String);
    expect(files.filter(name => /staging.+|\.lock/.test(name))).toEqual([]);
  });

  test('reads units from stdin, and finds a relative folder from where it runs', async () => {
    const { sync, folder } = await syncing(figuresOf([7, 8], '2026-03-01', 13));
    const { stdout } = await sync(['plan', '--units']);
    const elsewhere = join(folder, 'worker');
    mkdirSync(elsewhere);
    const ran = await sync(['run', '--units', '-', '-o', 'json'], { cwd: elsewhere, input: stdout });
    expect(JSON.parse(ran.stdout).tables[0]).toMatchObject({ partitions: 6, failed: 0 });
    expect(Object.keys(filesOf(join(elsewhere, 'lake')))).toHaveLength(2);
  });

  test('with more shards than sites, leaves some with nothing to do', async () => {
    const { sync, folder } = await syncing(figuresOf([7], '2026-03-01', 13));
    writeFileSync(join(folder, 'units.ndjson'), (await sync(['plan', '--units'])).stdout);
    expect(await sync(['run', '--units', 'units.ndjson', '--shard', '2/2'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'note: units.ndjson has no units for shard 2 of 2: nothing to request\n',
    });
  });

  test.each([
    [['--units', 'units.ndjson', '--shard', '0/3'], "invalid --shard '0/3'"],
    [['--units', 'units.ndjson', '--shard', '4/3'], "invalid --shard '4/3'"],
    [
      ['--units', 'units.ndjson', '--shard', '1/3', '--shard-env', 'SLURM_ARRAY_TASK_ID'],
      '--shard and --shard-env cannot be combined',
    ],
    [['--units', 'units.ndjson', '--shards', '3'], '--shards requires --shard-env'],
    [['--units', 'units.ndjson', '--account-rate', '10/d'], "invalid --account-rate '10/d'"],
    [['--units', 'units.ndjson', '--lookback', '3d'], '--units and --lookback cannot be combined'],
    [
      ['--units', 'units.ndjson', '--domain', 'site-7.example.com'],
      '--units and --domain cannot be combined',
    ],
    [['gatectl.sync.yaml', '--units', 'units.ndjson'], 'a sync file and --units cannot be combined'],
    [['--shard', '1/3'], 'a sync file and --shard cannot be combined'],
    [['--units', 'damaged.ndjson'], 'damaged.ndjson:2: it is no unit'],
    [['--units', 'mixed.ndjson'], 'mixed.ndjson has units of several plans'],
  ])('rejects %j', async (args, message) => {
    const { sync, folder, server } = await syncing(figuresOf([7, 8], '2026-03-01', 13));
    const units = (await sync(['plan', '--units'])).stdout;
    writeFileSync(join(folder, 'units.ndjson'), units);
    writeFileSync(join(folder, 'damaged.ndjson'), units.replace(/\n.*\n$/, '\n{"unit":\n'));
    writeFileSync(join(folder, 'mixed.ndjson'), units + units.replaceAll('"lake"', '"other"'));
    const before = queriesOf(server).length;
    const { code, stderr } = await sync(['run', ...args], { env: { SLURM_ARRAY_TASK_ID: '1' } });
    expect([code, stderr.split('\n')[0]]).toEqual([2, `error: ${message}`]);
    expect(queriesOf(server).length).toBe(before);
  });

  test('with one unit that fails, writes the others, exits with 7, and requests only that one when it is repeated', async () => {
    const all = figuresOf([7, 8], '2026-03-01', 13);
    const broken = all.get(8)?.get('2026-03-02') ?? [];
    all.get(8)?.set('2026-03-02', [{ page: '"/x"', visits: '"many"', revenue: '1' }]);
    const { sync, folder, server } = await syncing(all, SYNC_FILE.replace('2026-01-01', '2026-03-01'));
    writeFileSync(join(folder, 'units.ndjson'), (await sync(['plan', '--units'])).stdout);
    const ran = await sync(['run', '--units', 'units.ndjson', '-o', 'json']);
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.stdout).failures).toMatchObject([{ domain: 'site-8.example.com' }]);
    all.get(8)?.set('2026-03-02', broken);
    const before = queriesOf(server).length;
    expect((await sync(['run', '--units', 'units.ndjson'])).code).toBe(0);
    expect(queriesOf(server).slice(before)).toMatchObject([{ domain_id: 8 }]);
  });
});

describe('units of an earlier plan', () => {
  const OTHER = SYNC_FILE.replace('[visits, revenue]', '[visits]');
  const write = (folder: string, text: string) => writeFileSync(join(folder, 'gatectl.sync.yaml'), text);

  /** A lake that a run filled after the sync file got a column, and the units that were planned before. */
  async function changedSince() {
    const runs = await syncing(figuresOf([7, 8], '2026-01-01', 72), OTHER);
    const units = (await runs.sync(['plan', '--units'])).stdout;
    writeFileSync(join(runs.folder, 'units.ndjson'), units);
    write(runs.folder, SYNC_FILE);
    return runs;
  }

  test.each([[[]], [['--shard', '1/2']]])(
    'do not replace what was written with another query: %j is refused, and nothing is requested',
    async shard => {
      const { sync, lake, server } = await changedSince();
      expect((await sync(['run'])).code).toBe(0);
      const [files, before] = [filesOf(lake), server.received.length];
      const ran = await sync(['run', '--units', 'units.ndjson', ...shard, '-o', 'json', '--quiet']);
      expect([ran.code, JSON.parse(ran.stderr).error]).toMatchObject([
        2,
        {
          code: 'superseded_unit',
          // Sites are refused at once.
          message: expect.stringMatching(
            /^2026-01 of site-[78]\.example\.com in pages was written with another query after this unit was planned$/,
          ),
          hints: ['plan again: gatectl bda sync plan --units > units.ndjson'],
        },
      ]);
      expect([filesOf(lake), server.received.length]).toEqual([files, before]);
      expect((await sync(['verify'])).code).toBe(0);
    },
  );

  test('are refused where that is so, and run elsewhere', async () => {
    const { sync } = await changedSince();
    expect((await sync(['run', '--domain', 'site-7.example.com'])).code).toBe(0);
    const ran = await sync(['run', '--units', 'units.ndjson', '-o', 'json']);
    const { tables, failures } = JSON.parse(ran.stdout);
    expect([ran.code, tables[0]]).toMatchObject([7, { added: 3, changed: 0, failed: 3 }]);
    expect(failures).toMatchObject([{ domain: 'site-7.example.com', from: '2026-01-01', to: '2026-03-13' }]);
    expect(ran.stderr).toContain('plan again: gatectl bda sync plan --units > units.ndjson');
  });

  test('planned again replace the rows of the earlier query, even those of the same instant', async () => {
    const { sync, folder } = await changedSince();
    expect((await sync(['run', '--units', 'units.ndjson'])).code).toBe(0);
    const { stdout } = await sync(['plan', '--units']);
    writeFileSync(join(folder, 'units.ndjson'), stdout);
    const planned = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(planned.map(({ replaces }) => replaces.length)).toEqual([1, 1]);
    const ran = await sync(['run', '--units', 'units.ndjson', '-o', 'json']);
    expect([ran.code, JSON.parse(ran.stdout).tables[0]]).toMatchObject([0, { changed: 6, failed: 0 }]);
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('that replace an earlier query are refused once that has written again', async () => {
    const { sync, folder } = await changedSince();
    expect((await sync(['run', '--units', 'units.ndjson'])).code).toBe(0);
    writeFileSync(join(folder, 'units.ndjson'), (await sync(['plan', '--units'])).stdout);
    write(folder, OTHER);
    const refetched = await sync(['run', '--refetch', '2026-02'], { now: NOON + 1000 });
    expect(refetched.code).toBe(0);
    const { code, stderr } = await sync(['run', '--units', 'units.ndjson'], { now: NOON + 2000 });
    expect([code, stderr.split('\n')[0]]).toEqual([
      2,
      expect.stringMatching(
        /^error: 2026-02 of site-[78]\.example\.com in pages was written with another query after this unit was planned$/,
      ),
    ]);
  });
});

describe('a shard', () => {
  test.each([
    ['JOB_COMPLETION_INDEX', { JOB_COMPLETION_INDEX: '0' }, 16, [0, 16]],
    ['JOB_COMPLETION_INDEX', { JOB_COMPLETION_INDEX: '15' }, 16, [15, 16]],
    // --array=0-15, --array=1-16, --array=0-30:2
    ['SLURM_ARRAY_TASK_ID', slurm(0, 0, 15, 16), undefined, [0, 16]],
    ['SLURM_ARRAY_TASK_ID', slurm(16, 1, 16, 16), undefined, [15, 16]],
    ['SLURM_ARRAY_TASK_ID', { ...slurm(30, 0, 30, 16), SLURM_ARRAY_TASK_STEP: '2' }, undefined, [15, 16]],
    [
      'AWS_BATCH_JOB_ARRAY_INDEX',
      { AWS_BATCH_JOB_ARRAY_INDEX: '3', AWS_BATCH_JOB_ARRAY_SIZE: '4' },
      undefined,
      [3, 4],
    ],
    ['CLOUD_RUN_TASK_INDEX', { CLOUD_RUN_TASK_INDEX: '3', CLOUD_RUN_TASK_COUNT: '4' }, 4, [3, 4]],
  ] as const)('is taken from %s as the scheduler numbers it: %j', (variable, env, shards, [index, count]) => {
    expect(shardOfEnvironment(variable, shards, env)).toEqual({ index, count });
  });

  test.each([
    [
      'JOB_COMPLETION_INDEX',
      { JOB_COMPLETION_INDEX: '0' },
      undefined,
      'JOB_COMPLETION_INDEX does not set the number of shards',
    ],
    ['JOB_COMPLETION_INDEX', {}, 16, 'JOB_COMPLETION_INDEX is not set'],
    [
      'JOB_COMPLETION_INDEX',
      { JOB_COMPLETION_INDEX: '16' },
      16,
      'JOB_COMPLETION_INDEX is 16, but there are 16 shards',
    ],
    [
      'JOB_COMPLETION_INDEX',
      { JOB_COMPLETION_INDEX: 'x' },
      16,
      "JOB_COMPLETION_INDEX is 'x', which is not a number",
    ],
    // --array=1,5,9: a list, or some tasks of an array that are repeated.
    [
      'SLURM_ARRAY_TASK_ID',
      slurm(5, 1, 9, 3),
      undefined,
      'a Slurm array with gaps does not identify the shard',
    ],
    ['SLURM_ARRAY_TASK_ID', slurm(0, 0, 15, 16), 8, '--shards is 8, but SLURM_ARRAY_TASK_COUNT is 16'],
    ['PBS_ARRAYID', {}, undefined, "invalid --shard-env 'PBS_ARRAYID'"],
  ] as const)('is not guessed: %s, %j', (variable, env, shards, message) => {
    expect(() => shardOfEnvironment(variable, shards, env)).toThrow(message);
  });

  test('is counted from 1', () => {
    expect([readShard('1/1'), readShard('16/16')]).toEqual([
      { index: 0, count: 1 },
      { index: 15, count: 16 },
    ]);
  });

  test('starts no more requests than its part of the rate', async () => {
    let now = 0;
    const starts: number[] = [];
    const clock = {
      now: () => now,
      random: () => 0,
      sleep: async (ms: number) => {
        now += ms;
      },
    };
    const sender = {
      capacity: () => 4,
      send: async () => {
        starts.push(now);
      },
    } as unknown as Sender;
    const intervalMs = (1000 / (readRate('600/m') ?? 0)) * 4;
    const paced = pacedSender(sender, { intervalMs, clock, signal: new AbortController().signal });
    for (let count = 0; count < 5; count++) await paced.send({} as Parameters<Sender['send']>[0]);
    expect(starts).toEqual([0, 400, 800, 1200, 1600]);
  });
});

function slurm(id: number, min: number, max: number, count: number): Record<string, string> {
  return {
    SLURM_ARRAY_TASK_ID: String(id),
    SLURM_ARRAY_TASK_MIN: String(min),
    SLURM_ARRAY_TASK_MAX: String(max),
    SLURM_ARRAY_TASK_COUNT: String(count),
    SLURM_ARRAY_TASK_STEP: '1',
  };
}

describe('bda sync run --deadline', () => {
  test.each([['a sync file'], ['units']])(
    'of %s begins nothing after it, exits 7 with what is left, and the next run requests the rest',
    async source => {
      const { sync, server, folder } = await syncing(figuresOf(SITES, '2026-01-01', 72));
      // Each request takes 15 minutes.
      const clock = () => NOON + queriesOf(server).length * 900_000;
      const { stdout: units } = await sync(['plan', '--units'], { clock });
      writeFileSync(join(folder, 'units.ndjson'), units);
      const which = source === 'units' ? ['--units', 'units.ndjson'] : [];
      const args = ['run', ...which, '--concurrency', '1', '-o', 'json'];
      const first = await sync([...args, '--deadline', '30m'], { clock });
      expect(first.code).toBe(7);
      expect(first.stderr).toContain('"9 partitions left at the deadline; run it again to request them"');
      expect(JSON.parse(first.stdout)).toMatchObject({
        tables: [{ partitions: 6, failed: 0 }],
        failures: [],
        left: 9,
      });
      const second = await sync(args, { clock });
      expect(second.code).toBe(0);
      const done = JSON.parse(second.stdout);
      expect(done).not.toHaveProperty('left');
      expect((await sync(['verify'], { clock })).code).toBe(0);
    },
  );
});
