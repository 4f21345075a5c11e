import { pluralize } from '../../../terminal/numbers.ts';
import type { Stray } from '../destination.ts';
import type { Shard } from './shard.ts';
import { partitionName, partitionValue } from './statements.ts';

/** How system.parts names a partition, without spaces. */
const PARTITION = /^\((-?\d+),(\d{4})(\d\d)(\d\d)?\)$/;

/**
 * The rows of a table on one server that are of no partition in its ledger, without reading them. `isReplaceable` tells whether a run
 * writes a site to this server, and `place` names the server in a cluster. Throws DestinationError.
 */
export async function strayRows(
  shard: Shard,
  table: string,
  isReplaceable: (domainId: number) => boolean,
  place: string | undefined,
): Promise<readonly Stray[]> {
  const recorded = await shard.own.partitions(table);
  const known = new Set(recorded.map(({ domainId, partition }) => partitionName(domainId, partition)));
  const found: Stray[] = [];
  const partitions = [...(await shard.partitionRows(table))];
  partitions.sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }));
  for (const [name, rows] of partitions) {
    const [, id, year, month, day] = PARTITION.exec(name) ?? [];
    if (rows === 0 || known.has(name) || id === undefined) continue;
    const domainId = Number(id);
    const partition = [year, month, day].filter(part => part !== undefined).join('-');
    found.push({
      domainId,
      partition,
      problem: `${pluralize(rows, 'row')} ${place === undefined ? 'here' : `on ${place}`}, none in the ledger`,
      removal: `ALTER TABLE ${shard.rowsTable(table)} DROP PARTITION ${partitionValue(domainId, partition)}`,
      isReplaceable: isReplaceable(domainId),
    });
  }
  return found;
}
