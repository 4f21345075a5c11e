import { createHash, randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rm } from '../../../files/disk.ts';
import { makeFolder } from '../../../files/folders.ts';
import type { LockMachine } from '../../../files/lock.ts';
import type { Bucket } from '../../../objects/bucket.ts';
import { type LockTiming, ObjectLocks } from '../../../objects/object-locks.ts';
import type { LedgerEntry } from '../../ledger.ts';
import type { DestinationCheck } from '../checks.ts';
import { Turns } from '../turns.ts';
import { bucketChecks } from './bucket-checks.ts';
import type { LakeStore, LedgerLog, StoredFile } from './lake-store.ts';
import { parseLedger, printLedger } from './ledger-file.ts';

/** A file of a partition, and the folder of its site. */
const DATA_FILE = /^([^/]+\/domain_id=\d+)\/([^/]+\/data\.parquet)$/;
/** A ledger is written after this many changes, or this many milliseconds after the first, and when it is released. */
const MOST_CHANGES = 64;
const MOST_MS = 5_000;
/** Appending to an object means writing it again: earlier lines are dropped. */
const MOST_LINES = 1_000;

/**
 * The files of a lake in a bucket. A ledger is an object that is replaced after the objects it describes; that an object has changed
 * without its ledger shows in its ETag.
 */
export class BucketStore implements LakeStore {
  readonly name: string;
  readonly removeCommand = 'aws s3 rm';
  readonly emptyPlace = 'an empty prefix: s3://BUCKET/PREFIX';
  readonly staging: string;
  readonly locks: ObjectLocks;
  readonly #bucket: Bucket;
  readonly #now: () => number;
  /** Tables that were listed; by the folder of a site, a line for each file. */
  readonly #tables = new Map<string, Promise<Map<string, string>>>();
  /** The files of the prepared sites, by folder and the rest of the key. */
  readonly #sites = new Map<string, Map<string, StoredFile>>();
  /** Ledgers that are being written. */
  readonly #writing = new Map<string, Promise<void>>();
  /** Whether this process writes single sites, so that it lists these only. */
  #isWorker = false;

  constructor(bucket: Bucket, machine: LockMachine, timing?: LockTiming) {
    this.name = bucket.name;
    this.#bucket = bucket;
    this.locks = new ObjectLocks(bucket, machine, timing);
    this.#now = machine.now;
    this.staging = join(tmpdir(), `gatectl-sync-${randomBytes(6).toString('hex')}`);
  }

  async check(): Promise<void> {}

