import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BrokenPipeError, FileError } from '../../src/errors/index.ts';
import { openAtomic, writeAtomic } from '../../src/files/atomic-file.ts';
import { assertOwnLink, followLinks } from '../../src/files/links.ts';
import { temporaryFolder } from '../support/folder.ts';

const posix = process.platform !== 'win32';

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

async function fileErrorOf(step: Promise<unknown>): Promise<FileError> {
  const error = await step.then(
    () => undefined,
    reason => reason,
  );
  expect(error).toBeInstanceOf(FileError);
  return error as FileError;
}

describe('writeAtomic', () => {
  test('creates a file and leaves nothing else behind', async () => {
    const folder = temporaryFolder();
    await writeAtomic(join(folder, 'out.csv'), 'a,b\n');
    expect(readdirSync(folder)).toEqual(['out.csv']);
    expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe('a,b\n');
  });

  test('replaces a file and keeps its permissions', async () => {
    const path = join(temporaryFolder(), 'out.csv');
    writeFileSync(path, 'the old and longer text', { mode: 0o640 });
    await writeAtomic(path, new Uint8Array([0x6e, 0x65, 0x77]));
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(modeOf(path)).toBe(posix ? 0o640 : modeOf(path));
  });

  test.runIf(posix)('makes a file private on request, even if the old one was not', async () => {
    const path = join(temporaryFolder(), 'key');
    writeFileSync(path, 'old', { mode: 0o644 });
    await writeAtomic(path, 'new', { mode: 0o600 });
    expect(modeOf(path)).toBe(0o600);
  });

  test.runIf(posix)('keeps permissions that new files do not get', async () => {
    const path = join(temporaryFolder(), 'shared');
    writeFileSync(path, 'old');
    chmodSync(path, 0o666);
    await writeAtomic(path, 'new');
    expect(modeOf(path)).toBe(0o666);
  });

  test('writes through a link of one’s own and keeps the link', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'dotfiles'));
    writeFileSync(join(folder, 'dotfiles', 'config'), 'old');
    symlinkSync(join('dotfiles', 'config'), join(folder, 'link'));
    await writeAtomic(join(folder, 'link'), 'new');
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'dotfiles', 'config'), 'utf8')).toBe('new');
    expect(readdirSync(join(folder, 'dotfiles'))).toEqual(['config']);
  });

  test('creates the file that a link of one’s own waits for', async () => {
    const folder = temporaryFolder();
    symlinkSync('later', join(folder, 'link'));
    await writeAtomic(join(folder, 'link'), 'x');
    expect(readFileSync(join(folder, 'later'), 'utf8')).toBe('x');
  });

  test('a folder with the name of the file is reported', async () => {
    const folder = temporaryFolder();
    const error = await fileErrorOf(writeAtomic(folder, 'x'));
    expect(error.message).toBe(`${folder} is a folder, not a file`);
    expect(error.path).toBe(folder);
  });

  test('a folder that does not exist is reported', async () => {
    const path = join(temporaryFolder(), 'missing', 'out.csv');
    const error = await fileErrorOf(writeAtomic(path, 'x'));
    expect(error.message).toBe(`cannot write ${path}: its folder does not exist`);
  });

  test.runIf(process.platform === 'linux')(
    'a file system without new files is not confused with a missing folder',
    async () => {
      const error = await fileErrorOf(writeAtomic('/proc/out.csv', 'x'));
      expect(error.message).toBe('cannot write /proc/out.csv: its folder does not accept files');
    },
  );

  test('links in a circle are an error, not a hang', async () => {
    const folder = temporaryFolder();
    symlinkSync('b', join(folder, 'a'));
    symlinkSync('a', join(folder, 'b'));
    const error = await fileErrorOf(writeAtomic(join(folder, 'a'), 'x'));
    expect(error.message).toContain('too many symbolic links');
  });
});

describe('another user’s link', () => {
  const ours = 1000;
  const file = { existing: undefined, target: '/home/ana/file' };

  test('is rejected when the other laid it', () => {
    expect(() => assertOwnLink('/tmp/out', { ...file, linkOwners: [ours, 1001] }, ours)).toThrowError(
      "refusing to write /tmp/out: it links to another user's file, or another user created the link (/home/ana/file)",
    );
  });

  test('is rejected when it leads to the file of another', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'theirs'), 'x');
    symlinkSync('theirs', join(folder, 'link'));
    const followed = await followLinks(join(folder, 'link'));
    const { uid } = statSync(folder);
    expect(() => assertOwnLink('link', followed, uid)).not.toThrow();
    expect(() => assertOwnLink('link', { ...followed, linkOwners: [0] }, uid + 1)).toThrowError(FileError);
  });

  test.runIf(process.getuid?.() === 0)(
    'is rejected on the way to a file, and nothing is written',
    async () => {
      const folder = temporaryFolder();
      const link = join(folder, 'link');
      writeFileSync(join(folder, 'file'), 'precious');
      symlinkSync('file', link);
      lchownSync(link, 4321, 4321);
      expect((await fileErrorOf(writeAtomic(link, 'x'))).message).toContain("another user's file");
      lchownSync(link, 0, 0);
      chownSync(join(folder, 'file'), 4321, 4321);
      expect((await fileErrorOf(writeAtomic(link, 'x'))).message).toContain("another user's file");
      expect(readFileSync(link, 'utf8')).toBe('precious');
      expect(readdirSync(folder).sort()).toEqual(['file', 'link']);
    },
  );

  test('does not matter for a plain file', () => {
    expect(() => assertOwnLink('/tmp/out', { ...file, linkOwners: [] }, ours)).not.toThrow();
  });
});

