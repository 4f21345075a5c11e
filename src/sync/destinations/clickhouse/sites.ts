import type { LedgerEntry } from '../../ledger.ts';
import type { StoredEntry } from './own-tables.ts';
import type { Shards } from './shards.ts';
import type { SharedState } from './shared-state.ts';

/** What is known of a site of a table. */
export interface Site {
  /** The number of its shard. */
  readonly shard: number;
  readonly stored: Map<string, StoredEntry>;
  readonly entries: Map<string, LedgerEntry>;
  /** Rows of the partitions of the whole table on its shard, as system.parts names them. */
  readonly rows: Map<string, number>;
}

/** The ledgers of the sites, as far as they were read. Methods throw DestinationError. */
export class Sites {
  readonly #shards: Shards;
  readonly #state: SharedState;
  readonly #sites = new Map<string, Promise<Site>>();
  readonly #loaded = new Map<string, Site>();
  readonly #rows = new Map<string, Promise<Map<string, number>>>();

  constructor(shards: Shards, state: SharedState) {
    this.#shards = shards;
    this.#state = state;
  }

  /** A site of a table on the shard that stores it. */
  site(table: string, domainId: number): Promise<Site> {
    const key = `${table}/${domainId}`;
    const known = this.#sites.get(key);
    if (known !== undefined) return known;
    const opened = this.#open(table, domainId);
    this.#sites.set(key, opened);
    opened.then(
      site => this.#loaded.set(key, site),
      () => this.#sites.delete(key),
    );
    return opened;
  }

  /** A site that was read before; undefined if it was not. */
  loaded(table: string, domainId: number): Site | undefined {
    return this.#loaded.get(`${table}/${domainId}`);
  }

  async #open(table: string, domainId: number): Promise<Site> {
    const number = this.#shards.numberOf(domainId);
    const stored = new Map(await this.#shards.at(number, shard => shard.own.ledger(table, domainId)));
    const entries = new Map<string, LedgerEntry>();
    for (const [partition, { entry }] of stored) if (entry !== undefined) entries.set(partition, entry);
    const key = `${number}/${table}`;
    let rows = this.#rows.get(key);
    if (rows === undefined) {
      rows = this.#shards.at(number, shard => shard.partitionRows(table));
      this.#rows.set(key, rows);
      rows.catch(() => this.#rows.delete(key));
    }
    return { shard: number, stored, entries, rows: await rows };
  }

  /** Records a partition, or that its rows are about to change. */
  async record(
    table: string,
    domainId: number,
    partition: string,
    entry: LedgerEntry | undefined,
  ): Promise<void> {
    const { shard, stored, entries } = await this.site(table, domainId);
    const next = { entry, version: this.#state.versionAfter(stored.get(partition)?.version) };
    await this.#shards.at(shard, server => server.own.writeEntry(table, domainId, partition, next));
    stored.set(partition, next);
    // While the rows change, this process still knows what they were.
    if (entry !== undefined) entries.set(partition, entry);
  }

  release(table: string, domainId: number): void {
    this.#sites.delete(`${table}/${domainId}`);
    this.#loaded.delete(`${table}/${domainId}`);
  }

  forget(): void {
    this.#sites.clear();
    this.#loaded.clear();
    this.#rows.clear();
  }
}
