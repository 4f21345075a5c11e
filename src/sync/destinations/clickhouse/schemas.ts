import { UsageError } from '../../../errors/index.ts';
import { NO_SCHEMA, type TableSchema } from '../../column-types.ts';
import type { SyncTable } from '../../config.ts';
import { Turns } from '../turns.ts';
import type { Shard } from './shard.ts';
import type { Shards } from './shards.ts';
import type { SharedState } from './shared-state.ts';

/** The column types of the tables of a sync, and the tables that have them. Methods throw DestinationError. */
export class Schemas {
  readonly #state: SharedState;
  readonly #shards: Shards;
  readonly #tables: readonly SyncTable[];
  readonly #known = new Map<string, TableSchema>();
  /** Schemas are read, changed and written one at a time. */
  readonly #turns = new Turns();

  constructor(state: SharedState, shards: Shards, tables: readonly SyncTable[]) {
    this.#state = state;
    this.#shards = shards;
    this.#tables = tables;
  }

  isRecorded(table: string): boolean {
    return this.#state.get('schema', table) !== undefined;
  }

  /** The tables that have columns in this database, also those of other sync files. */
  get recorded(): readonly string[] {
    return this.#state.ofKind('schema').map(({ name }) => name);
  }

  of(table: string): TableSchema {
    const known = this.#known.get(table);
    if (known !== undefined) return known;
    const stored = this.#state.get('schema', table);
    const schema = stored === undefined ? NO_SCHEMA : (JSON.parse(stored) as TableSchema);
    this.#known.set(table, schema);
    return schema;
  }

  /** Changes the column types of a table, as `Destination.updateSchema` does. Throws UnrepresentableValueError, too. */
  async update(
    table: string,
    change: (before: TableSchema) => TableSchema | undefined,
  ): Promise<TableSchema> {
    return await this.#turns.run(async () => {
      // Types only become wider: what is wide enough for the known ones is so for those of other processes.
      const known = this.of(table);
      if (known.version > 0 && change(known) === undefined) return known;
      return await this.#locked(table, () => this.#change(table, change));
    });
  }

  /** Runs `work` while no other machine changes the columns of a table: the first shard has the lock. */
  #locked<Value>(table: string, work: () => Promise<Value>): Promise<Value> {
    return this.#shards.onFirst(shard => shard.own.locked(table, work));
  }

  async #change(
    table: string,
    change: (before: TableSchema) => TableSchema | undefined,
  ): Promise<TableSchema> {
    await this.#state.read(['schema']);
    this.#known.delete(table);
    const before = this.of(table);
    const schema = change(before);
    if (schema === undefined) return before;
    requireNames(schema);
    await this.#shards.onAll(shard => shard.stagings.reset(table));
    // The tables first: what is recorded exists.
    if (before.version === 0) await this.#write(table, { ...schema, columns: [] });
    await this.#shape(table, schema);
    await this.#write(table, schema);
    this.#known.set(table, schema);
    return schema;
  }

  async #write(table: string, schema: TableSchema): Promise<void> {
    await this.#state.write('schema', table, JSON.stringify(schema));
  }

  /** Gives a table its recorded columns where it lacks them: on a shard that was down, or after an interrupted change. */
  async repair(table: string): Promise<void> {
    const recorded = this.of(table);
    if (recorded.columns.length === 0) return;
    if (await this.#shards.isEachReplica(replica => replica.isShaped(table, recorded))) return;
    await this.#locked(table, async () => {
      await this.#state.read(['schema']);
      this.#known.delete(table);
      // The values of a column that somebody dropped, or of one that was added while the shard was down, are requested again.
      await this.#shards.onAll(async shard => {
        if (await shard.lacksColumns(table, this.of(table))) await shard.own.invalidate(table);
      });
      await this.#shape(table, this.of(table));
    });
  }

  /** Gives a table the columns of a schema on each shard, and creates it where it is missing. */
  async #shape(table: string, schema: TableSchema): Promise<void> {
    const size = schema.partition ?? this.#tables.find(({ name }) => name === table)?.partition ?? 'month';
    const exists = (shard: Shard) => shard.exists(table);
    if (!(await this.#shards.isEachReplica(exists)))
      await this.#shards.change(shard => shard.creation(table, schema, size), exists);
    await this.#shards.onAll(shard => shard.shapeRows(table, schema));
    const columns = await this.#shards.onFirst(shard => shard.rowColumns(table));
    await this.#shards.onReplicas(replica => replica.shapeDistributed(table, columns));
    await this.#shards.change(
      () => [],
      shard => shard.isShaped(table, schema),
    );
  }

  forget(): void {
    this.#known.clear();
  }
}

/** Columns that every table has, whose values queries get in place of those of a column of the same name. */
const VIRTUAL = /^_(?:part|sample_factor|table|database|shard_num|block|row_exists|disk_name|distance)/;

/** Throws UsageError for a name that a column cannot have. */
function requireNames({ columns }: TableSchema): void {
  const virtual = columns.find(({ name }) => VIRTUAL.test(name));
  if (virtual === undefined) return;
  throw new UsageError(`ClickHouse has a column ${virtual.name} of its own in each table`, {
    code: 'invalid_input',
    hints: ['omit the column, or choose another destination'],
  });
}
