import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { startGatectl } from '../support/gatectl.ts';
import { figuresOf, SYNC_FILE, type SyncRuns, syncing } from '../sync/source.ts';
import { cellsOf, expectedCells } from './clickhouse-cells.ts';
import { clusterWith, LOGIN } from './clickhouse-clusters.ts';
import { type ClickHouseServer, clickHouseServers, program } from './servers/clickhouse.ts';
import { KILLS, proxyTo, seeded } from './support.ts';

const SITES = [7, 8, 9, 10];
/** How many processes, or connections, are killed in a test. */
const SHARE = Math.ceil(KILLS / 2);
let running: readonly ClickHouseServer[] = [];

afterEach(async () => {
  for (const server of running) await server.remove();
});

async function oneServer(): Promise<ClickHouseServer> {
  running = await clickHouseServers(1);
  const [server] = running as [ClickHouseServer];
  await server.start();
  await server.query('CREATE DATABASE stats');
  return server;
}

function fileFor({ http }: Pick<ClickHouseServer, 'http'>): string {
  return SYNC_FILE.replace('destination: lake', `destination: clickhouse://127.0.0.1:${http}/stats`);
}

/** All rows of each month, and of how many different moments they are. */
const MONTHS =
  'SELECT domain_id, toYYYYMM(report_day), count(), uniqExact(visits - toRelativeDayNum(report_day) - toInt64(substring(assumeNotNull(page_url), 7))) FROM stats.pages GROUP BY domain_id, toYYYYMM(report_day)';
const WHOLE_MONTHS = SITES.flatMap(site =>
  ['202601\t93', '202602\t84', '202603\t39'].map(month => `${site}\t${month}\t1`),
).sort();

/** Starts the built program in the folder of a sync. */
function start(args: readonly string[], { server, folder }: Pick<SyncRuns, 'server' | 'folder'>) {
  return startGatectl(['bda', 'sync', ...args], {
    cwd: folder,
    env: {
      ...LOGIN,
      HOME: folder,
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'key-for-sync-0001',
      GATECTL_CONFIG_DIR: folder,
    },
  });
}

/** Polls a query while `work` runs; resolves to all different results. */
async function polling(
  query: () => Promise<readonly string[]>,
  work: () => Promise<void>,
): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  let isDone = false;
  const poll = async () => {
    while (!isDone) {
      for (const line of await query()) seen.add(line);
    }
  };
  const working = work().finally(() => {
    isDone = true;
  });
  await Promise.all([working, poll()]);
  return seen;
}

/** Gives each row other figures, so that every partition is replaced. */
function restate(figures: ReturnType<typeof figuresOf>, round: number): void {
  for (const days of figures.values())
    for (const [day, rows] of days)
      days.set(
        day,
        rows.map(row => ({ ...row, visits: String(Number(row.visits) + round) })),
      );
}

