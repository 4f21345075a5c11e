import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Figures, SYNC_FILE, type SyncRuns, syncing } from '../sync/source.ts';
import { expectCells } from './clickhouse-cells.ts';
import {
  type ClickHouseServer,
  clickHouseServers,
  inShards,
  PASSWORD,
  USER,
  writeCluster,
} from './servers/clickhouse.ts';
import { ZooKeeperServer } from './servers/zookeeper.ts';

/** How long a replica may take to copy what it lacks, in milliseconds. */
const CATCH_UP_MS = 30_000;

export const LOGIN = { CLICKHOUSE_USER: USER, CLICKHOUSE_PASSWORD: PASSWORD };

/** The form of a cluster: how many shards it has, with how many replicas each. */
interface ClusterForm {
  readonly shards: number;
  readonly replicas?: number;
  /** How many servers more are started, which are not in the cluster yet. */
  readonly spare?: number;
}

export interface Cluster {
  /** Those of the first shard, then those of the others. */
  readonly servers: readonly ClickHouseServer[];
  readonly keeper: ZooKeeperServer;
  /** The gateway and the folder with the sync file. */
  readonly source: SyncRuns;
  run(args: readonly string[]): ReturnType<SyncRuns['sync']>;
  /** The sites with rows on each server. */
  sites(): Promise<readonly (readonly string[])[]>;
  /** Compares every cell of each server, once all replicas have what the others stored. */
  expectCells(database?: string): Promise<void>;
  /** Makes all servers shards of the cluster. */
  grow(): Promise<void>;
  /** Creates a database on all servers, which the sync file names from then on. */
  useDatabase(name: string): Promise<void>;
  remove(): Promise<void>;
}

/** Servers that form a cluster with their keeper, and a sync into it. */
export async function clusterWith(
  figures: Figures,
  { shards, replicas = 1, spare = 0 }: ClusterForm,
): Promise<Cluster> {
  const keeper = await ZooKeeperServer.create();
  const members = shards * replicas;
  const servers = await clickHouseServers(members + spare, { replicas, keeper: keeper.port });
  writeCluster(servers.slice(0, members), servers, replicas);
  await Promise.all(servers.map(server => server.start()));
  for (const server of servers) await server.query('CREATE DATABASE stats');
  const fileFor = (count: number, database = 'stats') => {
    const endpoints = servers.slice(0, count).map(({ http }) => `127.0.0.1:${http}`);
    const places = inShards(endpoints, replicas).map(shard => shard.join('|'));
    return SYNC_FILE.replace(
      'destination: lake',
      `destination: clickhouse://${endpoints[0]}/${database}?cluster=main&shards=${places.join(',')}`,
    );
  };
  const source = await syncing(figures, fileFor(members));
  return {
    servers,
    keeper,
    source,
    run: args => source.sync(args, { env: LOGIN }),
    sites: () =>
      Promise.all(
        servers.map(server =>
          server
            .query('SELECT DISTINCT domain_id FROM stats.pages_local ORDER BY domain_id')
            .catch((): string[] => []),
        ),
      ),
    expectCells: async (database = 'stats') => {
      const local = (shard: readonly ClickHouseServer[]) =>
        Promise.all(shard.map(server => localRows(server, database)));
      // A Distributed table reads one replica of each shard.
      for (const shard of inShards(servers, replicas))
        await expect.poll(async () => new Set(await local(shard)).size, { timeout: CATCH_UP_MS }).toBe(1);
      await expectCells(figures, servers, database);
    },
    grow: async () => {
      writeCluster(servers, servers, replicas);
      for (const server of servers) await waitForShards(server, servers.length / replicas);
      writeFileSync(pathOf(source), fileFor(servers.length));
    },
    useDatabase: async name => {
      for (const server of servers) await server.query(`CREATE DATABASE ${name}`);
      writeFileSync(pathOf(source), fileFor(servers.length, name));
    },
    remove: async () => {
      for (const server of servers) await server.remove();
      await keeper.remove();
    },
  };
}

/** The rows on a server itself. */
async function localRows(server: ClickHouseServer, database: string): Promise<string> {
  const rows = await server.query(`SELECT * FROM ${database}.pages_local FORMAT TabSeparated`);
  return [...rows].sort().join('\n');
}

function pathOf({ folder }: SyncRuns): string {
  return resolve(folder, 'gatectl.sync.yaml');
}

async function waitForShards(server: ClickHouseServer, count: number): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const [shards] = await server.query(
      "SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = 'main'",
    );
    if (shards === String(count)) return;
    await sleep(100);
  }
  throw new Error('the server does not read its configuration again');
}
