import { type Endpoint, endpointName } from '../endpoint.ts';
import { unusable } from '../failures.ts';
import type { ClickHouseAddress } from './address.ts';
import type { Server } from './server.ts';
import { quoteText } from './statements.ts';

/** A shard of a cluster. */
export interface ShardPlace {
  readonly number: number;
  /** How many sites it gets, compared to the others. */
  readonly weight: number;
  /** Its replicas. */
  readonly endpoints: readonly Endpoint[];
}

/** The shards of a cluster in the order of their numbers, from system.clusters of one of its servers. Throws DestinationError. */
export async function clusterShards(
  server: Server,
  address: ClickHouseAddress,
): Promise<readonly ShardPlace[]> {
  const { cluster = '', port, shards } = address;
  const all = await server.rows(
    'SELECT cluster, shard_num, shard_weight, replica_num, host_name FROM system.clusters ORDER BY shard_num, replica_num',
  );
  const rows = all.filter(row => row.cluster === cluster);
  if (rows.length === 0) {
    const names = [...new Set(all.map(row => String(row.cluster)))].sort();
    throw unusable(`ClickHouse at ${server.name} knows no cluster ${cluster}`, {
      hints: [names.length === 0 ? 'add it to remote_servers' : `clusters: ${names.join(', ')}`],
    });
  }
  const found = new Map<number, { readonly weight: number; readonly endpoints: Endpoint[] }>();
  for (const { shard_num, shard_weight, host_name } of rows) {
    const shard = found.get(Number(shard_num)) ?? { weight: Number(shard_weight), endpoints: [] };
    shard.endpoints.push({ host: String(host_name), port });
    found.set(Number(shard_num), shard);
  }
  const places = [...found].map(([number, shard]) => ({ number, ...shard }));
  if (shards.length > 0) {
    const counts = (lists: readonly (readonly Endpoint[])[]) => lists.map(({ length }) => length).join(', ');
    const expected = counts(places.map(({ endpoints }) => endpoints));
    if (counts(shards) !== expected)
      throw unusable(
        `shards= names ${counts(shards)} replicas, but those of the shards of the cluster ${cluster} are ${expected}`,
      );
    return places.map((place, index) => ({ ...place, endpoints: shards[index] as readonly Endpoint[] }));
  }
  const names = new Set(places.flatMap(({ endpoints }) => endpoints.map(endpointName)));
  if (names.size !== rows.length)
    throw unusable(`servers of the cluster ${cluster} share a host, so that their HTTP ports are unknown`, {
      hints: ['add them in order: &shards=HOST:PORT,HOST:PORT, with replicas HOST:PORT|HOST:PORT'],
    });
  return places;
}

/** Where keeper stores the replicated tables of a database of a cluster. */
export function keeperPath(cluster: string, database: string): string {
  return `/clickhouse/tables/gatectl/${encodeURIComponent(cluster)}/${encodeURIComponent(database)}`;
}

/** What the macro `shard` of a server is, by which its replicas find each other. Throws DestinationError. */
export async function shardMacro(server: Server): Promise<string> {
  const rows = await server.rows(
    "SELECT macro, substitution FROM system.macros WHERE macro IN ('shard', 'replica')",
  );
  const shard = rows.find(({ macro }) => macro === 'shard');
  if (shard === undefined || rows.length !== 2)
    throw unusable(`ClickHouse at ${server.name} lacks the macros shard and replica`, {
      hints: ['add them to its configuration: the tables of a cluster are replicated'],
    });
  return String(shard.substitution);
}

/** How many changes a server lacks that has no tables, and one that cannot reach its keeper, or is starting: more than any. */
export const NO_TABLES = Number.POSITIVE_INFINITY;
export const CANNOT_WRITE = Number.MAX_SAFE_INTEGER;

/**
 * How many changes a server has not made yet that its replicas have: those of the tables under a path of keeper. Throws
 * DestinationError.
 */
export async function changesBehind(server: Server, path: string): Promise<number> {
  const query = `SELECT count() AS tables, sum(is_readonly) AS readonly, sum(toInt64(queue_size) - merges_in_queue + greatest(0, toInt64(log_max_index) + 1 - toInt64(log_pointer))) AS behind FROM system.replicas WHERE startsWith(zookeeper_path, ${quoteText(`${path}/`)})`;
  const count = async () => {
    const [row] = await server.rows(query);
    if (Number(row?.tables ?? 0) === 0) return NO_TABLES;
    return Number(row?.readonly) > 0 ? CANNOT_WRITE : Number(row?.behind);
  };
  // It reads its queue before its place in the log: a change that comes into the queue meanwhile is in neither, but in the next queue.
  return (await count()) || (await count());
}

/** Throws DestinationError if a server knows fewer shards than there are: its readers would lack the sites of the others. */
export async function requireAllKnown(
  server: Server,
  cluster: string | undefined,
  count: number,
): Promise<void> {
  const all = await server.rows('SELECT cluster, shard_num FROM system.clusters');
  const known = new Set(all.filter(row => row.cluster === cluster).map(row => row.shard_num)).size;
  if (known !== count)
    throw unusable(
      `ClickHouse at ${server.name} knows ${known} of ${count} shards of the cluster ${cluster}`,
      {
        hints: ['add the others to its remote_servers: until then, its queries lack their sites'],
      },
    );
}

/**
 * The shard of a site, as a `Distributed` table chooses it by its sharding key: the rest of the site's id when it is divided by the sum of
 * the weights.
 */
export function shardOf(domainId: number, slots: readonly number[]): number {
  const rest = BigInt.asUintN(64, BigInt(domainId)) % BigInt(slots.length);
  return slots[Number(rest)] as number;
}
