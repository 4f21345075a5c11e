import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { startGatectl } from '../support/gatectl.ts';
import { figuresOf, KEY, SYNC_FILE, type SyncRuns, syncing } from '../sync/source.ts';
import { expectCells } from './clickhouse-cells.ts';
import { clusterWith, LOGIN } from './clickhouse-clusters.ts';
import { type ClickHouseServer, clickHouseServers, program } from './servers/clickhouse.ts';
import { program as keeperProgram } from './servers/zookeeper.ts';
import { KILLS, proxyTo, restate, seeded } from './support.ts';

const SITES = [7, 8, 9, 10];
/** How many processes, or connections, are killed in a test. */
const SHARE = Math.ceil(KILLS / 2);
/** Every cell is compared after this many kills. */
const COMPARE_EACH = 3;
const TIMEOUT = { timeout: 60_000 + 10_000 * KILLS };
const REFETCH = ['run', '--refetch', '2026', '--quiet'];
let running: readonly { remove(): Promise<void> }[] = [];

afterEach(async () => {
  for (const server of running) await server.remove();
});

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
      GATECTL_API_KEY: KEY,
      GATECTL_CONFIG_DIR: folder,
    },
  });
}

type Running = ReturnType<typeof start>;

/** A server with the rows of all sites, and runs that replace every partition of it. */
async function loadedServer({ isBehindProxy = false } = {}) {
  const servers = await clickHouseServers(1);
  running = servers;
  const [server] = servers as [ClickHouseServer];
  await server.start();
  await server.query('CREATE DATABASE stats');
  const figures = figuresOf(SITES, '2026-01-01', 72);
  const proxy = await proxyTo(server.http);
  onTestFinished(() => proxy.close());
  const { port } = isBehindProxy ? proxy : { port: server.http };
  const file = `destination: clickhouse://127.0.0.1:${port}/stats`;
  const source = await syncing(figures, SYNC_FILE.replace('destination: lake', file));
  const complete = async () => {
    const { exitCode, stderr } = await start(REFETCH, source);
    expect([exitCode, stderr]).toEqual([0, '']);
    await expectCells(figures, [server]);
  };
  await complete();
  const begun = Date.now();
  await complete();
  const duration = Date.now() - begun;
  return {
    server,
    proxy,
    /** Interrupts that many runs, and completes the last of each three; `at` is a moment of a run, in milliseconds. */
    interrupt: async (times: number, interrupt: (child: Running, at: number) => Promise<void>) => {
      for (let time = 1; time <= times; time++) {
        restate(figures, time);
        const child = start(REFETCH, source);
        await interrupt(child, (duration * time) / times);
        await child;
        if (time % COMPARE_EACH === 0 || time === times) await complete();
      }
    },
  };
}