describe('openAtomic', () => {
  test('the old file stays until the new one is complete', async () => {
    const path = join(temporaryFolder(), 'out.csv');
    writeFileSync(path, 'old');
    const file = await openAtomic(path);
    await file.write('new ');
    await file.write(new TextEncoder().encode('rows é'));
    expect(file.position).toBe(11);
    expect(readFileSync(path, 'utf8')).toBe('old');
    await file.commit();
    expect(readFileSync(path, 'utf8')).toBe('new rows é');
  });

  test('discard leaves the old file and no trace', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'out.csv'), 'old');
    const file = await openAtomic(join(folder, 'out.csv'));
    await file.write('new');
    await file.discard();
    await file.discard();
    expect(readdirSync(folder)).toEqual(['out.csv']);
    expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe('old');
  });

  test('truncate rolls back an incomplete page, and writing continues from there', async () => {
    const path = join(temporaryFolder(), 'out.csv');
    const file = await openAtomic(path);
    await file.write('page 1\npage 2 is cut');
    await file.truncate(7);
    await file.write('page 2\n');
    expect(file.position).toBe(14);
    await file.commit();
    expect(readFileSync(path, 'utf8')).toBe('page 1\npage 2\n');
  });

  test('a stored unfinished file is continued by a later run', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'out.csv');
    const partial = join(folder, 'out.csv.partial');
    const first = await openAtomic(path, { partial: { path: partial, from: 0 } });
    await first.write('page 1\nhalf of p');
    await first.closeUnfinished();
    expect(existsSync(path)).toBe(false);
    const second = await openAtomic(path, { partial: { path: partial, from: 7 } });
    expect(second.position).toBe(7);
    await second.write('page 2\n');
    await second.commit();
    expect(readFileSync(path, 'utf8')).toBe('page 1\npage 2\n');
    expect(readdirSync(folder)).toEqual(['out.csv']);
  });

  test('an unfinished file that shrank is rejected and not deleted', async () => {
    const folder = temporaryFolder();
    const partial = join(folder, 'p');
    writeFileSync(partial, 'abc');
    const error = await fileErrorOf(openAtomic(join(folder, 'out'), { partial: { path: partial, from: 7 } }));
    expect(error.message).toBe(`cannot resume ${partial}: it is truncated to 3 of 7 bytes`);
    expect(readFileSync(partial, 'utf8')).toBe('abc');
  });

  test.runIf(posix)('an unfinished file that someone replaced by a link is rejected', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'precious'), 'precious');
    symlinkSync('precious', join(folder, 'p'));
    await fileErrorOf(openAtomic(join(folder, 'out'), { partial: { path: join(folder, 'p'), from: 0 } }));
    expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('precious');
  });

  test.runIf(existsSync('/dev/full'))('a full disk is told with the bytes that were written', async () => {
    const file = await openAtomic('/dev/full');
    const error = await fileErrorOf(file.write('row\n'));
    expect(error.message).toBe('the disk is full after 0 bytes: /dev/full');
    await file.discard();
    expect(existsSync('/dev/full')).toBe(true);
  });

  test.runIf(posix)('a pipe is written directly, and bytes that are out stay out', async () => {
    const path = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    const reading = readFile(path, 'utf8');
    const file = await openAtomic(path);
    expect(file.canTruncate).toBe(false);
    await file.write('rows');
    expect((await fileErrorOf(file.truncate(0))).message).toBe(
      `cannot truncate ${path}: it is a device or pipe`,
    );
    await file.truncate(4);
    await file.commit();
    expect(await reading).toBe('rows');
    expect(lstatSync(path).isFIFO()).toBe(true);
  });

  test.runIf(posix)('a closed pipe is distinguished from a failure', async () => {
    const path = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    const { open } = await import('node:fs/promises');
    const [reader, file] = await Promise.all([open(path, 'r'), openAtomic(path)]);
    await reader.close();
    await expect(file.write('rows')).rejects.toBeInstanceOf(BrokenPipeError);
    await file.discard();
  });
});
