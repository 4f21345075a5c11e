import { FileError, UsageError } from '../../../errors/index.ts';
import { NO_SCHEMA, type TableSchema } from '../../column-types.ts';
import type { SyncTable } from '../../config.ts';
import { Quarantine } from '../../contracts/quarantine.ts';
import type { Ledger, LedgerEntry, Superseded } from '../../ledger.ts';
import type { DestinationCheck } from '../checks.ts';
import {
  type Destination,
  outcomeOf,
  type PartitionFile,
  type PartitionVersion,
  type Replaced,
  RUNS_SHOWN,
  type RunRecord,
  type Stray,
} from '../destination.ts';
import { RunLocks } from '../run-locks.ts';
import { Turns } from '../turns.ts';
import { readVersions, storeVersion, validFromOf, versionsInForce } from './history.ts';
import { type LakeStore, type LedgerLog, OWN } from './lake-store.ts';
import { parseMarker, parseSchema } from './own-files.ts';
import { strayFiles } from './strays.ts';

const TABLES = `${OWN}/tables`;
const MARKER = `${OWN}/lake.json`;
const RUNS = `${OWN}/runs.ndjson`;
const FORMAT = 1;
/** The record of the superseded versions of a site in a table. */
const historyKey = (table: string, domainId: number) => `${OWN}/history/${table}/${domainId}.ndjson`;

/**
 * Parquet files in a folder or a bucket: one for each partition that has rows, `pages/domain_id=7/month=2026-03/data.parquet`.
 * gatectl's own files are in `_gatectl`.
 */
export class Lake implements Destination {
  readonly name: string;
  readonly encoding = 'parquet';
  readonly rewritesForTypes = true;
  readonly staging: string;
  readonly quarantine: Quarantine;
  readonly #store: LakeStore;
  readonly #locks: RunLocks;
  readonly #ledgers = new Map<string, Promise<LedgerLog>>();
  readonly #schemas = new Map<string, TableSchema>();
  readonly #partitionNames = new Map<string, string>();
  #isExclusive = false;
  /** Types are read, changed and written one at a time. */
  readonly #schemaTurns = new Turns();

  constructor(store: LakeStore, tables: readonly SyncTable[]) {
    this.name = store.name;
    this.staging = store.staging;
    this.quarantine = new Quarantine(store, `${OWN}/quarantine`);
    this.#store = store;
    this.#locks = new RunLocks(store.locks, OWN, [TABLES]);
    for (const table of tables) this.#partitionNames.set(table.name, table.partition);
  }

  async check(): Promise<void> {
    await this.#store.check();
    const format = await this.#format();
    if (format === undefined) {
      const other = await this.#store.foreignName(OWN);
      // Another process may have begun the lake in between, with its marker.
      if (other === undefined || (await this.#format()) !== undefined) return;
      throw new UsageError(`${this.name} contains ${other}, which no sync wrote`, {
        code: 'invalid_input',
        hints: [`choose ${this.#store.emptyPlace}`],
      });
    }
    if (format > FORMAT)
      throw new FileError(`${this.name} was written by a newer version of gatectl`, {
        path: this.name,
        code: 'newer_version',
      });
  }

  async diagnose(): Promise<readonly DestinationCheck[]> {
    return (await this.#store.diagnose?.()) ?? [];
  }

  async exclusively<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value> {
    await this.#prepare();
    return await this.#locks.run(onWait, async () => {
      this.#ledgers.clear();
      this.#schemas.clear();
      this.#isExclusive = true;
      try {
        await this.#store.begin(true);
        const value = await work();
        await this.#flush();
        return value;
      } finally {
        this.#isExclusive = false;
        // After an error, whose cause matters more, what was written is recorded where that is possible.
        await this.#flush().catch(() => undefined);
        this.#ledgers.clear();
        await this.#store.end();
      }
    });
  }

  async lockSite<Value>(table: string, domainId: number, work: () => Promise<Value>): Promise<Value> {
    if (this.#isExclusive) return await work();
    await this.#prepare();
    await this.#store.begin(false);
    return await this.#locks.site(table, domainId, async () => {
      // What was read before may have changed.
      this.#ledgers.delete(`${table}/${domainId}`);
      try {
        return await work();
      } finally {
        await this.release(table, domainId);
      }
    });
  }

