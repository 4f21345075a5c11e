import { expect, onTestFinished, test } from 'vitest';
import type { LockMachine } from '../../../src/files/lock.ts';
import { parseAddress } from '../../../src/sync/destinations/clickhouse/address.ts';
import { shardOf } from '../../../src/sync/destinations/clickhouse/cluster.ts';
import { Shards } from '../../../src/sync/destinations/clickhouse/shards.ts';
import { unreachable } from '../../../src/sync/destinations/failures.ts';
import { wireServer } from '../../support/wire-server.ts';

const CLUSTER = [1, 2].map(shard_num => ({
  ...{ cluster: 'main', shard_num, shard_weight: 1 },
  ...{ replica_num: 1, host_name: 'a' },
}));

/** Responds to the queries with which a destination connects to a cluster of two shards without tables. */
async function standIn(shard: number): Promise<string> {
  const server = await wireServer(({ body }) => {
    const rows = body.includes('version()') ? [{ version: '24.8.1.1' }] : CLUSTER;
    if (body.includes('system.replicas')) return { body: '{"tables":0}\n' };
    if (body.includes('system.macros'))
      return {
        body: `{"macro":"shard","substitution":"${shard}"}\n{"macro":"replica","substitution":"1"}\n`,
      };
    return {
      body: body.includes('_gatectl_state') ? '' : rows.map(row => `${JSON.stringify(row)}\n`).join(''),
    };
  });
  onTestFinished(() => server.close());
  return new URL(server.baseUrl).host;
}

test('a shard that goes down while several sites are written fails none of the others', async () => {
  const [one, two] = [await standIn(1), await standIn(2)];
  const machine = { now: () => 0, sleep: async () => {} } as unknown as LockMachine;
  const shards = new Shards(
    parseAddress(`clickhouse://${one}/stats?cluster=main&shards=${one},${two}`, {}),
    machine,
  );
  await shards.open();
  expect(shards.reachable.map(({ number }) => number)).toEqual([1, 2]);
  let waiting = 0;
  let release = () => {};
  const both = new Promise<void>(resolve => {
    release = resolve;
  });
  // Both have begun before the first learns that the shard is down.
  const work = () =>
    shards.onAll(async shard => {
      if (shard.number === 1) return;
      waiting += 1;
      if (waiting === 2) release();
      await both;
      throw unreachable('connection refused');
    });
  await Promise.all([work(), work()]);
  expect(shards.reachable.map(({ number }) => number)).toEqual([1]);
  expect([...shards.lost.keys()]).toEqual([2]);
  for (const { server } of shards.reachable) await server.close();
});

test('a site is on the shard that the rest of its id, divided by the sum of the weights, names', () => {
  expect([0, 1, 2, 3, 4, 5].map(id => shardOf(id, [1, 1, 2]))).toEqual([1, 1, 2, 1, 1, 2]);
  // As UInt64, in which ClickHouse divides: 2^64 - 1 is divisible by 3.
  expect(shardOf(-1, [1, 2, 3])).toBe(1);
});
