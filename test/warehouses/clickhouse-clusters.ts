import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Figures, SYNC_FILE, type SyncRuns, syncing } from '../sync/source.ts';
import {
  type ClickHouseServer,
  clickHouseServers,
  PASSWORD,
  USER,
  writeCluster,
} from './servers/clickhouse.ts';

export const LOGIN = { CLICKHOUSE_USER: USER, CLICKHOUSE_PASSWORD: PASSWORD };

export interface Cluster {
  readonly servers: readonly ClickHouseServer[];
  /** The gateway and the folder with the sync file. */
  readonly source: SyncRuns;
  run(args: readonly string[]): ReturnType<SyncRuns['sync']>;
  /** The sites with rows on each server. */
  sites(): Promise<readonly (readonly string[])[]>;
  /** Makes all servers shards of the cluster. */
  grow(): Promise<void>;
  /** Creates a database on all servers, which the sync file names from then on. */
  useDatabase(name: string): Promise<void>;
  remove(): Promise<void>;
}

/** A cluster of servers, the first `members` of which are its shards, and a sync into it. */
export async function clusterWith(figures: Figures, count: number, members = count): Promise<Cluster> {
  const servers = await clickHouseServers(count);
  writeCluster(servers.slice(0, members), servers);
  await Promise.all(servers.map(server => server.start()));
  for (const server of servers) await server.query('CREATE DATABASE stats');
  const fileFor = (shards: number, database = 'stats') => {
    const endpoints = servers.slice(0, shards).map(({ http }) => `127.0.0.1:${http}`);
    return SYNC_FILE.replace(
      'destination: lake',
      `destination: clickhouse://${endpoints[0]}/${database}?cluster=main&shards=${endpoints.join(',')}`,
    );
  };
  const source = await syncing(figures, fileFor(members));
  const run: Cluster['run'] = args => source.sync(args, { env: LOGIN });
  return {
    servers,
    source,
    run,
    sites: () =>
      Promise.all(
        servers.map(server =>
          server
            .query('SELECT DISTINCT domain_id FROM stats.pages_local ORDER BY domain_id')
            .catch((): string[] => []),
        ),
      ),
    grow: async () => {
      writeCluster(servers, servers);
      for (const server of servers) await waitForShards(server, count);
      writeFileSync(pathOf(source), fileFor(count));
    },
    useDatabase: async name => {
      for (const server of servers) await server.query(`CREATE DATABASE ${name}`);
      writeFileSync(pathOf(source), fileFor(count, name));
    },
    remove: async () => {
      for (const server of servers) await server.remove();
    },
  };
}

function pathOf({ folder }: SyncRuns): string {
  return resolve(folder, 'gatectl.sync.yaml');
}

async function waitForShards(server: ClickHouseServer, count: number): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const [shards] = await server.query("SELECT count() FROM system.clusters WHERE cluster = 'main'");
    if (shards === String(count)) return;
    await sleep(100);
  }
  throw new Error('the server does not read its configuration again');
}
