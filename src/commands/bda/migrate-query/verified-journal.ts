import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { appendFile, rm } from '../../../files/disk.ts';
import { fileError } from '../../../files/file-error.ts';
import { textIfThere } from '../../../files/if-there.ts';
import { isRecord } from '../../../json/index.ts';
import { storedObject } from '../../../json/stored.ts';
import type { Outcome } from '../../../operations/migrate/verify-migration.ts';

/** Its name in the folder of `--out-dir`. */
const NAME = 'verified.ndjson';

/** The combined result of several replays. `failed`: a request failed. */
export interface VerifiedItem {
  readonly outcome: Outcome | 'failed';
  /** The days of the queries: `2026-03-07..2026-03-13`. */
  readonly days: string;
  readonly notes: readonly string[];
}

/**
 * What an unfinished run verified, a line each, so that the next one verifies the others only. It ends with the run: a run that is
 * repeated verifies everything again.
 */
export class VerifiedJournal {
  readonly #path: string;
  readonly #known = new Map<string, VerifiedItem>();

  private constructor(path: string) {
    this.#path = path;
  }

  /** Throws FileError. */
  static async open(folder: string): Promise<VerifiedJournal> {
    const journal = new VerifiedJournal(join(folder, NAME));
    const text = (await textIfThere(journal.#path)) ?? '';
    for (const line of text.split('\n')) journal.#remember(line);
    return journal;
  }

  /** How many results of an earlier run were found. */
  reused = 0;

  /** What an earlier run found for the same request, queries, days and gateway. */
  find(verified: unknown): VerifiedItem | undefined {
    const known = this.#known.get(keyOf(verified));
    if (known !== undefined) this.reused += 1;
    return known;
  }

  /** Throws FileError. */
  async add(verified: unknown, result: VerifiedItem): Promise<void> {
    // A kill may have cut the last line, so each begins with a line break.
    const line = `\n${JSON.stringify({ key: keyOf(verified), result })}`;
    await appendFile(this.#path, line).catch(error => {
      throw fileError(this.#path, error, 'write');
    });
  }

  /** Throws FileError. */
  async remove(): Promise<void> {
    await rm(this.#path, { force: true }).catch(error => {
      throw fileError(this.#path, error, 'write');
    });
  }

  /** The last line may have been cut by a kill. */
  #remember(line: string): void {
    const { key, result } = storedObject(line);
    if (typeof key === 'string' && isVerifiedItem(result)) this.#known.set(key, result);
  }
}

function isVerifiedItem(value: unknown): value is VerifiedItem {
  if (!isRecord(value)) return false;
  const { outcome, days, notes } = value;
  return (
    ['parity', 'different', 'unverified'].includes(outcome as string) &&
    typeof days === 'string' &&
    Array.isArray(notes) &&
    notes.every(note => typeof note === 'string')
  );
}

function keyOf(verified: unknown): string {
  return createHash('sha256').update(JSON.stringify(verified)).digest('hex');
}