  async #prepare(): Promise<void> {
    if ((await this.#format()) === undefined)
      await this.#store.write(MARKER, `${JSON.stringify({ format: FORMAT })}\n`);
  }

  async ledger(table: string, domainId: number): Promise<Ledger> {
    return (await this.#ledger(table, domainId)).entries;
  }

  async unfinished(table: string, domainId: number): Promise<ReadonlyMap<string, Partial<Superseded>>> {
    return (await this.#ledger(table, domainId)).replacing ?? new Map();
  }

  async schema(table: string): Promise<TableSchema> {
    const known = this.#isExclusive ? this.#schemas.get(table) : undefined;
    if (known !== undefined) return known;
    const schema = (await this.#parsed(`${TABLES}/${table}.json`, parseSchema)) ?? NO_SCHEMA;
    this.#schemas.set(table, schema);
    return schema;
  }

  async updateSchema(
    table: string,
    change: (before: TableSchema) => TableSchema | undefined,
  ): Promise<TableSchema> {
    const update = async () => {
      const before = await this.schema(table);
      const schema = change(before);
      if (schema === undefined) return before;
      await this.#store.write(`${TABLES}/${table}.json`, `${JSON.stringify(schema, undefined, 1)}\n`);
      this.#schemas.set(table, schema);
      return schema;
    };
    return await this.#schemaTurns.run(() =>
      this.#isExclusive ? update() : this.#store.locks.hold(`${TABLES}/${table}`, () => {}, update),
    );
  }

  async replace(file: PartitionFile, before: LedgerEntry | undefined): Promise<Replaced> {
    const { table, domain, path, entry } = file;
    const ledger = await this.#ledger(table.name, domain.id);
    const key = this.#keyOf(table.name, domain.id, entry.partition);
    const isSame =
      before !== undefined &&
      before.sha256 === entry.sha256 &&
      (await this.#holds(table.name, domain.id, before));
    let etag = isSame ? this.#store.find(key)?.etag : undefined;
    if (!isSame) {
      if (before !== undefined && before.sha256 !== entry.sha256 && table.history === true) {
        const isIntact = await this.#holds(table.name, domain.id, before);
        const record = historyKey(table.name, domain.id);
        await storeVersion(this.#store, { record, file: key, isIntact }, before);
      }
      // Again, if a process began it that was killed: its line may not be on the disk.
      const superseded = before ?? ledger.replacing?.get(entry.partition);
      if (superseded !== undefined)
        await ledger.beginReplacing({ ...superseded, partition: entry.partition });
      if (path === undefined) await this.#store.remove(key);
      else ({ etag } = await this.#store.put(path, key));
    }
    await ledger.set(etag === undefined ? entry : { ...entry, etag });
    return outcomeOf(before, entry);
  }

  isIntact(table: string, domainId: number, { partition, bytes, sha256, etag }: LedgerEntry): boolean {
    const found = this.#store.find(this.#keyOf(table, domainId, partition));
    if (sha256 === null || found === undefined) return sha256 === null && found === undefined;
    // A lake that was copied between a folder and a bucket has other ETags, or none.
    return found.bytes === bytes && (found.etag === undefined || etag === undefined || found.etag === etag);
  }

  /** Whether the file of a partition has the content of its entry. A file that cannot be read does not. */
  async #holds(table: string, domainId: number, entry: LedgerEntry): Promise<boolean> {
    if (!this.isIntact(table, domainId, entry)) return false;
    const key = this.#keyOf(table, domainId, entry.partition);
    const hasEtag = entry.etag !== undefined && this.#store.find(key)?.etag !== undefined;
    if (entry.sha256 === null || hasEtag) return true;
    return (await this.#store.sha256(key).catch(() => undefined)) === entry.sha256;
  }

  async problemWith(table: string, domainId: number, entry: LedgerEntry): Promise<string | undefined> {
    const key = this.#keyOf(table, domainId, entry.partition);
    if (this.isIntact(table, domainId, entry))
      return entry.sha256 === null || (await this.#store.sha256(key)) === entry.sha256
        ? undefined
        : 'its file was changed';
    if (entry.sha256 === null) return 'it has a file, although it has no rows';
    return this.#store.find(key) === undefined ? 'its file is missing' : 'its file was changed';
  }

  async strays(table: SyncTable): Promise<readonly Stray[]> {
    return await strayFiles(this.#store, table, async domainId => {
      const entries = await this.ledger(table.name, domainId);
      await this.release(table.name, domainId);
      return entries;
    });
  }

  async domainIds(table: string): Promise<readonly number[]> {
    const names = await this.#store.names(`${OWN}/ledger/${table}`);
    return names
      .flatMap(name => /^(\d+)\.ndjson$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((one, other) => one - other);
  }

  async *versionsAt(table: string, time: number): AsyncGenerator<PartitionVersion> {
    for (const domainId of await this.domainIds(table)) {
      const versions = [...readVersions((await this.#store.read(historyKey(table, domainId))) ?? '')];
      for (const entry of (await this.ledger(table, domainId)).values()) {
        const { partition, domain, rows, sha256 } = entry;
        const path = sha256 === null ? null : this.#keyOf(table, domainId, partition);
        const validFrom = validFromOf(entry);
        // A run that was killed before it replaced the file has recorded a version that is still in force.
        const known = versions.findIndex(
          each => each.partition === partition && each.validFrom === validFrom,
        );
        if (known >= 0) versions.splice(known, 1);
        versions.push({ partition, domain, rows, validFrom, path });
      }
      await this.release(table, domainId);
      for (const { version, validTo } of versionsInForce(versions, time)) {
        const { partition, domain, rows, validFrom, path } = version;
        const file = path === null ? undefined : this.#store.pathOf?.(path);
        yield { partition, domain, domainId, rows, validFrom, validTo, path: file };
      }
    }
  }

  async release(table: string, domainId: number): Promise<void> {
    const key = `${table}/${domainId}`;
    const ledger = this.#ledgers.get(key);
    this.#ledgers.delete(key);
    await (await ledger?.catch(() => undefined))?.flush();
    this.#store.release(this.#folderOf(table, domainId));
  }

  async addRun(run: RunRecord): Promise<void> {
    await this.#store.appendLine(RUNS, run);
  }

  async runs(): Promise<readonly RunRecord[]> {
    const text = (await this.#store.read(RUNS)) ?? '';
    const runs = text.split('\n').flatMap(line => {
      try {
        return [JSON.parse(line) as RunRecord];
      } catch {
        // A line that a full disk cut off.
        return [];
      }
    });
    return runs.slice(-RUNS_SHOWN).reverse();
  }

  async close(): Promise<void> {
    await this.#store.close();
  }

  async #flush(): Promise<void> {
    for (const ledger of this.#ledgers.values()) await (await ledger.catch(() => undefined))?.flush();
  }

  #folderOf(table: string, domainId: number): string {
    return `${table}/domain_id=${domainId}`;
  }

  /** The file of a partition. */
  #keyOf(table: string, domainId: number, partition: string): string {
    const size = this.#partitionNames.get(table) ?? 'month';
    return `${this.#folderOf(table, domainId)}/${size}=${partition}/data.parquet`;
  }

  #ledger(table: string, domainId: number): Promise<LedgerLog> {
    const key = `${table}/${domainId}`;
    const known = this.#ledgers.get(key);
    if (known !== undefined) return known;
    const open = async () => {
      await this.#store.prepare(this.#folderOf(table, domainId));
      return await this.#store.ledger(`${OWN}/ledger/${key}.ndjson`);
    };
    const opened = open();
    this.#ledgers.set(key, opened);
    return opened;
  }

  /** Undefined in a folder in which no sync has written. */
  async #format(): Promise<number | undefined> {
    return await this.#parsed(MARKER, parseMarker);
  }

  async #parsed<Value>(
    key: string,
    parse: (text: string, path: string) => Value,
  ): Promise<Value | undefined> {
    const text = await this.#store.read(key);
    return text === undefined ? undefined : parse(text, this.#store.pathOf?.(key) ?? `${this.name}/${key}`);
  }
}
