import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileError } from '../../src/errors/index.ts';
import { isOwnFolder, makePrivateFolder } from '../../src/files/folders.ts';
import { temporaryFolder } from '../support/folder.ts';

const uid = process.geteuid?.();

test('a private folder and its new parents are accessible to their owner only', async () => {
  const folder = join(temporaryFolder(), 'a', 'b');
  await makePrivateFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, '..')).mode & 0o777).toBe(0o700);
  expect(await isOwnFolder(folder, uid)).toBe(true);
});

test('it may be there already, and several may make it at once', async () => {
  const folder = join(temporaryFolder(), 'a', 'b', 'c');
  await Promise.all(Array.from({ length: 8 }, () => makePrivateFolder(folder)));
  await makePrivateFolder(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
});

test('a file with its name is reported', async () => {
  const path = join(temporaryFolder(), 'a');
  writeFileSync(path, '');
  await expect(makePrivateFolder(path)).rejects.toBeInstanceOf(FileError);
  await expect(makePrivateFolder(join(path, 'b'))).rejects.toBeInstanceOf(FileError);
});

test.runIf(process.platform === 'linux')(
  'a file system without new folders is reported immediately',
  async () => {
    await expect(makePrivateFolder('/proc/gatectl/state')).rejects.toBeInstanceOf(FileError);
  },
);

describe.runIf(uid !== undefined)('in a folder that other users can write to', () => {
  test('a missing folder belongs to no user', async () => {
    expect(await isOwnFolder(join(temporaryFolder(), 'a'), uid)).toBe(false);
  });

  test.each<[string, (path: string) => void, number]>([
    ['the folder of another user', path => mkdirSync(path, { mode: 0o700 }), (uid ?? 0) + 1],
    [
      'a folder that others can open',
      path => {
        mkdirSync(path);
        chmodSync(path, 0o755);
      },
      uid ?? 0,
    ],
    [
      'a link, even to a folder of one’s own',
      path => {
        mkdirSync(`${path}.real`, { mode: 0o700 });
        symlinkSync(`${path}.real`, path);
      },
      uid ?? 0,
    ],
    ['a file', path => writeFileSync(path, '', { mode: 0o600 }), uid ?? 0],
  ])('%s is not changed', async (_, make, ours) => {
    const path = join(temporaryFolder(), 'a');
    make(path);
    await expect(isOwnFolder(path, ours)).rejects.toBeInstanceOf(FileError);
  });
});