describe.skipIf(program.find() === undefined)('a sync into ClickHouse that is interrupted', () => {
  test('by a kill of gatectl at any moment is complete after one more run, and readers see whole partitions', {
    timeout: 180_000,
  }, async () => {
    const server = await oneServer();
    const figures = figuresOf(SITES, '2026-01-01', 72);
    const source = await syncing(figures, fileFor(server));
    const run = async () => {
      const ran = await start(['run', '--refetch', '2026', '--quiet'], source);
      expect(ran.stderr).toBe('');
    };
    await run();
    const begun = Date.now();
    await run();
    const duration = Date.now() - begun;
    const seen = await polling(
      () => server.query(MONTHS),
      async () => {
        for (let kill = 1; kill <= SHARE; kill++) {
          restate(figures, kill);
          const child = start(['run', '--refetch', '2026', '--quiet'], source);
          await sleep((duration * kill) / SHARE);
          child.kill('SIGKILL');
          await child;
          if (kill % 3 !== 0) continue;
          await run();
          expect(await cellsOf(server, 'stats')).toEqual(expectedCells(figures));
        }
      },
    );
    expect([...seen].sort()).toEqual(WHOLE_MONTHS);
    await run();
    const tables = await server.query(
      "SELECT name FROM system.tables WHERE database = 'stats' ORDER BY name",
    );
    expect(tables).toEqual(['_gatectl_ledger', '_gatectl_state', 'pages']);
  });

  test('by a power cut of the server is complete after one more run, without doubled rows', {
    timeout: 180_000,
  }, async () => {
    const server = await oneServer();
    const figures = figuresOf(SITES, '2026-01-01', 72);
    const source = await syncing(figures, fileFor(server));
    const run = async () => {
      const ran = await start(['run', '--refetch', '2026', '--quiet'], source);
      expect(ran.stderr).toBe('');
    };
    await run();
    // Right after a run, nothing that was replaced comes back.
    await server.stop();
    await server.start();
    expect(await cellsOf(server, 'stats')).toEqual(expectedCells(figures));
    for (let kill = 1; kill <= SHARE / 2; kill++) {
      restate(figures, kill);
      const child = start(['run', '--refetch', '2026', '--quiet'], source);
      await sleep(300 + 150 * kill);
      await server.stop();
      const { exitCode, stderr } = await child;
      expect([0, 6, 7]).toContain(exitCode);
      if (exitCode !== 0) expect(stderr).toMatch(/^error: /);
      await server.start();
      await run();
      expect(await cellsOf(server, 'stats')).toEqual(expectedCells(figures));
    }
  });

  test('by lost connections is complete after one more run, and readers see whole partitions', {
    timeout: 180_000,
  }, async () => {
    const server = await oneServer();
    const proxy = await proxyTo(server.http);
    const figures = figuresOf(SITES, '2026-01-01', 72);
    const { sync } = await syncing(figures, fileFor({ http: proxy.port }));
    const run = () => sync(['run', '--refetch', '2026', '--quiet'], { env: LOGIN });
    expect(await run()).toEqual({ code: 0, stdout: '', stderr: '' });
    const random = seeded();
    const seen = await polling(
      () => server.query(MONTHS),
      async () => {
        for (let cut = 1; cut <= SHARE; cut++) {
          restate(figures, cut);
          proxy.cutAfter(1 + 60_000 * random.next().value);
          const { code, stderr } = await run();
          // Statements and rows are sent again once or twice.
          if (code !== 0) expect([code, stderr]).toEqual([6, expect.stringMatching(/^error: cannot reach /)]);
          proxy.cutAfter(Number.POSITIVE_INFINITY);
          if (cut % 3 !== 0) continue;
          expect(await run()).toEqual({ code: 0, stdout: '', stderr: '' });
          expect(await cellsOf(server, 'stats')).toEqual(expectedCells(figures));
        }
      },
    );
    await proxy.close();
    expect([...seen].sort()).toEqual(WHOLE_MONTHS);
  });

  test('on a shard loads the sites of the others, and the rest with one more run', {
    timeout: 180_000,
  }, async () => {
    const figures = figuresOf([...SITES, 11, 12], '2026-01-01', 72);
    const cluster = await clusterWith(figures, 2);
    running = cluster.servers;
    const [, second] = cluster.servers as [ClickHouseServer, ClickHouseServer];
    expect((await cluster.run(['run'])).code).toBe(0);
    const [, lost = []] = await cluster.sites();
    let partial = 0;
    for (let kill = 1; kill <= SHARE / 3; kill++) {
      restate(figures, kill);
      const running = cluster.run(['run', '--refetch', '2026', '-o', 'json']);
      await sleep(150 * kill);
      await second.stop();
      const { code, stdout, stderr } = await running;
      expect([0, 7], stderr).toContain(code);
      const { tables, failures } = JSON.parse(stdout);
      for (const { domain, error } of failures) {
        expect(lost.map(id => `site-${id}.example.com`)).toContain(domain);
        expect(error).toMatch(/^shard 2 cannot be reached: /);
      }
      expect(code).toBe(failures.length > 0 ? 7 : 0);
      if (code === 7) partial += 1;
      expect(tables[0].partitions).toBeGreaterThanOrEqual(3 * (SITES.length + 2 - lost.length));
      await second.start();
      expect((await cluster.run(['run', '--refetch', '2026'])).code).toBe(0);
      for (const server of cluster.servers)
        expect(await cellsOf(server, 'stats')).toEqual(expectedCells(figures));
    }
    expect(partial).toBeGreaterThan(0);
  });

  test('while it moves sites to another shard is finished by the next one, and readers see no row twice', {
    timeout: 180_000,
  }, async () => {
    const figures = figuresOf([...SITES, 11, 12], '2026-01-01', 72);
    const cluster = await clusterWith(figures, 3, 2);
    running = cluster.servers;
    const [first, , last] = cluster.servers as [ClickHouseServer, ClickHouseServer, ClickHouseServer];
    expect((await cluster.run(['run'])).code).toBe(0);
    await cluster.grow();
    let isFinished = false;
    let kills = 0;
    const seen = await polling(
      // A query fails while a shard is down.
      () => first.query('SELECT domain_id, count() FROM stats.pages GROUP BY domain_id').catch(() => []),
      async () => {
        for (let wait = 400; !isFinished; wait += 150) {
          const child = start(['rebalance', '--quiet'], cluster.source);
          // Every third time, it is the new shard that is killed.
          const isServer = kills % 3 === 2;
          const killed = sleep(wait).then(async () => {
            if (isServer) await last.stop();
            else child.kill('SIGKILL');
          });
          const { exitCode, stderr } = await child;
          await killed;
          if (isServer) await last.start();
          isFinished = exitCode === 0;
          if (!isFinished) {
            expect(stderr).toMatch(isServer ? /^error: / : /^$/);
            kills += 1;
          }
        }
      },
    );
    expect(kills).toBeGreaterThan(1);
    // A site is missing for a moment, but never more than once.
    for (const line of seen) expect(line).toMatch(/\t216$|\t(93|84|39|177|132|123)$/);
    for (const server of cluster.servers)
      expect(await cellsOf(server, 'stats')).toEqual(expectedCells(figures));
    expect((await cluster.run(['verify'])).code).toBe(0);
    expect((await cluster.run(['rebalance'])).stdout).toContain('every site is where it belongs');
  });
});
