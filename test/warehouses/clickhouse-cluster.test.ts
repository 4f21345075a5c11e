import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { run as runCommand } from '../support/run.ts';
import { figuresOf, SYNC_FILE, syncing } from '../sync/source.ts';
import { expectCells } from './clickhouse-cells.ts';
import { type Cluster, clusterWith, LOGIN } from './clickhouse-clusters.ts';
import { type ClickHouseServer, clickHouseServers, program, writeCluster } from './servers/clickhouse.ts';

const SITES = [7, 8, 9, 10, 11, 12];
let running: readonly ClickHouseServer[] = [];

afterEach(async () => {
  for (const server of running) await server.remove();
});

async function cluster(...given: Parameters<typeof clusterWith>): Promise<Cluster> {
  const made = await clusterWith(...given);
  running = made.servers;
  return made;
}

/** The words after `gatectl bda sync` of the commands that a section of the guide prints. */
function guideCommands(heading: string): readonly (readonly string[])[] {
  const guide = readFileSync(new URL('../../docs/sync.md', import.meta.url), 'utf8');
  const [, section = ''] = guide.split(`\n${heading}\n`);
  const [, block = ''] = /```sh\n(.*?)```/s.exec(section) ?? [];
  return [...block.matchAll(/^gatectl bda sync ([^#\n]*)/gm)].map(([, words = '']) =>
    words.trim().split(/ +/),
  );
}

describe.skipIf(program.find() === undefined)('a cluster of two shards', () => {
  test('stores each site on one shard, and shows all sites on each', async () => {
    const figures = figuresOf(SITES, '2026-01-01', 72);
    const { servers, run, sites } = await cluster(figures, 2);
    const ran = await run(['run', '-o', 'json']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const stored = await sites();
    expect(stored.flat().sort()).toEqual(SITES.map(String).sort());
    expect(stored.every(list => list.length > 0)).toBe(true);
    await expectCells(figures, servers);
    const verified = await run(['verify']);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse((await run(['status', '-o', 'json'])).stdout)).toMatchObject([
      { sites: 6, partitions: 18 },
    ]);
  });

  test('loads the sites of the others while a shard is down, and exits 7', async () => {
    const figures = figuresOf(SITES, '2026-01-01', 72);
    const { servers, source, run, sites } = await cluster(figures, 2);
    await run(['run']);
    const [own = [], lost = []] = await sites();
    await servers[1]?.stop();
    for (const id of SITES)
      figures.get(id)?.set('2026-03-10', [{ page: '"/wider"', visits: '1', revenue: '0.123456789' }]);
    const ran = await run(['run', '-o', 'json']);
    expect(ran.code).toBe(7);
    const { tables, failures } = JSON.parse(ran.stdout);
    expect(tables).toMatchObject([{ partitions: own.length, changed: own.length, failed: lost.length }]);
    expect(failures.map(({ domain }: { domain: string }) => domain)).toEqual(
      SITES.filter(id => lost.includes(String(id))).map(id => `site-${id}.example.com`),
    );
    const doctor = await runCommand(['doctor', '--sandbox', '--json'], { cwd: source.folder, env: LOGIN });
    expect(doctor.code).toBe(6);
    const wrong = JSON.parse(doctor.stdout).filter(
      ({ area, state }: { area: string; state: string }) => area === 'sync' && state !== 'ok',
    );
    expect(wrong).toMatchObject([
      {
        check: 'shards',
        found: expect.stringMatching(/^shard 2 cannot be reached: cannot reach ClickHouse/),
      },
    ]);
    for (const { error } of failures)
      expect(error).toBe(
        `shard 2 cannot be reached: cannot reach ClickHouse at 127.0.0.1:${servers[1]?.http}: connection refused by 127.0.0.1:${servers[1]?.http}`,
      );
    expect((await run(['status'])).stderr).toMatch(
      /^warning: shard 2 cannot be reached: .*; its sites are missing here\n$/,
    );
    const plan = await run(['plan', '-o', 'json']);
    expect(plan.stderr).toContain(`; the plan lacks ${lost.length} sites`);
    const verified = await run(['verify', '-o', 'json']);
    expect(verified.code).toBe(7);
    expect(JSON.parse(verified.stdout).mismatches).toHaveLength(lost.length);
    await servers[1]?.start();
    expect(await run(['run'])).toMatchObject({ code: 0, stderr: '' });
    await expectCells(figures, servers);
  });

  test('finds the rows of a site on a shard that does not store it', async () => {
    const figures = figuresOf(SITES, '2026-03-01', 13);
    const { servers, run, sites } = await cluster(figures, 2);
    await run(['run']);
    const [[site = '']] = (await sites()) as [string[]];
    const other = servers[1] as (typeof servers)[number];
    await other.query(
      `INSERT INTO stats.pages_local (domain_id, domain, report_day, visits) VALUES (${site}, '', '2026-03-05', 1)`,
    );
    const { code, stdout } = await run(['verify', '-o', 'json']);
    expect(code).toBe(7);
    const { mismatches } = JSON.parse(stdout);
    expect(mismatches).toMatchObject([
      {
        domain: `site-${site}.example.com`,
        partition: '2026-03',
        problem: `1 row on 127.0.0.1:${other.http}, none in the ledger`,
      },
    ]);
    await other.query(mismatches[0].removal);
    expect(await run(['verify'])).toMatchObject({ code: 0, stderr: '' });
    await expectCells(figures, servers);
  });

  test('loses nothing when its servers are replaced by empty ones, one after another', async () => {
    const figures = figuresOf(SITES, '2026-03-01', 13);
    const { servers, run } = await cluster(figures, 2);
    expect((await run(['run'])).code).toBe(0);
    for (const server of [...servers].reverse()) {
      await server.query('DROP DATABASE stats');
      await server.query('CREATE DATABASE stats');
      expect(await run(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
      await expectCells(figures, servers);
      expect((await run(['verify'])).code).toBe(0);
    }
  });

  test('has no table with the name of the rows of another one', async () => {
    const { source, run } = await cluster(figuresOf([7], '2026-03-01', 3), 2);
    const file = join(source.folder, 'gatectl.sync.yaml');
    const [head = '', table = ''] = readFileSync(file, 'utf8').split('tables:\n');
    writeFileSync(
      file,
      `${head}tables:\n${table}${table.replace('pages', 'pages_local').replace('visits, ', '')}`,
    );
    expect(await run(['run'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: in a cluster, the rows of pages are in pages_local, which is the name of another table
  give one of them another name in the sync file
`,
    });
  });

  test('on which the shards share a host requires their ports', async () => {
    const figures = figuresOf([7], '2026-03-01', 13);
    const servers = await clickHouseServers(2);
    running = servers;
    writeCluster(servers, servers);
    await servers[0]?.start();
    const destination = `clickhouse://127.0.0.1:${servers[0]?.http}/default?cluster=`;
    const errorOf = async (cluster: string) => {
      const { sync } = await syncing(figures, SYNC_FILE.replace('lake', destination + cluster));
      const { code, stderr } = await sync(['run'], { env: LOGIN });
      expect(code).toBe(2);
      return stderr;
    };
    expect(await errorOf('main')).toBe(
      'error: shards of the cluster main share a host, so that their HTTP ports are unknown\n  add them in order: &shards=HOST:PORT,HOST:PORT\n',
    );
    expect(await errorOf('other')).toBe(
      `error: ClickHouse at 127.0.0.1:${servers[0]?.http} knows no cluster other\n  clusters: main\n`,
    );
  });
});

describe.skipIf(program.find() === undefined)('bda sync rebalance', () => {
  test('moves only the sites that a new shard gets, with every cell', async () => {
    const figures = figuresOf(SITES, '2026-01-01', 72);
    const { servers, run, sites, join: joinNew, grow } = await cluster(figures, 3, 2);
    await run(['run']);
    const before = await sites();
    await joinNew();
    expect(await run(['rebalance'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ClickHouse at 127.0.0.1:${servers[0]?.http} knows 2 of 3 shards of the cluster main
  add the others to its remote_servers: until then, its queries would lack the sites that move
`,
    });
    await grow();
    const [dryRun = [], rebalance = []] = guideCommands('### A cluster');
    const planned = await run([...dryRun, '-o', 'json']);
    expect(planned).toMatchObject({ code: 0, stderr: '' });
    const plan = JSON.parse(planned.stdout);
    expect(plan.sites.length).toBeGreaterThan(0);
    for (const { to, partitions, rows } of plan.sites)
      expect({ to, partitions, rows }).toEqual({
        to: `127.0.0.1:${servers[2]?.http}`,
        partitions: 3,
        rows: 216,
      });
    expect(await sites()).toEqual(before);
    const moved = await run([...rebalance, '-o', 'json']);
    expect(JSON.parse(moved.stdout)).toEqual({ ...plan, moved: true });
    const ids = plan.sites.map(({ domain_id }: { domain_id: number }) => String(domain_id));
    expect(await sites()).toEqual([
      ...before.slice(0, 2).map(list => list.filter(id => !ids.includes(id))),
      [...ids].sort((one, other) => Number(one) - Number(other)),
    ]);
    await expectCells(figures, servers);
    expect((await run(['rebalance'])).stdout).toContain('every site is where it belongs');
    const next = JSON.parse((await run(['run', '-o', 'json'])).stdout);
    expect(next.tables).toMatchObject([{ partitions: SITES.length, unchanged: SITES.length }]);
    expect((await run(['verify'])).code).toBe(0);
    const left = await servers[2]?.query(
      "SELECT name FROM system.tables WHERE database = 'stats' AND name LIKE '%moving%'",
    );
    expect(left).toEqual([]);
  });

  test('moves the tables of all sync files, and finishes what was begun before another shard was added', async () => {
    const figures = figuresOf(SITES, '2026-03-01', 13);
    for (const site of SITES)
      figures
        .get(site)
        ?.set('2026-03-11', [{ page: '"/long"', visits: '1', revenue: '123456789012345678901234567890.5' }]);
    const { servers, source, run, sites, grow } = await cluster(figures, 3, 2);
    const [first] = servers as [ClickHouseServer];
    const other = join(source.folder, 'other.sync.yaml');
    const asOther = () =>
      writeFileSync(
        other,
        readFileSync(join(source.folder, 'gatectl.sync.yaml'), 'utf8').replace('pages:', 'more:'),
      );
    asOther();
    expect((await run(['run'])).code).toBe(0);
    expect((await run(['run', other])).code).toBe(0);
    const before = await sites();
    // A command that was interrupted when it had moved all sites from one shard to two.
    const states = [
      ['placement', '', JSON.stringify({ id: 5, shards: [1], next: [1, 2] })],
      ...(before[1] ?? []).map(id => ['move', `5/${id}`, 'moved']),
    ];
    const values = states.map(
      ([kind, name, value]) => `('${kind}', '${name}', ${9n * 10n ** 17n}, '${value}')`,
    );
    for (const server of servers.slice(0, 2))
      await server.query(
        `INSERT INTO stats._gatectl_state (kind, name, version, value) VALUES ${values.join(', ')}`,
      );
    await grow();
    asOther();
    // What another interrupted command had copied, before a column was added.
    await servers[2]?.query(
      'CREATE TABLE stats._gatectl_moving_pages (report_day Date, domain_id Int64) ENGINE = MergeTree PARTITION BY (domain_id, toYYYYMM(report_day)) ORDER BY (domain_id, report_day)',
    );
    expect((await run(['rebalance'])).code).toBe(0);
    expect((await sites()).every(list => list.length > 0)).toBe(true);
    for (const args of [['run'], ['run', other]]) expect((await run(args)).code).toBe(0);
    await expectCells(figures, servers);
    expect(await first.query('SELECT count(), uniq(domain_id) FROM stats.more')).toEqual([
      `${SITES.length * (12 * 3 + 1)}\t${SITES.length}`,
    ]);
    for (const args of [['verify'], ['verify', other]]) expect((await run(args)).code).toBe(0);
  });

  test('finishes a move whose copied rows are lost: copies them again, or the next run requests them', async () => {
    const figures = figuresOf([...SITES, 13, 14, 15, 16, 17, 18], '2026-03-01', 13);
    const { servers, run, grow } = await cluster(figures, 3, 2);
    await run(['run']);
    await grow();
    const plan = JSON.parse((await run(['rebalance', '--dry-run', '-o', 'json'])).stdout);
    const [one, two] = plan.sites;
    const moves = [one, two].map(({ domain_id }) => `('move', '1/${domain_id}', 9, 'switching')`);
    const placement = JSON.stringify({ id: 1, shards: [1, 2], next: [1, 2, 3] });
    for (const server of servers)
      await server.query(
        `INSERT INTO stats._gatectl_state (kind, name, version, value) VALUES ${moves.join(', ')}, ('placement', '', ${9n * 10n ** 17n}, '${placement}')`,
      );
    const from = servers.find(({ http }) => two.from.endsWith(`:${http}`));
    await from?.query(`ALTER TABLE stats.pages_local DROP PARTITION (${two.domain_id}, 202603)`);
    expect(await run(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    await expectCells(figures, servers);
    expect((await run(['rebalance'])).code).toBe(0);
    await expectCells(figures, servers);
    expect((await run(['verify'])).code).toBe(0);
  });

  test('of a destination without shards says so', async () => {
    const { sync } = await syncing(figuresOf([7], '2026-03-01', 13));
    expect(await sync(['rebalance'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: lake is not a cluster
  rebalance moves sites between the shards of clickhouse://HOST/DATABASE?cluster=NAME
`,
    });
  });
});
