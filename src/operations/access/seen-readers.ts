import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { maskAddresses, namesAddress } from '../../apis/subscriptions/mask-addresses.ts';
import { type ReaderHash, readerHash } from '../../apis/subscriptions/reader-hash.ts';
import { stateFolder } from '../../config/platform.ts';
import { FileError } from '../../errors/index.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { readdir, rm, stat, utimes } from '../../files/disk.ts';
import { makePrivateFolder } from '../../files/folders.ts';
import { machineKey } from '../../files/machine-key.ts';
import { readText } from '../../files/text-source.ts';
import { isList, isRecord, type Json, parseJson, stringifyJson } from '../../json/index.ts';
import { DAY_MS } from '../../wire/day.ts';
import type { Machine } from '../machine.ts';

/** What is stored about readers, below one folder and with one key of this machine. */
interface ReaderState {
  readonly folder: string;
  readonly key: Buffer;
}

/** Creates the key if there is none. Throws FileError if there is no folder for it, or it cannot be used. */
export async function readerState(machine: Machine): Promise<ReaderState> {
  const state = stateFolder(machine);
  if (state === undefined)
    throw new FileError('there is no folder for the results: HOME is not set', { path: '' });
  const folder = join(state, 'readers');
  return { folder, key: await machineKey(readerKeyPath(state)) };
}

/** The file of the key, below the state folder. */
export function readerKeyPath(state: string): string {
  return join(state, 'readers', 'key');
}

/** A short name of a folder for results with a scope. */
export function folderName(scope: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(scope)).digest('hex').slice(0, 16);
}

/** The decisions on a reader as they were seen at a time. */
export interface SeenDecisions {
  /** RFC 3339. */
  readonly at: string;
  /** Whether the site knew the reader; undefined in files that do not say. */
  readonly isKnown: boolean | undefined;
  readonly decisions: readonly SeenDecision[];
}

interface SeenDecision {
  /** Masked where an address is in it, and not restored. */
  readonly product: string;
  /** Of a masked product: its keyed hash. */
  readonly hash?: string;
  readonly decision: string;
  readonly reasonCode: string | null;
  /** Whether it is of an earlier look, and the last one did not list it. */
  readonly isEarlier?: boolean;
  /** Whether it was asked about without being among the reader's products and purchases. */
  readonly isAsked?: boolean;
}

const KEPT_MS = 90 * DAY_MS;
const SUFFIX = '.json';

/** The decisions that this machine has seen last, one file per reader, named by a keyed hash. */
export class SeenReaders {
  readonly #folder: string;
  readonly #hash: ReaderHash;

  private constructor(folder: string, hash: ReaderHash) {
    this.#folder = folder;
    this.#hash = hash;
  }

  /** Those of a gateway and a domain. Throws FileError. */
  static async open(
    scope: readonly [gateway: string, domain: string],
    machine: Machine,
  ): Promise<SeenReaders> {
    const { folder, key } = await readerState(machine);
    return new SeenReaders(join(folder, 'seen', folderName(scope)), readerHash(key, scope));
  }

  /**
   * Undefined for a reader that was not seen, and for a damaged file. Of products with an address in them only a hash is stored, so that
   * these are named where they are among `products`. Throws FileError.
   */
  async last(email: string, products: readonly string[]): Promise<SeenDecisions | undefined> {
    try {
      const seen = seenIn(parseJson(await readText(this.#path(email))));
      return seen && { ...seen, decisions: seen.decisions.map(each => this.#named(each, products)) };
    } catch (error) {
      if (error instanceof FileError && error.code !== 'file_not_found') throw error;
      return undefined;
    }
  }

  /** Replaces the stored decisions. Throws FileError. */
  async remember(email: string, { at, isKnown, decisions }: SeenDecisions): Promise<void> {
    await makePrivateFolder(this.#folder);
    const stored = decisions.map(each => this.#nameless(each));
    const seen = { at, ...(isKnown !== undefined && { isKnown }), decisions: stored as unknown as Json };
    await writeAtomic(this.#path(email), stringifyJson(seen), { mode: 0o600 });
    // Its age is by the clock that asks, which may be that of a sandbox.
    const time = new Date(at);
    await utimes(this.#path(email), time, time).catch(() => undefined);
  }

  /** A page may have an address in it, and a handle that was mistyped may be anything. */
  #nameless(decision: SeenDecision): SeenDecision {
    const { product, hash } = decision;
    if (hash !== undefined || !(namesAddress(product) || product.includes('@'))) return decision;
    const masked = maskAddresses(product);
    const shown = masked === product ? '***' : masked;
    return { ...decision, product: shown, hash: this.#hash('product', product) };
  }

  #named(decision: SeenDecision, products: readonly string[]): SeenDecision {
    const { hash, ...others } = decision;
    const product = products.find(each => this.#hash('product', each) === hash);
    return product === undefined ? decision : { ...others, product };
  }

  #path(email: string): string {
    return join(this.#folder, this.#hash(email) + SUFFIX);
  }

  /** Removes decisions older than 90 days, if they can be removed. */
  async removeOld(now: number): Promise<void> {
    await this.#removeBefore(now - KEPT_MS).catch(() => undefined);
  }

  async #removeBefore(time: number): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      if (name.endsWith(SUFFIX) && (await stat(path)).mtimeMs < time) await rm(path);
    }
  }
}

function seenIn(json: Json): SeenDecisions | undefined {
  if (!isRecord(json) || typeof json.at !== 'string' || !isList(json.decisions)) return undefined;
  const decisions = json.decisions.flatMap(each => {
    if (!isRecord(each) || typeof each.product !== 'string' || typeof each.decision !== 'string') return [];
    const { product, hash, decision, reasonCode, isEarlier, isAsked } = each;
    return [
      {
        ...{ product, decision, reasonCode: typeof reasonCode === 'string' ? reasonCode : null },
        ...(typeof hash === 'string' && { hash }),
        ...(isEarlier === true && { isEarlier }),
        ...(isAsked === true && { isAsked }),
      },
    ];
  });
  return {
    at: json.at,
    isKnown: typeof json.isKnown === 'boolean' ? json.isKnown : undefined,
    decisions,
  };
}
