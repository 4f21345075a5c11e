import { statSync } from 'node:fs';
import { readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FileError, LockedError, UsageError } from '../../../errors/index.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { syncFolder } from '../../../files/disk-io.ts';
import { fileError, systemCode } from '../../../files/file-error.ts';
import { makeFolder } from '../../../files/folders.ts';
import { type LockMachine, lockState, withLock } from '../../../files/lock.ts';
import { NO_SCHEMA, type TableSchema } from '../../column-types.ts';
import type { SyncTable } from '../../config.ts';
import { sha256Of } from '../../control-totals.ts';
import type { Ledger, LedgerEntry } from '../../ledger.ts';
import type { Destination, PartitionFile, Replaced, RunRecord } from '../destination.ts';
import { appendLine, LedgerFile } from './ledger-file.ts';

/** The folder of gatectl's own files in a lake. */
const OWN = '_gatectl';
const TABLES = 'tables';
const SITES = 'sites';
const RUN_LOCK = 'run';
const FORMAT = 1;
/** How long to wait for another run, in milliseconds. */
const WAIT_MS = 24 * 3_600_000;
const RUNS_SHOWN = 30;

/**
 * A folder of Parquet files: one for each partition that has rows, `pages/domain_id=7/month=2026-03/data.parquet`. gatectl's own
 * files are in `_gatectl`.
 */
export class Lake implements Destination {
  readonly name: string;
  readonly encoding = 'parquet';
  readonly rewritesForTypes = true;
  readonly staging: string;
  readonly #folder: string;
  readonly #machine: LockMachine;
  readonly #ledgers = new Map<string, Promise<LedgerFile>>();
  readonly #schemas = new Map<string, TableSchema>();
  readonly #partitionNames = new Map<string, string>();
  #isExclusive = false;
  /** Types are read, changed and written one at a time. */
  #schemaTurn: Promise<unknown> = Promise.resolve();

  /** `name` is the folder as the user named it. */
  constructor(name: string, folder: string, tables: readonly SyncTable[], machine: LockMachine) {
    this.name = name;
    this.#folder = folder;
    this.#machine = machine;
    this.staging = join(folder, OWN, 'staging');
    for (const table of tables) this.#partitionNames.set(table.name, table.partition);
  }