/** Polls the months while `work` runs, and expects each to be complete each time. */
async function readingMonths(server: ClickHouseServer, work: () => Promise<void>): Promise<void> {
  const seen = await polling(() => server.query(MONTHS), work);
  expect([...seen].sort()).toEqual(WHOLE_MONTHS);
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

const isInstalled = [program, keeperProgram].every(({ find }) => find() !== undefined);

describe.skipIf(!isInstalled)('a sync into ClickHouse that is interrupted', () => {
  test(
    'by a kill of gatectl at any moment is complete after one more run, and readers see whole partitions',
    TIMEOUT,
    async () => {
      const { server, interrupt } = await loadedServer();
      await readingMonths(server, () =>
        interrupt(SHARE, async (child, at) => {
          await sleep(at);
          child.kill('SIGKILL');
        }),
      );
      const tables = await server.query(
        "SELECT name FROM system.tables WHERE database = 'stats' ORDER BY name",
      );
      expect(tables).toEqual(['_gatectl_ledger', '_gatectl_state', 'pages']);
    },
  );

  test(
    'by a power cut of the server is complete after one more run, without doubled rows',
    TIMEOUT,
    async () => {
      const { server, interrupt } = await loadedServer();
      // Right after a run, nothing that was replaced comes back.
      await server.stop();
      await server.start();
      await readingMonths(server, async () => {});
      await interrupt(SHARE / 2, async (child, at) => {
        await sleep(at);
        await server.stop();
        const { exitCode, stderr } = await child;
        expect([0, 6, 7]).toContain(exitCode);
        if (exitCode !== 0) expect(stderr).toMatch(/^error: /);
        await server.start();
      });
    },
  );

  test(
    'by lost connections is complete after one more run, and readers see whole partitions',
    TIMEOUT,
    async () => {
      const { server, proxy, interrupt } = await loadedServer({ isBehindProxy: true });
      const random = seeded();
      await readingMonths(server, () =>
        interrupt(SHARE, async child => {
          proxy.cutAfter(1 + 60_000 * random.next().value);
          const { exitCode, stderr } = await child;
          // Statements and rows are sent again once or twice.
          if (exitCode !== 0)
            expect([exitCode, stderr]).toEqual([6, expect.stringMatching(/^error: cannot reach /)]);
          proxy.cutAfter(Number.POSITIVE_INFINITY);
        }),
      );
    },
  );

  test('by a kill of the replica in use goes on with the other one', TIMEOUT, async () => {
    const figures = figuresOf(SITES, '2026-01-01', 72);
    const cluster = await clusterWith(figures, { shards: 2, replicas: 2 });
    running = [cluster];
    const rerun = ['run', '--refetch', '2026', '--quiet'];
    expect((await cluster.run(rerun)).code).toBe(0);
    const begun = Date.now();
    expect((await cluster.run(rerun)).code).toBe(0);
    const duration = Date.now() - begun;
    // The server that the URL names is down before the run begins.
    const [named] = cluster.servers as [ClickHouseServer];
    await named.stop();
    expect(await cluster.run(rerun)).toEqual({ code: 0, stdout: '', stderr: '' });
    await named.start();
    await cluster.expectCells();
    const kills = SHARE / 3;
    for (let kill = 1; kill <= kills; kill++) {
      restate(figures, kill);
      const killed = cluster.servers[kill % 4] as ClickHouseServer;
      const running = cluster.run(rerun);
      await sleep((duration * kill) / (kills + 1));
      await killed.stop();
      expect(await running).toEqual({ code: 0, stdout: '', stderr: '' });
      await killed.start();
      await cluster.expectCells();
    }
    const verified = await cluster.run(['verify']);
    expect(verified).toEqual({
      code: 0,
      stdout: expect.stringContaining('all as at the gateway'),
      stderr: '',
    });
  });

  test(
    'by a kill of gatectl at any moment is complete in a cluster after one more run',
    TIMEOUT,
    async () => {
      const figures = figuresOf(SITES, '2026-01-01', 72);
      const cluster = await clusterWith(figures, { shards: 2, replicas: 2 });
      running = [cluster];
      const begun = Date.now();
      expect((await start(REFETCH, cluster.source)).exitCode).toBe(0);
      const duration = Date.now() - begun;
      const kills = SHARE / 2;
      // The months of all shards, as each server reads them.
      const months = () => Promise.all(cluster.servers.map(server => server.query(MONTHS)));
      const seen = await polling(
        async () => (await months()).flat(),
        async () => {
          for (let kill = 1; kill <= kills; kill++) {
            restate(figures, kill);
            const child = start(REFETCH, cluster.source);
            await sleep((duration * kill) / kills);
            child.kill('SIGKILL');
            await child;
            const { exitCode, stderr } = await start(REFETCH, cluster.source);
            expect([exitCode, stderr]).toEqual([0, '']);
            await cluster.expectCells();
          }
        },
      );
      expect([...seen].sort()).toEqual(WHOLE_MONTHS);
    },
  );
});
