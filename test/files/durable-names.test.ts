import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import type * as Files from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { syncFolder } from '../../src/files/disk-io.ts';
import { DurableNames } from '../../src/files/durable-names.ts';
import { temporaryFolder } from '../support/folder.ts';
import { withFailingCall } from '../sync/failing-disk.ts';

vi.mock('node:fs/promises', async original => {
  const { failingFiles } = await import('../sync/failing-disk.ts');
  return failingFiles(await original<typeof Files>());
});

/** A folder in another one whose calls fail. */
function folderIn(): { readonly folder: string; readonly inner: string } {
  const folder = temporaryFolder();
  const inner = join(folder, 'inner');
  mkdirSync(inner);
  return { folder, inner };
}

test('a folder whose names could not be flushed is reported', async () => {
  const { folder, inner } = folderIn();
  for (const call of ['open inner', 'sync of inner']) {
    const flushed = withFailingCall({ folder, call }, () => syncFolder(inner));
    await expect(flushed).rejects.toThrow(`cannot write ${inner} (EIO)`);
  }
});

test.each([
  ['open inner', 'EISDIR'],
  ['open inner', 'EACCES'],
  ['sync of inner', 'EPERM'],
  ['sync of inner', 'EINVAL'],
  ['sync of inner', 'ENOTSUP'],
])('a folder that cannot be flushed on this system is no error: %s, %s', async (call, code) => {
  const { folder, inner } = folderIn();
  const { failed } = await withFailingCall({ folder, call, code }, () => syncFolder(inner));
  expect(failed).toBe(call);
});

test.each(['sync of lake/pages/a', 'sync of lake/pages', 'sync of lake', 'sync of '])(
  'a file is appended to once each name above it is on the disk, whoever made the folders: %s',
  async call => {
    const folder = temporaryFolder();
    const path = join(folder, 'lake/pages/a/ledger');
    const append = () => new DurableNames(join(folder, 'lake')).append(path, 'a line\n');
    await expect(withFailingCall({ folder, call }, append)).rejects.toThrow('(EIO)');
    expect(existsSync(path)).toBe(call === 'sync of lake/pages/a');
    // Another process finds the folders.
    await expect(withFailingCall({ folder, call }, append)).rejects.toThrow('(EIO)');
    await append();
    expect(readFileSync(path, 'utf8')).toMatch(/^(?:a line\n)+$/);
  },
);

test('the names of a folder are flushed once', async () => {
  const folder = temporaryFolder();
  const names = new DurableNames(folder);
  await names.append(join(folder, 'a/ledger'), '');
  const { failed } = await withFailingCall({ folder, call: 'sync of a' }, () =>
    names.append(join(folder, 'a/ledger'), ''),
  );
  expect(failed).toBeUndefined();
});
