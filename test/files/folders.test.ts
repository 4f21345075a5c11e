import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileError } from '../../src/errors/index.ts';
import { isOwnFolder, makeFolder, makePrivateFolder } from '../../src/files/folders.ts';
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
  await expect(makePrivateFolder(path)).rejects.toThrow(`${path} is a file, not a folder`);
  await expect(makePrivateFolder(join(path, 'b'))).rejects.toBeInstanceOf(FileError);
});

test('a link to a folder is one, and a link to nothing is named with what it links to', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'there'));
  symlinkSync('there', join(folder, 'link'));
  await makeFolder(join(folder, 'link', 'a'));
  expect(statSync(join(folder, 'there', 'a')).isDirectory()).toBe(true);
  const lost = join(folder, 'lost');
  symlinkSync('moved', lost);
  for (const path of [lost, join(lost, 'a')])
    await expect(makeFolder(path)).rejects.toMatchObject({
      code: 'file_exists',
      message: `${lost} is a link to moved, which is not a folder`,
    });
});

test.runIf(process.platform === 'linux').each([makeFolder, makePrivateFolder])(
  'a file system without new folders is reported immediately (%o)',
  async make => {
    await expect(make('/proc/gatectl/state')).rejects.toMatchObject({
      code: 'permission_denied',
      message: 'cannot create /proc/gatectl: no folder can be created in /proc',
    });
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
