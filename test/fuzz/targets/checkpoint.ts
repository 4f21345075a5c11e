import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileError } from '../../../src/errors/index.ts';
import { readCheckpoint, writeCheckpoint } from '../../../src/export/checkpoint.ts';
import { type FuzzTarget, fail } from './target.ts';

const path = join(mkdtempSync(join(tmpdir(), 'gatectl-fuzz-')), 'checkpoint');

/** A checkpoint is one that gatectl wrote, or is rejected with FileError. */
export const target: FuzzTarget = {
  dictionary: [
    '{"version":1,"hash":"',
    '","subject":{',
    '},"progress":{',
    '"rows":',
    '"bytes":',
    '"columns":[]',
    '}}',
    'null',
  ],
  async run(input) {
    writeFileSync(path, input);
    const read = await readCheckpoint(path).catch((error: unknown) => {
      if (error instanceof FileError) return undefined;
      throw error;
    });
    if (read === undefined) return;
    await writeCheckpoint(path, read);
    if (JSON.stringify(await readCheckpoint(path)) !== JSON.stringify(read))
      fail('does not read what it has written');
  },
};
