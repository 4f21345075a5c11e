import { createHash } from 'node:crypto';
import { unusable } from '../failures.ts';
import { type ClickHouseAddress, type Endpoint, endpointName } from './address.ts';
import type { Server } from './server.ts';

/** The shards of a cluster by number, from system.clusters of one of its servers. Throws DestinationError. */
export async function clusterShards(
  server: Server,
  address: ClickHouseAddress,
): Promise<ReadonlyMap<number, Endpoint>> {
  const { cluster = '', port, shards } = address;
  const all = await server.rows(
    'SELECT cluster, shard_num, replica_num, host_name, is_local FROM system.clusters',
  );
  const rows = all.filter(row => row.cluster === cluster);
  if (rows.length === 0) {
    const names = [...new Set(all.map(row => String(row.cluster)))].sort();
    throw unusable(`ClickHouse at ${server.name} knows no cluster ${cluster}`, {
      hints: [names.length === 0 ? 'add it to remote_servers' : `clusters: ${names.join(', ')}`],
    });
  }
  if (rows.some(({ replica_num }) => Number(replica_num) > 1))
    throw unusable(`the cluster ${cluster} has replicas, which gatectl does not write`, {
      hints: ['name a cluster of one replica a shard, or one server'],
    });
  const found = rows
    .map(row => ({
      number: Number(row.shard_num),
      endpoint:
        Number(row.is_local) === 1 && shards.length === 0
          ? { host: address.host, port }
          : { host: String(row.host_name), port },
    }))
    .sort((one, other) => one.number - other.number);
  if (shards.length > 0) {
    if (shards.length !== found.length)
      throw unusable(
        `shards= names ${shards.length} servers, but the cluster ${cluster} has ${found.length} shards`,
      );
    return new Map(found.map(({ number }, index) => [number, shards[index] as Endpoint]));
  }
  const names = new Set(found.map(({ endpoint }) => endpointName(endpoint)));
  if (names.size !== found.length)
    throw unusable(`shards of the cluster ${cluster} share a host, so that their HTTP ports are unknown`, {
      hints: ['add them in order: &shards=HOST:PORT,HOST:PORT'],
    });
  return new Map(found.map(({ number, endpoint }) => [number, endpoint]));
}

/** Throws DestinationError if a server knows fewer shards than there are: its readers would lack the sites of the others. */
export async function requireAllKnown(
  server: Server,
  cluster: string | undefined,
  count: number,
): Promise<void> {
  const all = await server.rows('SELECT cluster, shard_num FROM system.clusters');
  const known = all.filter(row => row.cluster === cluster).length;
  if (known !== count)
    throw unusable(
      `ClickHouse at ${server.name} knows ${known} of ${count} shards of the cluster ${cluster}`,
      {
        hints: [
          'add the others to its remote_servers: until then, its queries would lack the sites that move',
        ],
      },
    );
}

/** The shard of a site among some: when a shard is added, only the sites that it gets move. */
export function shardOf(domainId: number, shards: readonly number[]): number {
  const weight = (shard: number) =>
    createHash('sha256').update(`${domainId}/${shard}`).digest().readBigUInt64BE();
  const [first = 1, ...others] = shards;
  let [best, most] = [first, weight(first)];
  for (const shard of others) {
    const own = weight(shard);
    if (own > most) [best, most] = [shard, own];
  }
  return best;
}
