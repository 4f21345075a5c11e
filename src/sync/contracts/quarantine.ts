import { dirname, extname } from 'node:path';
import type { Day } from '../../apis/bda/days.ts';
import { FileError } from '../../errors/index.ts';
import { atomically } from '../../files/atomic-file.ts';
import { makeFolder } from '../../files/folders.ts';
import { storedObject } from '../../json/stored.ts';
import type { LakeStore } from '../destinations/lake/lake-store.ts';
import type { Ledger } from '../ledger.ts';
import { completeFile } from '../rows/row-file.ts';

/** A partition that was not replaced, and why. */
interface QuarantinedPartition {
  readonly partition: string;
  readonly domain: string;
  readonly domainId: number;
  readonly from: Day;
  readonly to: Day;
  /** When it was first set aside since it was last replaced, in RFC 3339. */
  readonly quarantinedAt: string;
  /** When it was last requested. */
  readonly triedAt: string;
  readonly rows: number;
  readonly problems: readonly string[];
}

/** The record of a partition, which is written after its rows. */
const RECORD = 'record.json';

/** Where the rows are kept aside that a destination did not get: a folder or a bucket. Methods throw FileError. */
export class Quarantine {
  readonly #store: LakeStore;
  readonly #folder: string;
  /** The files of each table, by the folder of their partition. */
  readonly #tables = new Map<string, Promise<Map<string, string[]>>>();

  /** `folder` is relative to the store. */
  constructor(store: LakeStore, folder: string) {
    this.#store = store;
    this.#folder = folder;
  }

  /**
   * Keeps the rows of a partition aside, in place of earlier ones. `path` is their file, undefined without rows. `replacedAt` is when the
   * partition was last replaced.
   */
  async keep(
    table: string,
    tried: Omit<QuarantinedPartition, 'quarantinedAt'>,
    {
      path,
      columns,
      replacedAt = '',
    }: {
      readonly path: string | undefined;
      readonly columns: readonly string[];
      readonly replacedAt: string | undefined;
    },
  ): Promise<void> {
    const earlier = await this.#earlier(table, tried);
    const since = earlier !== undefined && earlier.triedAt >= replacedAt ? earlier.quarantinedAt : undefined;
    const record: QuarantinedPartition = { ...tried, quarantinedAt: since ?? tried.triedAt };
    const folder = this.#folderOf(table, record.domainId, record.partition);
    const files = (await this.#files(table)).get(folder) ?? [];
    if (path === undefined) for (const key of files) await this.#store.remove(key);
    const keys = [`${folder}/${RECORD}`];
    if (path !== undefined) {
      const key = `${folder}/rows${extname(path)}`;
      const target = this.#store.pathOf?.(key) ?? `${path}.kept`;
      await makeFolder(dirname(target));
      await atomically(target, async file => {
        for await (const chunk of completeFile(path, columns)) await file.write(chunk);
      });
      if (this.#store.pathOf === undefined) await this.#store.put(target, key);
      keys.push(key);
    }
    await this.#store.write(`${folder}/${RECORD}`, `${JSON.stringify(record, undefined, 1)}\n`);
    (await this.#files(table)).set(folder, keys);
  }

  /** What was kept of a partition before; undefined for nothing, or what is damaged. */
  async #earlier(
    table: string,
    { domainId, partition }: Pick<QuarantinedPartition, 'domainId' | 'partition'>,
  ): Promise<QuarantinedPartition | undefined> {
    const key = `${this.#folderOf(table, domainId, partition)}/${RECORD}`;
    const text = await this.#store.read(key);
    try {
      return text === undefined ? undefined : parseQuarantined(text, this.#nameOf(key));
    } catch {
      return undefined;
    }
  }

  /** Whether a partition is kept, by whichever process. */
  async has(table: string, domainId: number, partition: string): Promise<boolean> {
    const key = `${this.#folderOf(table, domainId, partition)}/${RECORD}`;
    return (await this.#store.read(key)) !== undefined;
  }

  /** Removes what is kept of a partition that was replaced. */
  async release(table: string, domainId: number, partition: string): Promise<void> {
    const folder = this.#folderOf(table, domainId, partition);
    const files = await this.#files(table);
    for (const key of files.get(folder) ?? []) await this.#store.remove(key);
    files.delete(folder);
  }

  /** The partitions of a site that were kept when this process first looked, or are since, by itself. */
  async partitions(table: string, domainId: number): Promise<ReadonlySet<string>> {
    const prefix = this.#folderOf(table, domainId, '');
    const folders = [...(await this.#files(table)).keys()].filter(folder => folder.startsWith(prefix));
    return new Set(folders.map(folder => folder.slice(prefix.length)));
  }

  /**
   * The partitions of a table that are kept, each with the file of its rows. One that was replaced later, by a process that was killed
   * before it removed what was kept, is left out.
   */
  async list(
    table: string,
    ledgerOf: (domainId: number) => Promise<Ledger>,
  ): Promise<readonly (QuarantinedPartition & { readonly path: string | undefined })[]> {
    const found: (QuarantinedPartition & { path: string | undefined })[] = [];
    for (const [folder, keys] of await this.#listed(table)) {
      const text = await this.#store.read(`${folder}/${RECORD}`);
      // A process was killed before it wrote the record, or another one has removed it.
      if (text === undefined) continue;
      const record = parseQuarantined(text, this.#nameOf(`${folder}/${RECORD}`));
      const entry = (await ledgerOf(record.domainId)).get(record.partition);
      if (entry !== undefined && entry.fetchedAt > record.triedAt) continue;
      const rows = record.rows === 0 ? undefined : keys.find(key => !key.endsWith(`/${RECORD}`));
      found.push({ ...record, path: rows && this.#nameOf(rows) });
    }
    return found;
  }

  #folderOf(table: string, domainId: number, partition: string): string {
    return `${this.#folder}/${table}/domain_id=${domainId}/${partition}`;
  }

  #nameOf(key: string): string {
    return this.#store.pathOf?.(key) ?? `${this.#store.name}/${key}`;
  }

  #files(table: string): Promise<Map<string, string[]>> {
    const known = this.#tables.get(table);
    if (known !== undefined) return known;
    const listing = this.#listed(table);
    this.#tables.set(table, listing);
    return listing;
  }

  async #listed(table: string): Promise<Map<string, string[]>> {
    const folders = new Map<string, string[]>();
    for await (const key of this.#store.files(`${this.#folder}/${table}`)) {
      const folder = key.slice(0, key.lastIndexOf('/'));
      folders.set(folder, [...(folders.get(folder) ?? []), key].sort());
    }
    return folders;
  }
}

/** Reads the record of a partition. Throws FileError for a damaged one. */
export function parseQuarantined(text: string, path: string): QuarantinedPartition {
  const record = storedObject(text) as unknown as QuarantinedPartition;
  const { partition, domainId, quarantinedAt, triedAt = quarantinedAt, problems } = record;
  const isIntact =
    typeof partition === 'string' &&
    Number.isSafeInteger(domainId) &&
    typeof quarantinedAt === 'string' &&
    typeof triedAt === 'string' &&
    Array.isArray(problems);
  if (isIntact) return { ...record, triedAt };
  throw new FileError(`${path} is damaged; without it, the next run writes it again`, { path });
}
