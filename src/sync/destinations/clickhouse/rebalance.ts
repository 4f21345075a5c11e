import type { LockMachine } from '../../../files/lock.ts';
import type { Rebalancing, SiteMove } from '../destination.ts';
import { requireAllKnown, shardOf } from './cluster.ts';
import { finishSwitch, stageSite } from './move-site.ts';
import { MovingRows } from './moving-rows.ts';
import type { StoredEntry } from './own-tables.ts';
import type { Placement } from './placement.ts';
import type { Schemas } from './schemas.ts';
import type { Shard } from './shard.ts';
import type { Shards } from './shards.ts';
import type { SharedState } from './shared-state.ts';
import type { Sites } from './sites.ts';

/** The ledger of a site, by table. */
type Tables = ReadonlyMap<string, ReadonlyMap<string, StoredEntry>>;

/** What a rebalancing requires of its destination. */
interface RebalanceOptions {
  readonly cluster: string;
  readonly schemas: Schemas;
  readonly machine: Pick<LockMachine, 'sleep'>;
  readonly shards: Shards;
  readonly state: SharedState;
  readonly placement: Placement;
  readonly sites: Sites;
  /** The sites that have a ledger of a table. */
  readonly domainIds: (table: string) => Promise<readonly number[]>;
}

/** Moves the sites of a cluster to where they belong after a shard was added. Methods throw DestinationError. */
export class Rebalance implements Rebalancing {
  readonly #options: RebalanceOptions;

  constructor(options: RebalanceOptions) {
    this.#options = options;
  }

  async moves(): Promise<readonly SiteMove[]> {
    const { cluster, schemas, shards, placement, sites, domainIds } = this.#options;
    shards.requireAll('sites are moved when all shards can be reached');
    for (const { server } of shards.reachable)
      await requireAllKnown(server, cluster, shards.reachable.length);
    const next = this.#target;
    const moves = new Map<number, { name: string; partitions: number; rows: number }>();
    const current = (id: number) => shards.withNumber(placement.shardNumberOf(id));
    for (const table of schemas.recorded)
      for (const id of await domainIds(table)) {
        if (placement.moves.get(id) === 'moved' || placement.shardNumberOf(id) === shardOf(id, next))
          continue;
        const site = await sites.read(current(id), table, id);
        const known = moves.get(id) ?? { name: `site ${id}`, partitions: 0, rows: 0 };
        for (const entry of site.entries.values()) {
          known.name = entry.domain ?? known.name;
          known.partitions += 1;
          known.rows += entry.rows;
        }
        moves.set(id, known);
      }
    return [...moves]
      .sort(([one], [other]) => one - other)
      .map(([id, { name, partitions, rows }]) => ({
        domainId: id,
        domain: name,
        partitions,
        rows,
        from: current(id).name,
        to: shards.withNumber(shardOf(id, next)).name,
      }));
  }

  async move({ domainId }: SiteMove): Promise<void> {
    const { shards, placement } = this.#options;
    shards.requireAll('sites are moved when all shards can be reached');
    await this.resume();
    const next = this.#target;
    const before = placement.current;
    if (before.next === undefined) await placement.write({ ...before, next });
    const [from, to] = [
      shards.withNumber(shardOf(domainId, before.shards)),
      shards.withNumber(shardOf(domainId, next)),
    ];
    await stageSite(domainId, from, to, await this.#ledgersOf(from, domainId));
    await placement.writeMove(domainId, 'switching');
    await this.#switch(domainId);
  }

  async finish(): Promise<void> {
    const { schemas, shards, state, placement } = this.#options;
    const { id, shards: recorded } = placement.current;
    const next = this.#target;
    if (JSON.stringify(recorded) === JSON.stringify(next)) return;
    // A run that was killed between a move and the removal of its old entries.
    for (const { name, value } of state.ofKind('move')) {
      const [, move, domain] = /^(\d+)\/(\d+)$/.exec(name) ?? [];
      if (value !== 'moved' || Number(move) !== id) continue;
      const from = shards.withNumber(shardOf(Number(domain), recorded));
      await removeEntries(from, Number(domain), await this.#ledgersOf(from, Number(domain)));
    }
    await placement.write({ id: id + 1, shards: next });
    await shards.onAll(async shard => {
      for (const table of schemas.recorded) await new MovingRows(shard).drop(table);
    });
  }

  /** Finishes the moves that were interrupted after their rows were copied. */
  async resume(): Promise<void> {
    const { shards, placement } = this.#options;
    for (const [domainId, move] of placement.moves)
      if (move === 'switching' && shards.lost.size === 0) await this.#switch(domainId);
  }

  /** Finishes a move of which the rows are staged. It may be interrupted and run again at any point. */
  async #switch(domainId: number): Promise<void> {
    const { schemas, shards, placement, sites, machine } = this.#options;
    const { shards: recorded, next = [] } = placement.current;
    const [from, to] = [
      shards.withNumber(shardOf(domainId, recorded)),
      shards.withNumber(shardOf(domainId, next)),
    ];
    const tables = await this.#ledgersOf(from, domainId);
    // The types may have changed since the rows were copied.
    for (const table of tables.keys()) await new MovingRows(to).shape(table, schemas.of(table));
    const lost = await finishSwitch(domainId, from, to, tables, ms => machine.sleep(ms));
    // Rows that are lost have no entry, so that the next run requests them.
    for (const [table, stored] of tables)
      for (const [partition, { entry, version }] of stored)
        if (entry !== undefined && lost.get(table)?.has(partition) !== true)
          await to.own.writeEntry(table, domainId, partition, { entry, version: version + 1n });
    await placement.writeMove(domainId, 'moved');
    await removeEntries(from, domainId, tables);
    sites.forget();
  }

  /** The shards among which the sites are distributed: of an interrupted rebalancing, those that it knew, until it is finished. */
  get #target(): readonly number[] {
    const { shards, placement } = this.#options;
    return placement.current.next ?? shards.numbers;
  }

  async #ledgersOf(shard: Shard, domainId: number): Promise<Tables> {
    const tables = new Map<string, ReadonlyMap<string, StoredEntry>>();
    for (const table of this.#options.schemas.recorded) {
      const stored = await shard.own.ledger(table, domainId);
      if (stored.size > 0) tables.set(table, stored);
    }
    return tables;
  }
}

async function removeEntries(shard: Shard, domainId: number, tables: Tables): Promise<void> {
  for (const [table, stored] of tables)
    for (const [partition, { entry, version }] of stored)
      if (entry !== undefined)
        await shard.own.writeEntry(table, domainId, partition, { entry: undefined, version: version + 1n });
}
