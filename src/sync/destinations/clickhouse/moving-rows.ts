import type { TableSchema } from '../../column-types.ts';
import { partitionCondition } from './day-sums.ts';
import type { Shard } from './shard.ts';
import { partitionValue, quoteName } from './statements.ts';

const MOVING = '_gatectl_moving_';

/** The rows that are being moved to a shard, in tables that readers do not see. Methods throw DestinationError. */
export class MovingRows {
  readonly #shard: Shard;

  constructor(shard: Shard) {
    this.#shard = shard;
  }

  /** Creates an empty table for the rows of a table, with its columns. What an interrupted command copied there is dropped. */
  async begin(table: string): Promise<void> {
    await this.drop(table);
    await this.create(table);
  }

  /** Creates the table for the rows of a table, unless it exists. */
  async create(table: string): Promise<void> {
    await this.#shard.server.run(
      `CREATE TABLE IF NOT EXISTS ${this.#nameOf(table)} AS ${this.#shard.rowsTable(table)}`,
    );
  }

  /** Gives the rows that were copied here the columns that their table has by now. */
  async shape(table: string, schema: TableSchema): Promise<void> {
    await this.#shard.alter(MOVING + table, schema);
  }

  /** Copies the rows of a partition from another server to where readers do not see them. */
  async copy(table: string, domainId: number, partition: string, from: Shard): Promise<void> {
    const moving = this.#nameOf(table);
    await this.#shard.server.run(
      `ALTER TABLE ${moving} DROP PARTITION ${partitionValue(domainId, partition)}`,
    );
    const names = [...(await from.rowColumns(table)).keys()].map(quoteName).join(', ');
    const rows = await from.server.read(
      `SELECT ${names} FROM ${from.rowsTable(table)} WHERE ${partitionCondition(domainId, partition)} FORMAT TabSeparated`,
    );
    await this.#shard.server.insert(`INSERT INTO ${moving} (${names}) FORMAT TabSeparated`, rows);
  }

  /** The number of rows of a partition that are being moved here, and a hash of all of their cells. */
  async fingerprint(table: string, domainId: number, partition: string, isBinary: boolean): Promise<string> {
    return await this.#shard.fingerprint(table, domainId, partition, {
      isBinary,
      name: this.#nameOf(table),
    });
  }

  /** The rows that are being moved here, by partition. */
  async rows(table: string): Promise<ReadonlyMap<string, number>> {
    return await this.#shard.partRows(MOVING + table);
  }

  /** Shows a partition that was moved here to readers. */
  async show(table: string, domainId: number, partition: string): Promise<void> {
    const [moving, value] = [this.#nameOf(table), partitionValue(domainId, partition)];
    await this.#shard.server.run(
      `ALTER TABLE ${this.#shard.rowsTable(table)} REPLACE PARTITION ${value} FROM ${moving}`,
    );
    await this.#shard.removeReplaced(table);
    await this.#shard.server.run(`ALTER TABLE ${moving} DROP PARTITION ${value}`);
  }

  async drop(table: string): Promise<void> {
    await this.#shard.server.run(`DROP TABLE IF EXISTS ${this.#nameOf(table)}`);
  }

  #nameOf(table: string): string {
    return this.#shard.quoted(MOVING + table);
  }
}
