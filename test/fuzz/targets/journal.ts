import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileError, UsageError } from '../../../src/errors/index.ts';
import { PurgeJournal } from '../../../src/families/cdn/journal.ts';
import type { FuzzTarget } from './target.ts';

const BASE_URL = 'https://gateway.example.com';
const FILES = ['head', 'urls', 'done'];

/** The folder of a purge whose files hold the parts of an input between NUL bytes. */
function folderOf(input: Uint8Array): string {
  const parent = mkdtempSync(join(tmpdir(), 'gatectl-fuzz-'));
  mkdirSync(join(parent, 'purge'));
  const parts = Buffer.from(input).toString('latin1').split('\0');
  for (const [index, name] of FILES.entries())
    if (parts[index] !== undefined) writeFileSync(join(parent, 'purge', name), parts[index], 'latin1');
  return parent;
}

/** A journal is read, ignored, or rejected with FileError or UsageError; no URL is neither confirmed nor remaining. */
export const target: FuzzTarget = {
  dictionary: [
    `{"baseUrl":"${BASE_URL}","total":2,"startedAt":"2026-03-01T00:00:00Z"}`,
    ...['\0', '\n0 1\n', '\n1 1\n', ' ', '\n', 'https://example.com/a\n', '"total":', '1e9', '-1'],
  ],
  async run(input) {
    const parent = folderOf(input);
    try {
      for (const { journal } of await PurgeJournal.unfinished(parent, BASE_URL)) {
        const count = async (blocks: AsyncIterable<readonly unknown[]>) => {
          let sum = 0;
          for await (const block of blocks) sum += block.length;
          return sum;
        };
        const all = await count(journal.all());
        const remaining = await count(await journal.remaining());
        const confirmed = await journal.confirmedCount();
        await journal.close();
        if (remaining + confirmed < all)
          throw new Error(`${all} URLs: ${confirmed} confirmed, ${remaining} remaining`);
      }
    } catch (error) {
      if (!(error instanceof FileError || error instanceof UsageError)) throw error;
    } finally {
      rmSync(parent, { recursive: true });
    }
  },
};
