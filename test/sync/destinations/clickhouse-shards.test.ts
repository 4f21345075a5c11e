import { expect, onTestFinished, test } from 'vitest';
import type { LockMachine } from '../../../src/files/lock.ts';
import { parseAddress } from '../../../src/sync/destinations/clickhouse/address.ts';
import { shardOf } from '../../../src/sync/destinations/clickhouse/cluster.ts';
import { Shards } from '../../../src/sync/destinations/clickhouse/shards.ts';
import { wireServer } from '../../support/wire-server.ts';

interface StandIn {
  readonly macro?: string;
  /** How many changes it has yet to make. */
  readonly behind?: number;
  readonly isReadOnly?: boolean;
}

/** Responds to the queries with which a destination connects to a cluster of one shard with two replicas. */
async function standIn({ macro = '1', behind = 0, isReadOnly = false }: StandIn = {}) {
  const server = await wireServer(({ body }) => {
    const rows = body.includes('version()')
      ? [{ version: '24.8.1.1' }]
      : body.includes('system.replicas')
        ? [{ tables: 3, readonly: isReadOnly ? 1 : 0, behind }]
        : body.includes('system.macros')
          ? Object.entries({ shard: macro, replica: 'a' }).map(([name, substitution]) => ({
              ...{ macro: name, substitution },
            }))
          : [1, 2].map(replica_num => ({
              ...{ cluster: 'main', shard_num: 1, shard_weight: 1, replica_num, host_name: 'a' },
            }));
    return { body: rows.map(row => `${JSON.stringify(row)}\n`).join('') };
  });
  onTestFinished(() => server.close());
  const host = new URL(server.baseUrl).host;
  return { host, close: () => server.close() };
}

async function shardOn(...hosts: readonly string[]): Promise<Shards> {
  const machine = { now: () => 0, sleep: async () => {} } as unknown as LockMachine;
  const url = `clickhouse://${hosts[0]}/stats?cluster=main&shards=${hosts.join('|')}`;
  const shards = new Shards(parseAddress(url, {}), machine);
  await shards.open();
  onTestFinished(async () => {
    for (const { server } of shards.all) await server.close();
  });
  return shards;
}

const namesOf = (shards: Shards) => shards.all.map(({ name }) => name);

test.each([
  ['the first of those that are up to date', {}, {}, 0],
  ['the one that lacks nothing', { behind: 3 }, {}, 1],
  ['the one that lacks the least', { behind: 3 }, { behind: 2 }, 1],
  ['the one that can write', { isReadOnly: true }, { behind: 2 }, 1],
])('of the replicas of a shard is used %s', async (_, one, other, index) => {
  const hosts = [await standIn(one), await standIn(other)].map(({ host }) => host);
  expect(namesOf(await shardOn(...hosts))).toEqual([hosts[index]]);
});

test('work that finds its replica down is done with the other one, which is opened once', async () => {
  const [one, two] = [await standIn(), await standIn()];
  const shards = await shardOn(one.host, two.host);
  await one.close();
  const version = () => shards.at(1, ({ server }) => server.answer('SELECT version()'));
  const answers = await Promise.all([version(), version(), version()]);
  expect(answers).toEqual(Array.from({ length: 3 }, () => '{"version":"24.8.1.1"}'));
  expect(namesOf(shards)).toEqual([two.host]);
});

test('a replica with the macro of another shard is refused', async () => {
  const [one, two] = [await standIn(), await standIn({ macro: '2' })];
  const shards = await shardOn(one.host, two.host);
  await one.close();
  await expect(shards.at(1, ({ server }) => server.answer('SELECT version()'))).rejects.toThrow(
    `the macro shard of ${two.host}, a replica of shard 1, is 2, but that of shard 1 is 1`,
  );
});

test('a site is on the shard that the rest of its id, divided by the sum of the weights, names', () => {
  expect([0, 1, 2, 3, 4, 5].map(id => shardOf(id, [1, 1, 2]))).toEqual([1, 1, 2, 1, 1, 2]);
  // As UInt64, in which ClickHouse divides: 2^64 - 1 is divisible by 3.
  expect(shardOf(-1, [1, 2, 3])).toBe(1);
});
