import { quoteName } from '../../../text/sql.ts';
import type { TableSchema } from '../../column-types.ts';
import { ADDED_COLUMNS } from '../../config.ts';
import type { PartitionFile } from '../destination.ts';
import { readChecksum, writeLedgerRows } from './own-tables.ts';
import { checksumsOf, csvOf, NO_ROWS_CHECKSUM, type PartitionKey, rowsOf } from './partition-rows.ts';
import type { DuckDbSession } from './session.ts';
import { tableName } from './table-shape.ts';

/** A partition to store. */
export interface Replacement {
  readonly file: PartitionFile;
  /** Whether the rows that are stored are the same already, so that only the ledger changes. */
  readonly isSame: boolean;
  readonly schema: TableSchema;
}

function keyOf({ table, domain, entry }: PartitionFile): PartitionKey {
  return { table: table.name, domainId: domain.id, partition: entry.partition };
}

/**
 * Replaces partitions with their ledger entries, with one statement for those that have much in common. Resolves to the checksum of each,
 * null if it has none. Runs in a transaction of the caller.
 */
export async function storePartitions(
  session: DuckDbSession,
  replacements: readonly Replacement[],
): Promise<readonly (string | null)[]> {
  // Of two that replace the same partition, the later one counts.
  const latest = new Map(replacements.map(each => [textOf(each), each]));
  const checksums = new Map<string, string | null>();
  const changed: Replacement[] = [];
  for (const [key, each] of latest) {
    if (each.isSame || each.schema.version === 0)
      checksums.set(key, await readChecksum(session, keyOf(each.file)));
    else changed.push(each);
  }
  for (const group of groupsBy(changed, ({ file }) => file.table.name)) {
    for (const { file } of group) await session.run(`DELETE FROM ${rowsOf(keyOf(file))}`);
    for (const alike of groupsBy(group, ({ file }) => JSON.stringify([file.domain, file.columns])))
      await insertRows(session, alike);
    for (const [key, checksum] of await checksumsIn(session, group)) checksums.set(key, checksum);
  }
  await writeLedgerRows(
    session,
    [...latest].map(([key, { file }]) => ({
      ...keyOf(file),
      entry: file.entry,
      checksum: checksums.get(key) ?? null,
    })),
  );
  return replacements.map(each => checksums.get(textOf(each)) ?? null);
}

/** Inserts the rows of partitions of one site that have the same columns. */
async function insertRows(session: DuckDbSession, alike: readonly Replacement[]): Promise<void> {
  const withRows = alike.filter(({ file }) => file.path !== undefined);
  const [first] = withRows;
  if (first === undefined) return;
  const { table, domain, columns } = first.file;
  const names = columns.map(quoteName).join(', ');
  const paths = withRows.map(({ file }) => file.path ?? '');
  const longestRow = Math.max(...withRows.map(({ file }) => file.longestRow));
  await session.run(
    `INSERT INTO ${tableName(table.name)} (${[...ADDED_COLUMNS, names].join(', ')})
     SELECT $1, $2, ${names} FROM ${csvOf({ paths, columns, longestRow }, first.schema)}`,
    [domain.id, domain.name],
  );
}

/** The checksums of stored partitions of one table. */
async function checksumsIn(
  session: DuckDbSession,
  group: readonly Replacement[],
): Promise<ReadonlyMap<string, string>> {
  const [first] = group;
  if (first === undefined) return new Map();
  const { table } = first.file;
  const keys = group.map(({ file }) => keyOf(file));
  const found = await session.rows<{ id: string; partition: string; checksum: string }>(
    checksumsOf(keys, table.partition, first.schema),
  );
  const byKey = new Map(found.map(({ id, partition, checksum }) => [`${id}/${partition}`, checksum]));
  const [none] = await session.rows<{ checksum: string }>(`SELECT ${NO_ROWS_CHECKSUM} AS checksum`);
  return new Map(
    group.map(each => {
      const { domainId, partition } = keyOf(each.file);
      return [textOf(each), byKey.get(`${domainId}/${partition}`) ?? none?.checksum ?? ''];
    }),
  );
}

function textOf({ file }: Replacement): string {
  const { table, domainId, partition } = keyOf(file);
  return `${table}/${domainId}/${partition}`;
}

function groupsBy<Item>(items: readonly Item[], keyOfItem: (item: Item) => string): readonly Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOfItem(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
