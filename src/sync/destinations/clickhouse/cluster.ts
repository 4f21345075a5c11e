import { unusable } from '../failures.ts';
import { type ClickHouseAddress, type Endpoint, endpointName } from './address.ts';
import type { Server } from './server.ts';

/** A shard of a cluster. */
interface ShardPlace {
  readonly number: number;
  /** How many sites it gets, compared to the others. */
  readonly weight: number;
  readonly endpoint: Endpoint;
}

/** The shards of a cluster in the order of their numbers, from system.clusters of one of its servers. Throws DestinationError. */
export async function clusterShards(
  server: Server,
  address: ClickHouseAddress,
): Promise<readonly ShardPlace[]> {
  const { cluster = '', port, shards } = address;
  const all = await server.rows(
    'SELECT cluster, shard_num, shard_weight, replica_num, host_name, is_local FROM system.clusters',
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
      weight: Number(row.shard_weight),
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
    return found.map((place, index) => ({ ...place, endpoint: shards[index] as Endpoint }));
  }
  const names = new Set(found.map(({ endpoint }) => endpointName(endpoint)));
  if (names.size !== found.length)
    throw unusable(`shards of the cluster ${cluster} share a host, so that their HTTP ports are unknown`, {
      hints: ['add them in order: &shards=HOST:PORT,HOST:PORT'],
    });
  return found;
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
