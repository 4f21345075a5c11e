import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { startGatectl } from '../support/gatectl.ts';
import { figuresOf, SYNC_FILE, type SyncRuns, syncing } from '../sync/source.ts';
import { cellsOf, expectedCells } from './clickhouse-cells.ts';
import { clusterWith, LOGIN } from './clickhouse-clusters.ts';
import { type ClickHouseServer, clickHouseServers, program } from './servers/clickhouse.ts';

const SITES = [7, 8, 9, 10];
/** How many processes are killed, each at another moment of its work. */
const KILLS = 12;
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

function fileFor({ http }: ClickHouseServer): string {
  return SYNC_FILE.replace('destination: lake', `destination: clickhouse://127.0.0.1:${http}/stats`);
}

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
      () =>
        server.query(
          'SELECT domain_id, toYYYYMM(report_day), count(), uniqExact(visits - toRelativeDayNum(report_day) - toInt64(substring(assumeNotNull(page_url), 7))) FROM stats.pages GROUP BY domain_id, toYYYYMM(report_day)',
        ),
      async () => {
        for (let kill = 1; kill <= KILLS; kill++) {
          restate(figures, kill);
          const child = start(['run', '--refetch', '2026', '--quiet'], source);
          await sleep((duration * kill) / KILLS);
          child.kill('SIGKILL');
          await child;
          if (kill % 3 !== 0) continue;
          await run();
          expect(await cellsOf(server, 'stats')).toEqual(expectedCells(figures));
        }
      },
    );
    // All rows of a month, of one moment.
    const months = [
      ['202601', 93],
      ['202602', 84],
      ['202603', 39],
    ];
    const whole = SITES.flatMap(site => months.map(([month, rows]) => `${site}\t${month}\t${rows}\t1`));
    expect([...seen].sort()).toEqual(whole.sort());
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
    for (let kill = 1; kill <= KILLS / 2; kill++) {
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

  test('while it moves sites to another shard is finished by the next one, and readers see no row twice', {
    timeout: 180_000,
  }, async () => {
    const figures = figuresOf([...SITES, 11, 12], '2026-01-01', 72);
    const cluster = await clusterWith(figures, 3, 2);
    running = cluster.servers;
    const [first] = cluster.servers as [ClickHouseServer];
    expect((await cluster.run(['run'])).code).toBe(0);
    await cluster.grow();
    let isFinished = false;
    let kills = 0;
    const seen = await polling(
      () => first.query('SELECT domain_id, count() FROM stats.pages GROUP BY domain_id'),
      async () => {
        for (let wait = 400; !isFinished; wait += 250) {
          const child = start(['rebalance', '--quiet'], cluster.source);
          const killed = sleep(wait).then(() => child.kill('SIGKILL'));
          const { exitCode, stderr } = await child;
          await killed;
          isFinished = exitCode === 0;
          if (!isFinished) {
            expect(stderr).toBe('');
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
