import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileError } from '../../src/errors/index.ts';
import { readCheckpoint } from '../../src/export/checkpoint.ts';
import { temporaryFolder } from '../support/folder.ts';

test.each([
  ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x7b])],
  ['half a checkpoint', Buffer.from('{"version":1,"hash":"ab')],
  ['nothing', Buffer.alloc(0)],
])('a checkpoint that holds %s is named as a damaged file', async (_, bytes) => {
  const path = join(temporaryFolder(), 'rows.csv.checkpoint');
  writeFileSync(path, bytes);
  const error = await readCheckpoint(path).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(FileError);
  expect(error).toHaveProperty('message', expect.stringContaining(path));
});
