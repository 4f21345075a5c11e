import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PurgeJournal } from '../../../src/apis/cdn/journal.ts';
import { FileError } from '../../../src/errors/index.ts';
import type { FuzzTarget } from './target.ts';

const OWNER = { baseUrl: 'https://gateway.example.com', key: { salt: '00', hash: 'ff' } };
const URLS = ['https://example.com/a', 'https://example.com/b', 'https://example.com/c'];
const FILES = ['done', 'urls', 'head'];

/** The folder of a purge of three URLs, whose files are replaced by the parts of an input between NUL bytes, where not empty. */
async function folderOf(input: Uint8Array): Promise<string> {
  const parent = mkdtempSync(join(tmpdir(), 'gatectl-fuzz-'));
  const journal = await PurgeJournal.create(join(parent, 'purge'));
  for (const url of URLS) journal.add(url);
  await journal.endList(true);
  await journal.seal(OWNER, '2026-03-01T00:00:00Z');
  const parts = Buffer.from(input).toString('latin1').split('\0');
  for (const [index, name] of FILES.entries())
    if (parts[index]) writeFileSync(join(parent, 'purge', name), parts[index], 'latin1');
  return parent;
}

/** A journal is read, named as damaged, or rejected with FileError; no URL comes that was not in the list. */
export const target: FuzzTarget = {
  dictionary: [
    `${URLS.join('\n')}\n`,
    ...['\0', '\n0 1 00000000\n', '\n1 1 ffffffff\n', ' ', '\n', `${URLS[0]}\n`, '"total":', '1e9', '-1'],
  ],
  async run(input) {
    const parent = await folderOf(input);
    try {
      for (const purge of await PurgeJournal.unfinished(parent)) {
        if ('problem' in purge) continue;
        const { journal } = purge;
        let lost = 0;
        let remaining = 0;
        const blocks = journal.remaining(block => {
          lost += block.urls;
        });
        for await (const block of blocks) {
          remaining += block.length;
          for (const { index, url } of block)
            if (URLS[index] !== url) throw new Error(`URL ${index} is ${JSON.stringify(url)}`);
        }
        const confirmed = await journal.confirmedCount();
        await journal.close();
        if (remaining + confirmed + lost < URLS.length)
          throw new Error(`${confirmed} confirmed, ${remaining} remaining, ${lost} lost`);
      }
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
    } finally {
      rmSync(parent, { recursive: true });
    }
  },
};