  async check(): Promise<void> {
    let names: string[];
    try {
      names = await readdir(this.#folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return;
      throw fileError(this.name, error, 'read');
    }
    const own = await this.#readJson('lake.json');
    if (own === undefined) {
      const other = names.filter(name => name !== OWN).sort()[0];
      if (other === undefined) return;
      throw new UsageError(`${this.name} contains ${other}, which no sync wrote`, {
        code: 'invalid_input',
        hints: ['choose an empty folder, or one that does not exist'],
      });
    }
    const { format } = own as { format?: unknown };
    if (typeof format === 'number' && format > FORMAT)
      throw new FileError(`${this.name} was written by a newer version of gatectl`, {
        path: this.name,
        code: 'invalid_file',
      });
  }

  async exclusively<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value> {
    await this.#prepare();
    let isWaiting = false;
    const wait = (holder: string) => {
      if (!isWaiting) onWait(holder);
      isWaiting = true;
    };
    return await this.#locked(RUN_LOCK, wait, async () => {
      await this.#awaitSites(wait);
      this.#ledgers.clear();
      this.#schemas.clear();
      this.#isExclusive = true;
      try {
        await rm(this.staging, { recursive: true, force: true });
        await makeFolder(this.staging);
        return await work();
      } finally {
        this.#isExclusive = false;
        this.#ledgers.clear();
        await rm(this.staging, { recursive: true, force: true }).catch(() => undefined);
      }
    });
  }

  async lockSite<Value>(table: string, domainId: number, work: () => Promise<Value>): Promise<Value> {
    if (this.#isExclusive) return await work();
    await this.#prepare();
    await makeFolder(join(this.#folder, OWN, SITES));
    for (;;) {
      const done = await this.#locked(
        join(SITES, `${table}-${domainId}`),
        () => {},
        // A run waits for the sites that are locked, and a site is left to a run that has begun.
        async () => ((await this.#isRunning()) ? undefined : { value: await work() }),
      );
      await this.release(table, domainId);
      if (done !== undefined) return done.value;
      await this.#locked(
        RUN_LOCK,
        () => {},
        async () => {},
      );
    }
  }

  /** Creates gatectl's own folder. */
  async #prepare(): Promise<void> {
    await makeFolder(join(this.#folder, OWN));
    if ((await this.#readJson('lake.json')) === undefined)
      await writeAtomic(join(this.#folder, OWN, 'lake.json'), `${JSON.stringify({ format: FORMAT })}\n`);
  }

  async #locked<Value>(
    name: string,
    onWait: (holder: string) => void,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const lock = join(this.#folder, OWN, name);
    const options = { machine: this.#machine, displayPath: this.name };
    let isBegun = false;
    const once = () => {
      isBegun = true;
      return work();
    };
    try {
      return await withLock(lock, { ...options, wait: 0 }, once);
    } catch (error) {
      if (isBegun || !(error instanceof LockedError) || error.isRunning !== true) throw error;
      onWait(error.message);
      return await withLock(lock, { ...options, wait: WAIT_MS }, once);
    }
  }

  async #isRunning(): Promise<boolean> {
    return (await lockState(join(this.#folder, OWN, RUN_LOCK), this.#machine)).kind === 'held';
  }

  /** Waits until no site is locked. */
  async #awaitSites(onWait: (holder: string) => void): Promise<void> {
    const folder = join(this.#folder, OWN, SITES);
    for (const name of await readdir(folder).catch(() => []))
      if (name.endsWith('.lock') && !name.startsWith('.'))
        await this.#locked(join(SITES, name.slice(0, -'.lock'.length)), onWait, async () => {});
  }

  async ledger(table: string, domainId: number): Promise<Ledger> {
    return (await this.#ledger(table, domainId)).entries;
  }

  async schema(table: string): Promise<TableSchema> {
    const known = this.#isExclusive ? this.#schemas.get(table) : undefined;
    if (known !== undefined) return known;
    const stored = (await this.#readJson(join(TABLES, `${table}.json`))) as TableSchema | undefined;
    const schema = stored ?? NO_SCHEMA;
    this.#schemas.set(table, schema);
    return schema;
  }

  async updateSchema(
    table: string,
    change: (before: TableSchema) => TableSchema | undefined,
  ): Promise<TableSchema> {
    await makeFolder(join(this.#folder, OWN, TABLES));
    const update = async () => {
      const before = await this.schema(table);
      const schema = change(before);
      if (schema === undefined) return before;
      const path = join(this.#folder, OWN, TABLES, `${table}.json`);
      await writeAtomic(path, `${JSON.stringify(schema, undefined, 1)}\n`);
      this.#schemas.set(table, schema);
      return schema;
    };
    const turn = () => (this.#isExclusive ? update() : this.#locked(join(TABLES, table), () => {}, update));
    const next = this.#schemaTurn.then(turn, turn);
    this.#schemaTurn = next.catch(() => undefined);
    return await next;
  }

  async replace(file: PartitionFile, before: LedgerEntry | undefined): Promise<Replaced> {
    const { table, domain, path, entry } = file;
    const ledger = await this.#ledger(table.name, domain.id);
    const target = this.#pathOf(table.name, domain.id, entry.partition);
    const isSame =
      before !== undefined &&
      before.sha256 === entry.sha256 &&
      (await this.#holds(table.name, domain.id, before));
    if (!isSame) {
      if (before !== undefined) await ledger.beginReplacing(entry.partition);
      if (path === undefined) await removeFile(target);
      else await moveFile(path, target);
    }
    await ledger.set(entry);
    if (isSame) return 'unchanged';
    return before === undefined ? 'added' : before.sha256 === entry.sha256 ? 'unchanged' : 'changed';
  }

  isIntact(table: string, domainId: number, { partition, bytes, sha256 }: LedgerEntry): boolean {
    const stats = statSync(this.#pathOf(table, domainId, partition), { throwIfNoEntry: false });
    return sha256 === null ? stats === undefined : stats?.size === bytes;
  }

  /** Whether the file of a partition has the content of its entry. A file that cannot be read does not. */
  async #holds(table: string, domainId: number, entry: LedgerEntry): Promise<boolean> {
    if (!this.isIntact(table, domainId, entry)) return false;
    if (entry.sha256 === null) return true;
    const path = this.#pathOf(table, domainId, entry.partition);
    return (await sha256Of(path).catch(() => undefined)) === entry.sha256;
  }

  async problemWith(table: string, domainId: number, entry: LedgerEntry): Promise<string | undefined> {
    const path = this.#pathOf(table, domainId, entry.partition);
    if (this.isIntact(table, domainId, entry))
      return entry.sha256 === null || (await sha256Of(path)) === entry.sha256
        ? undefined
        : 'its file was changed';
    if (entry.sha256 === null) return 'it has a file, although it has no rows';
    const exists = statSync(path, { throwIfNoEntry: false }) !== undefined;
    return exists ? 'its file was changed' : 'its file is missing';
  }

  async domainIds(table: string): Promise<readonly number[]> {
    const names = await readdir(join(this.#folder, OWN, 'ledger', table)).catch(() => []);
    return names
      .flatMap(name => /^(\d+)\.ndjson$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((one, other) => one - other);
  }

  async release(table: string, domainId: number): Promise<void> {
    this.#ledgers.delete(`${table}/${domainId}`);
  }

  async addRun(run: RunRecord): Promise<void> {
    await appendLine(join(this.#folder, OWN, 'runs.ndjson'), run);
  }

  async runs(): Promise<readonly RunRecord[]> {
    const text = await readFile(join(this.#folder, OWN, 'runs.ndjson'), 'utf8').catch(() => '');
    const lines = text.split('\n').slice(0, -1);
    return lines
      .slice(-RUNS_SHOWN)
      .reverse()
      .map(line => JSON.parse(line) as RunRecord);
  }

  async close(): Promise<void> {}

  /** The file of a partition. */
  #pathOf(table: string, domainId: number, partition: string): string {
    const size = this.#partitionNames.get(table) ?? 'month';
    return join(this.#folder, table, `domain_id=${domainId}`, `${size}=${partition}`, 'data.parquet');
  }

  #ledger(table: string, domainId: number): Promise<LedgerFile> {
    const key = `${table}/${domainId}`;
    const known = this.#ledgers.get(key);
    if (known !== undefined) return known;
    const opened = LedgerFile.open(join(this.#folder, OWN, 'ledger', table, `${domainId}.ndjson`));
    this.#ledgers.set(key, opened);
    return opened;
  }

  async #readJson(name: string): Promise<unknown> {
    const path = join(this.#folder, OWN, name);
    try {
      return JSON.parse(await readFile(path, 'utf8'));
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
      if (error instanceof SyntaxError)
        throw new FileError(`${path} is damaged`, { path, cause: error, code: 'invalid_file' });
      throw fileError(path, error, 'read');
    }
  }
}

async function moveFile(from: string, to: string): Promise<void> {
  await makeFolder(dirname(to));
  try {
    await rename(from, to);
  } catch (error) {
    throw fileError(to, error, 'write');
  }
  await syncFolder(dirname(to));
}

async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fileError(path, error, 'write');
    return;
  }
  await syncFolder(dirname(path));
}
