import { statementFailed } from '../failures.ts';
import type { Shard, StoredEntry } from './shard.ts';
import { partitionName } from './statements.ts';

/** The ledger of a site, by table. */
type Tables = ReadonlyMap<string, ReadonlyMap<string, StoredEntry>>;

/**
 * How long the rows of a site are on no shard while it moves, in milliseconds: longer than a query takes to reach all shards, so that no
 * reader finds them on both.
 */
const GAP_MS = 1000;

/** Copies the rows of a site to another shard, where readers do not see them yet, and compares both. */
export async function stageSite(domainId: number, from: Shard, to: Shard, tables: Tables): Promise<void> {
  for (const [table, stored] of tables) {
    await to.createMoving(table);
    for (const [partition, { entry }] of stored) {
      if (entry === undefined || entry.rows === 0) continue;
      await to.stageMoving(table, domainId, partition, from);
      const [before, after] = [
        await from.fingerprint(table, domainId, partition),
        await to.fingerprint(table, domainId, partition, true),
      ];
      if (before !== after)
        throw statementFailed(
          `the rows of ${table} in ${partition} of site ${domainId} differ between ${from.name} and their copy on ${to.name}`,
        );
    }
  }
}

/** Removes the rows of a site from its old shard, then shows those that were copied to the new one. */
export async function finishSwitch(
  domainId: number,
  from: Shard,
  to: Shard,
  tables: Tables,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  const partitions = [...tables].flatMap(([table, stored]) =>
    [...stored].flatMap(([partition, { entry }]) =>
      entry === undefined || entry.rows === 0 ? [] : [{ table, partition, rows: entry.rows }],
    ),
  );
  const staged = new Map<string, ReadonlyMap<string, number>>();
  const moved = new Map<string, ReadonlyMap<string, number>>();
  for (const table of tables.keys()) {
    staged.set(table, await to.movingRows(table));
    moved.set(table, await to.partitionRows(table));
  }
  // A partition whose copy is gone was switched by a process that was interrupted then.
  const waiting = partitions.filter(({ table, partition, rows }) => {
    const name = partitionName(domainId, partition);
    if (staged.get(table)?.get(name) === rows) return true;
    if (moved.get(table)?.get(name) === rows) return false;
    throw statementFailed(`${table} in ${partition} of site ${domainId} is incomplete on ${to.name}`);
  });
  for (const { table, partition } of waiting) await from.dropPartition(table, domainId, partition);
  if (waiting.length > 0) await sleep(GAP_MS);
  for (const { table, partition } of waiting) await to.showMoving(table, domainId, partition);
}
