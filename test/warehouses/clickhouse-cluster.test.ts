import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { run as runCommand } from '../support/run.ts';
import { figuresOf, SYNC_FILE, syncing } from '../sync/source.ts';
import { cellsOf, expectedCells } from './clickhouse-cells.ts';
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
    for (const server of servers) expect(await cellsOf(server, 'stats')).toEqual(expectedCells(figures));
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
    for (const server of servers) expect(await cellsOf(server, 'stats')).toEqual(expectedCells(figures));
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
    const { servers, run, sites, join, grow } = await cluster(figures, 3, 2);
    await run(['run']);
    const before = await sites();
    await join();
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
    for (const server of servers) expect(await cellsOf(server, 'stats')).toEqual(expectedCells(figures));
    expect((await run(['rebalance'])).stdout).toContain('every site is where it belongs');
    const next = JSON.parse((await run(['run', '-o', 'json'])).stdout);
    expect(next.tables).toMatchObject([{ partitions: SITES.length, unchanged: SITES.length }]);
    expect((await run(['verify'])).code).toBe(0);
    const left = await servers[2]?.query(
      "SELECT name FROM system.tables WHERE database = 'stats' AND name LIKE '%moving%'",
    );
    expect(left).toEqual([]);
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
