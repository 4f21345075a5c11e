import { isEnded, type Machine, ownerName } from './owners.ts';
import type { Server } from './server.ts';
import { quoteTable, quoteText } from './statements.ts';

const STAGING = '_gatectl_staging_';
/** What another machine left behind. In seconds. */
const LEFTOVER_S = 86_400;

/** Tables of one server that this process alone writes, each as the table whose partitions it replaces. Methods throw DestinationError. */
export class StagingTables {
  readonly #server: Server;
  readonly #database: string;
  readonly #machine: Machine;
  readonly #idle = new Map<string, string[]>();
  readonly #all = new Set<string>();

  constructor(server: Server, database: string, machine: Machine) {
    this.#server = server;
    this.#database = database;
    this.#machine = machine;
  }

  /** An empty one for a table, quoted; `definition` is that of the table with its rows. */
  async take(table: string, definition: () => Promise<string>): Promise<string> {
    const idle = this.#idle.get(table)?.pop();
    if (idle !== undefined) return idle;
    const staging = quoteTable(
      this.#database,
      `${STAGING}${table}_${ownerName(this.#machine)}_${stagingNumber().toString(36)}`,
    );
    await this.#server.run(`CREATE TABLE IF NOT EXISTS ${staging} ${await definition()}`);
    this.#all.add(staging);
    return staging;
  }

  /** Empties one, to be taken again. */
  async giveBack(table: string, staging: string): Promise<void> {
    await this.#server.run(`TRUNCATE TABLE ${staging}`);
    this.#idle.set(table, [...(this.#idle.get(table) ?? []), staging]);
  }

  async drop(staging: string): Promise<void> {
    await this.#server.run(`DROP TABLE IF EXISTS ${staging}`);
    this.#all.delete(staging);
  }

  /** Forgets the idle ones of a table, whose columns another process has changed. */
  forget(table: string): void {
    this.#idle.delete(table);
  }

  /** Drops the idle ones of a table, whose columns are about to change. */
  async reset(table: string): Promise<void> {
    for (const staging of this.#idle.get(table)?.splice(0) ?? []) await this.drop(staging);
  }

  /** Drops those of this process. */
  async dropAll(): Promise<void> {
    this.#idle.clear();
    for (const staging of this.#all) await this.drop(staging);
  }

  /** Drops those that ended processes of this machine left, and those of other machines that are a day old. */
  async dropLeftovers(): Promise<void> {
    const rows = await this.#server.rows(
      `SELECT name, toUInt64(now()) - toUInt64(metadata_modification_time) AS age FROM system.tables WHERE database = ${quoteText(this.#database)} AND name LIKE ${quoteText(`${STAGING.replaceAll('_', '\\_')}%`)}`,
    );
    for (const { name, age } of rows) {
      const [, owner = ''] = /_([0-9a-f]{8}_\d+)_[0-9a-z]+$/.exec(String(name)) ?? [];
      if (isEnded(owner, this.#machine) || Number(age) > LEFTOVER_S)
        await this.drop(quoteTable(this.#database, String(name)));
    }
  }
}

let stagings = 0;

/** Different for each staging table of this process. */
function stagingNumber(): number {
  stagings += 1;
  return stagings;
}
