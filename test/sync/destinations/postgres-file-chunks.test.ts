import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileChunks } from '../../../src/sync/destinations/postgres/file-chunks.ts';

test.each([0, 1, 63, 64, 65, 128, 224])('reads a file of %d bytes in full chunks', async bytes => {
  const folder = mkdtempSync(join(tmpdir(), 'chunks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const content = Buffer.from(Array.from({ length: bytes }, (_, at) => at));
  writeFileSync(join(folder, 'rows'), content);
  const chunks = new FileChunks(64);
  const memory = new Set<ArrayBufferLike>();
  for (const _ of [1, 2]) {
    const read: Buffer[] = [];
    for await (const chunk of chunks.of(join(folder, 'rows'))) {
      memory.add(chunk.buffer);
      read.push(Buffer.from(chunk));
    }
    expect(Buffer.concat(read)).toEqual(content);
    expect(read.slice(0, -1).every(({ length }) => length === 64)).toBe(true);
  }
  expect(memory.size).toBe(Math.min(2, Math.ceil(bytes / 64)));
});

test('reports a file that is missing', async () => {
  await expect(new FileChunks(64).of('/nowhere/rows').next()).rejects.toMatchObject({ code: 'ENOENT' });
});