  async diagnose(): Promise<readonly DestinationCheck[]> {
    return await bucketChecks(this.#bucket, { now: this.#now, staging: tmpdir() });
  }

  async foreignName(own: string): Promise<string | undefined> {
    const names = await this.#bucket.names('');
    return names.map(name => name.replace(/\/$/, '')).find(name => name !== own && name !== '');
  }

  async read(key: string): Promise<string | undefined> {
    return await this.#bucket.read(key);
  }

  async write(key: string, text: string): Promise<void> {
    await this.locks.assertHeld();
    await this.#bucket.write(key, text);
  }

  async appendLine(key: string, line: object): Promise<void> {
    const lines = ((await this.#bucket.read(key)) ?? '').split('\n').slice(0, -1);
    const kept = [...lines.slice(1 - MOST_LINES), JSON.stringify(line)];
    await this.write(key, kept.map(each => `${each}\n`).join(''));
  }

  async names(folder: string): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const { objects } of this.#bucket.list(`${folder}/`))
      names.push(...objects.map(({ key }) => key.slice(folder.length + 1)));
    return names;
  }

  async *files(folder: string): AsyncGenerator<string> {
    for await (const { objects } of this.#bucket.list(`${folder}/`)) for (const { key } of objects) yield key;
  }

  async prepare(folder: string): Promise<void> {
    if (this.#sites.has(folder)) return;
    const lines = this.#isWorker
      ? await this.#listed(`${folder}/`)
      : await this.#table(folder.slice(0, folder.indexOf('/')));
    const files = (lines.get(folder) ?? '').split('\n').slice(0, -1);
    this.#sites.set(
      folder,
      new Map(
        files.map(file => {
          const [name = '', bytes, etag] = file.split('\t');
          return [name, { bytes: Number(bytes), etag }];
        }),
      ),
    );
  }

  find(key: string): StoredFile | undefined {
    const { site, name } = this.#placeOf(key);
    return site?.get(name);
  }

  release(folder: string): void {
    const site = this.#sites.get(folder);
    this.#sites.delete(folder);
    if (site === undefined || this.#isWorker) return;
    const text = [...site].map(([name, { bytes, etag }]) => lineOf(name, bytes, etag ?? '')).join('');
    const keep = (lines: Map<string, string>) => lines.set(folder, text);
    this.#tables.get(folder.slice(0, folder.indexOf('/')))?.then(keep, () => undefined);
  }

  async put(path: string, key: string): Promise<StoredFile> {
    await this.locks.assertHeld();
    const stored = await this.#bucket.upload(path, key);
    const { site, name } = this.#placeOf(key);
    site?.set(name, stored);
    // What remains is removed with the folder.
    await rm(path, { force: true }).catch(() => undefined);
    return stored;
  }

  async remove(key: string): Promise<void> {
    const { site, name } = this.#placeOf(key);
    if (site?.has(name) === false) return;
    await this.locks.assertHeld();
    await this.#bucket.remove(key);
    site?.delete(name);
  }

  async sha256(key: string): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of this.#bucket.bytes(key)) hash.update(chunk);
    return hash.digest('hex');
  }

  async ledger(key: string): Promise<LedgerLog> {
    await this.#writing.get(key);
    const { entries } = parseLedger((await this.#bucket.read(key)) ?? '', this.#bucket.nameOf(key));
    const write = async (text: string) => {
      await this.locks.assertHeld();
      await this.#bucket.write(key, text, { always: true });
    };
    return new LedgerObject(entries, this.#now, text => {
      const writing = write(text);
      const settled = writing.catch(() => undefined);
      this.#writing.set(key, settled);
      settled.finally(() => {
        if (this.#writing.get(key) === settled) this.#writing.delete(key);
      });
      return writing;
    });
  }

  async begin(isExclusive: boolean): Promise<void> {
    this.#isWorker = !isExclusive;
    this.#tables.clear();
    if (isExclusive) this.#sites.clear();
    await makeFolder(this.staging, 0o700);
    if (!isExclusive) return;
    // No other process writes now, so these are of processes that were killed.
    for (const { key, id } of (await this.#bucket.unfinishedUploads('')) ?? [])
      if (DATA_FILE.test(key)) await this.#bucket.abortUpload(key, id);
  }

  async end(): Promise<void> {
    this.#tables.clear();
    this.#sites.clear();
    await rm(this.staging, { recursive: true, force: true }).catch(() => undefined);
  }

  async close(): Promise<void> {
    await rm(this.staging, { recursive: true, force: true }).catch(() => undefined);
    await this.#bucket.close();
  }

  /** Where the file of a partition is listed; without `site` for a file that is of no partition. */
  #placeOf(key: string): { readonly site: Map<string, StoredFile> | undefined; readonly name: string } {
    const [, folder, name = ''] = DATA_FILE.exec(key) ?? [];
    const site = folder === undefined ? undefined : this.#sites.get(folder);
    if (folder !== undefined && site === undefined) throw new TypeError(`${key} is not of a prepared site`);
    return { site, name };
  }

  /** One listing for all sites of a table. */
  #table(table: string): Promise<Map<string, string>> {
    const known = this.#tables.get(table);
    if (known !== undefined) return known;
    const listed = this.#listed(`${table}/`);
    this.#tables.set(table, listed);
    return listed;
  }

  /** A million partitions fit into memory as lines, not as objects. */
  async #listed(prefix: string): Promise<Map<string, string>> {
    const lines = new Map<string, string>();
    for await (const { objects } of this.#bucket.list(prefix))
      for (const { key, bytes, etag } of objects) {
        const [, folder, name] = DATA_FILE.exec(key) ?? [];
        if (folder === undefined || name === undefined) continue;
        lines.set(folder, (lines.get(folder) ?? '') + lineOf(name, bytes, etag));
      }
    return lines;
  }
}

function lineOf(name: string, bytes: number, etag: string): string {
  return `${name}\t${bytes}\t${etag}\n`;
}

/** A ledger that is written as a whole, after several changes. */
class LedgerObject implements LedgerLog {
  readonly entries: Map<string, LedgerEntry>;
  readonly #now: () => number;
  readonly #write: (text: string) => Promise<void>;
  #changes = 0;
  #since = 0;
  readonly #turns = new Turns();

  constructor(entries: Map<string, LedgerEntry>, now: () => number, write: (text: string) => Promise<void>) {
    this.entries = entries;
    this.#now = now;
    this.#write = write;
  }

  /** The ETag of the object shows whether its entry followed. */
  async beginReplacing(): Promise<void> {}

  async set(entry: LedgerEntry): Promise<void> {
    this.entries.set(entry.partition, entry);
    if (this.#changes === 0) this.#since = this.#now();
    this.#changes += 1;
    if (this.#changes >= MOST_CHANGES || this.#now() - this.#since >= MOST_MS) await this.flush();
  }

  async flush(): Promise<void> {
    await this.#turns.run(async () => {
      const changes = this.#changes;
      if (changes === 0) return;
      const sorted = [...this.entries].sort(([one], [other]) => (one < other ? -1 : 1));
      await this.#write(printLedger(new Map(sorted)));
      this.#changes -= changes;
    });
  }
}
