import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { run as runCommand } from '../support/run.ts';
import { figuresOf, SYNC_FILE, syncing } from '../sync/source.ts';
import { expectCells } from './clickhouse-cells.ts';
import { type Cluster, clusterWith, LOGIN } from './clickhouse-clusters.ts';
import { type ClickHouseServer, clickHouseServers, program, writeCluster } from './servers/clickhouse.ts';
import { program as keeperProgram } from './servers/zookeeper.ts';

const SITES = [7, 8, 9, 10, 11, 12];
let running: readonly { remove(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of running) await each.remove();
});

async function cluster(...given: Parameters<typeof clusterWith>): Promise<Cluster> {
  const made = await clusterWith(...given);
  running = [made];
  return made;
}

const isInstalled = [program, keeperProgram].every(({ find }) => find() !== undefined);

describe.skipIf(!isInstalled)('a cluster of two shards', () => {
  test('stores each site on one shard, and shows all sites on each', async () => {
    const figures = figuresOf(SITES, '2026-01-01', 72);
    const { servers, run, sites } = await cluster(figures, { shards: 2 });
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

  test('without any replica of a shard exits 6, and the next run is exact', async () => {
    const figures = figuresOf(SITES, '2026-03-01', 13);
    const { servers, source, run, expectCells } = await cluster(figures, { shards: 2 });
    expect((await run(['run'])).code).toBe(0);
    await servers[1]?.stop();
    for (const id of SITES)
      figures.get(id)?.set('2026-03-10', [{ page: '"/wider"', visits: '1', revenue: '0.123456789' }]);
    const down = `shard 2 of the cluster main is down: cannot reach ClickHouse at 127.0.0.1:${servers[1]?.http}: connection refused by 127.0.0.1:${servers[1]?.http}`;
    for (const verb of ['run', 'plan', 'status', 'verify'])
      expect(await run([verb])).toEqual({ code: 6, stdout: '', stderr: `error: ${down}\n` });
    const doctor = await runCommand(['doctor', '--sandbox', '--json'], { cwd: source.folder, env: LOGIN });
    expect([doctor.code, doctor.stdout]).toEqual([6, expect.stringContaining(down)]);
    await servers[1]?.start();
    expect(await run(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    await expectCells();
  });

  test('finds the rows of a site on a shard that does not store it', async () => {
    const figures = figuresOf(SITES, '2026-03-01', 13);
    const { servers, run, sites } = await cluster(figures, { shards: 2 });
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
    const { servers, run } = await cluster(figures, { shards: 2 });
    expect((await run(['run'])).code).toBe(0);
    for (const server of [...servers].reverse()) {
      await server.query('DROP DATABASE stats');
      await server.query('CREATE DATABASE stats');
      expect(await run(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
      await expectCells(figures, servers);
      expect((await run(['verify'])).code).toBe(0);
    }
  });

  test('stores each site where a Distributed table inserts its rows', async () => {
    const figures = figuresOf(SITES, '2026-03-01', 13);
    const { servers, run, sites } = await cluster(figures, { shards: 2 });
    await run(['run']);
    const before = await sites();
    for (const site of SITES)
      await servers[0]?.query(
        `INSERT INTO stats.pages (domain_id, domain, report_day, visits) VALUES (${site}, '', '2026-03-05', 1)`,
      );
    // A Distributed table passes rows on later.
    const all = SITES.length * (13 * 3 + 1);
    await expect
      .poll(() => servers[0]?.query('SELECT count() FROM stats.pages'), { timeout: 20_000 })
      .toEqual([String(all)]);
    expect(await sites()).toEqual(before);
  });

  test('refuses a cluster with another number of shards, and fills it in another database', async () => {
    const figures = figuresOf(SITES, '2026-03-01', 13);
    const { servers, run, grow, useDatabase } = await cluster(figures, { shards: 2, spare: 1 });
    expect((await run(['run'])).code).toBe(0);
    await grow();
    const refused = {
      code: 2,
      stdout: '',
      stderr: `error: the cluster main has 3 shards, but was filled with 2
  name an empty database in the sync file, and run gatectl bda sync run: it requests all rows again
`,
    };
    for (const args of [['run'], ['plan'], ['verify'], ['sweep'], ['status']])
      expect(await run(args)).toEqual(refused);
    await useDatabase('wider');
    expect(await run(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    await expectCells(figures, servers, 'wider');
    expect((await run(['verify'])).code).toBe(0);
  });

  test('has no table with the name of the rows of another one', async () => {
    const { source, run } = await cluster(figuresOf([7], '2026-03-01', 3), { shards: 2 });
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
      'error: servers of the cluster main share a host, so that their HTTP ports are unknown\n  add them in order: &shards=HOST:PORT,HOST:PORT, with replicas HOST:PORT|HOST:PORT\n',
    );
    expect(await errorOf('other')).toBe(
      `error: ClickHouse at 127.0.0.1:${servers[0]?.http} knows no cluster other\n  clusters: main\n`,
    );
  });
});

describe.skipIf(!isInstalled)('a cluster of two shards with two replicas each', () => {
  const form = { shards: 2, replicas: 2 };

  test('stores each site on both replicas of one shard', async () => {
    const figures = figuresOf(SITES, '2026-01-01', 72);
    const { source, servers, run, sites, expectCells } = await cluster(figures, form);
    expect(await run(['run', '-o', 'json'])).toMatchObject({ code: 0, stderr: '' });
    await expectCells();
    const [one = [], same, other = []] = await sites();
    expect(same).toEqual(one);
    expect([...one, ...other].sort()).toEqual(SITES.map(String).sort());
    expect(await run(['verify'])).toMatchObject({ code: 0, stderr: '' });
    const engines = await servers[3]?.query(
      "SELECT name, engine FROM system.tables WHERE database = 'stats' ORDER BY name",
    );
    expect(engines).toEqual([
      '_gatectl_ledger\tReplicatedReplacingMergeTree',
      '_gatectl_state\tReplicatedReplacingMergeTree',
      'pages\tDistributed',
      'pages_local\tReplicatedMergeTree',
    ]);
    const doctor = await runCommand(['doctor', '--sandbox', '--json'], { cwd: source.folder, env: LOGIN });
    expect(JSON.parse(doctor.stdout)).toContainEqual(
      expect.objectContaining({ found: '2 of the cluster main on 4 servers, each of which knows all' }),
    );
  });

  test('takes rows and wider columns while a replica of each shard is down, which catches up', async () => {
    const figures = figuresOf(SITES, '2026-01-01', 72);
    const { source, servers, run, expectCells } = await cluster(figures, form);
    expect((await run(['run'])).code).toBe(0);
    const down = [servers[1], servers[2]];
    for (const server of down) await server?.stop();
    for (const id of SITES)
      figures.get(id)?.set('2026-03-10', [{ page: '"/wider"', visits: '1', revenue: '0.123456789' }]);
    figures.get(8)?.delete('2026-03-11');
    expect(await run(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    const doctor = await runCommand(['doctor', '--sandbox', '--json'], { cwd: source.folder, env: LOGIN });
    const wrong = JSON.parse(doctor.stdout).filter(({ check }: { check: string }) => check === 'replicas');
    expect(wrong.map(({ found }: { found: string }) => found)).toEqual(
      [1, 2].map(number => expect.stringMatching(`^a replica of shard ${number} is down: cannot reach`)),
    );
    for (const server of down) await server?.start();
    // The tables of a replica that was down while a column became wider get it from keeper; the Distributed one from the next run.
    expect(await run(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    await expectCells();
    expect(await run(['verify'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('is compared only where a replica is up to date, which is waited for', async () => {
    const figures = figuresOf(SITES, '2026-03-01', 13);
    const { servers, run } = await cluster(figures, form);
    expect((await run(['run'])).code).toBe(0);
    // A second run, of which the second replica of the first shard gets the rows but not the ledger.
    const [first, second] = servers as [ClickHouseServer, ClickHouseServer];
    await second.query('SYSTEM STOP FETCHES stats._gatectl_ledger');
    expect((await run(['run', '--refetch', '2026', '--quiet'])).code).toBe(0);
    await first.stop();
    const failed = await run(['verify']);
    expect([failed.code, failed.stdout]).toEqual([6, '']);
    expect(
      failed.stderr,
    ).toBe(`error: ClickHouse at 127.0.0.1:${second.http} may lack changes of the other replicas of its shard
  start those that are down, and run it again when system.replicas has no queue
`);
    const verifying = run(['verify']);
    await second.query('SYSTEM START FETCHES stats._gatectl_ledger');
    await first.start();
    expect(await verifying).toMatchObject({ code: 0, stderr: '' });
  });

  test('without its keeper fails with one line, and is exact once it is back', async () => {
    const figures = figuresOf(SITES, '2026-03-01', 13);
    const { keeper, run, expectCells } = await cluster(figures, form);
    expect((await run(['run'])).code).toBe(0);
    await keeper.stop();
    for (const id of SITES)
      figures.get(id)?.set('2026-03-10', [{ page: '"/new"', visits: '5', revenue: '1' }]);
    const failed = await run(['run', '--quiet']);
    expect([6, 7]).toContain(failed.code);
    await keeper.start();
    await expect.poll(async () => (await run(['run', '--quiet'])).code, { timeout: 30_000 }).toBe(0);
    await expectCells();
  });
});

test.skipIf(program.find() === undefined)('a cluster without a keeper is refused', async () => {
  const servers = await clickHouseServers(2);
  running = servers;
  await Promise.all(servers.map(server => server.start()));
  const [one, two] = servers.map(({ http }) => `127.0.0.1:${http}`);
  const destination = `clickhouse://${one}/default?cluster=main&shards=${one},${two}`;
  const { sync } = await syncing(figuresOf([7], '2026-03-01', 13), SYNC_FILE.replace('lake', destination));
  expect(await sync(['run'], { env: LOGIN })).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: ClickHouse at ${one} lacks the macros shard and replica
  add them to its configuration: the tables of a cluster are replicated
`,
  });
});
