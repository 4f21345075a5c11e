import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { FileError } from '../../errors/index.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { makeFolder } from '../../files/folders.ts';
import { readText } from '../../files/text-source.ts';

const VERSION = 1;

/** Owner of a cached listing: keys differ in the domains that they can access. */
interface CacheOwner {
  /** The gateway's root. */
  readonly baseUrl: string;
  readonly profile: string | undefined;
}

/** A cached column. */
export interface KnownColumn {
  readonly name: string;
  readonly type?: string;
  readonly unit?: string;
  readonly role?: 'dimension' | 'metric';
  readonly label?: string;
  readonly dataSets?: readonly string[];
  readonly description?: string;
}

/** Listings whose names are cached. */
export type NamedKind = 'domain' | 'data-set' | 'report' | 'custom-report' | 'segment';

/** A cached name. */
export interface KnownName {
  readonly name: string;
  readonly id?: string | undefined;
  /** Short description for completion. */
  readonly about?: string | undefined;
}

/**
 * The latest listings of one owner, for completion, suggestions, filter values and names. Listing commands never print cached data.
 * Reading resolves to a list of any age, or to undefined if it is missing or unreadable. Files are readable by this user only;
 * writing throws FileError.
 */
export class ListingCache {
  readonly #folder: string;
  readonly #owner: CacheOwner;

  /** `folder` is gatectl's cache folder; it is created by the first write. */
  constructor(folder: string, owner: CacheOwner) {
    this.#folder = folder;
    this.#owner = owner;
  }

  async readColumns(): Promise<readonly KnownColumn[] | undefined> {
    return (await this.#read('columns', 'columns'))?.filter(isNamed<KnownColumn>);
  }

  /** `now` is milliseconds since the epoch. */
  async writeColumns(columns: readonly KnownColumn[], now: number): Promise<void> {
    await this.#write('columns', 'columns', columns, now);
  }

  async readNames(kind: NamedKind): Promise<readonly KnownName[] | undefined> {
    return (await this.#read(`${kind}s`, 'names'))?.filter(isNamed<KnownName>);
  }

  /** `now` is milliseconds since the epoch. */
  async writeNames(kind: NamedKind, names: readonly KnownName[], now: number): Promise<void> {
    await this.#write(`${kind}s`, 'names', names, now);
  }

  #path(listing: string): string {
    const { baseUrl, profile } = this.#owner;
    const owner = createHash('sha256').update(JSON.stringify([baseUrl, profile ?? null]));
    return join(this.#folder, `${listing}-${owner.digest('hex').slice(0, 16)}.json`);
  }

  async #read(listing: string, member: string): Promise<readonly unknown[] | undefined> {
    try {
      const content = JSON.parse(await readText(this.#path(listing)));
      const items = content?.version === VERSION ? content[member] : undefined;
      return Array.isArray(items) ? items : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof FileError) return undefined;
      throw error;
    }
  }

  async #write(listing: string, member: string, items: readonly unknown[], now: number): Promise<void> {
    await makeFolder(this.#folder, 0o700);
    const content = { version: VERSION, listed_at: new Date(now).toISOString(), [member]: items };
    await writeAtomic(this.#path(listing), `${JSON.stringify(content)}\n`, { mode: 0o600 });
  }
}

function isNamed<Item extends { readonly name: string }>(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}
