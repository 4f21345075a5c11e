import { statementFailed } from '../failures.ts';
import { MovingRows } from './moving-rows.ts';
import type { StoredEntry } from './own-tables.ts';
import type { Shard } from './shard.ts';
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
  const moving = new MovingRows(to);
  for (const [table, stored] of tables) {
    await moving.begin(table);
    for (const [partition, { entry }] of stored)
      if (entry !== undefined && entry.rows > 0) await stagePartition(table, domainId, partition, from, to);
  }
}

async function stagePartition(
  table: string,
  domainId: number,
  partition: string,
  from: Shard,
  to: Shard,
): Promise<void> {
  const moving = new MovingRows(to);
  await moving.copy(table, domainId, partition, from);
  const isBinary = !(await from.server.printsDecimals()) || !(await to.server.printsDecimals());
  const [before, after] = [
    await from.fingerprint(table, domainId, partition, { isBinary }),
    await moving.fingerprint(table, domainId, partition, isBinary),
  ];
  if (before !== after)
    throw statementFailed(
      `the rows of ${table} in ${partition} of site ${domainId} differ between ${from.name} and their copy on ${to.name}`,
    );
}

/**
 * Removes the rows of a site from its old shard, then shows those that were copied to the new one. Resolves to the partitions, by table,
 * whose rows are on neither shard, because one of them has lost its data since.
 */
export async function finishSwitch(
  domainId: number,
  from: Shard,
  to: Shard,
  tables: Tables,
  sleep: (ms: number) => Promise<void>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const moving = new MovingRows(to);
  const waiting: { readonly table: string; readonly partition: string }[] = [];
  const lost = new Map<string, Set<string>>();
  for (const [table, stored] of tables) {
    const missing = new Set<string>();
    lost.set(table, missing);
    const staged = await moving.rows(table);
    const moved = await to.partitionRows(table);
    const left = await from.partitionRows(table);
    for (const [partition, { entry }] of stored) {
      if (entry === undefined || entry.rows === 0) continue;
      const name = partitionName(domainId, partition);
      if (staged.get(name) === entry.rows) waiting.push({ table, partition });
      // A partition whose copy is gone was switched by a process that was interrupted then.
      else if (moved.get(name) === entry.rows) continue;
      else if (left.get(name) === entry.rows) {
        await moving.create(table);
        await stagePartition(table, domainId, partition, from, to);
        waiting.push({ table, partition });
      } else missing.add(partition);
    }
  }
  for (const { table, partition } of waiting) await from.dropPartition(table, domainId, partition);
  if (waiting.length > 0) await sleep(GAP_MS);
  for (const { table, partition } of waiting) await moving.show(table, domainId, partition);
  return lost;
}
