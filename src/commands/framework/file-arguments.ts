import { resolve } from 'node:path';
import { conflict } from '../../errors/usage.ts';
import { fstatSync, type Stats, statSync } from '../../files/disk.ts';
import type { Io } from '../../terminal/io.ts';

/** The source that an argument names where a list is accepted: `-` for stdin, the path of `@FILE`; undefined for anything else. */
export function listSource(word: string): string | undefined {
  if (word === '-') return word;
  return word.startsWith('@') && word.length > 1 ? word.slice(1) : undefined;
}

/** A flag, and the file that it names where it was given. */
type NamedFile = readonly [flag: string, path: string | undefined];

/**
 * Throws UsageError, naming both flags, when a file that is read would be overwritten, or one file written twice. A `-` in
 * `read` is stdin, which may be redirected from a file.
 */
export function assertDistinctFiles(
  read: readonly NamedFile[],
  written: readonly NamedFile[],
  io: Pick<Io, 'stdin'>,
): void {
  for (const [index, [flag, path]] of written.entries()) {
    if (path === undefined) continue;
    const isThisFile = ([, other]: NamedFile) => other !== undefined && isSameFile(path, other);
    const isInput = (file: NamedFile) => (file[1] === '-' ? isStreamOf(io.stdin, path) : isThisFile(file));
    const other = read.find(isInput) ?? written.slice(0, index).find(isThisFile);
    if (other === undefined) continue;
    throw conflict(
      `${other[0]} and ${flag} are the same file, ${path}`,
      `${flag} overwrites its file; give it another name`,
    );
  }
}

/** Whether two paths are the same file, by name or through links. Never throws. */
function isSameFile(one: string, other: string): boolean {
  return resolve(one) === resolve(other) || isSame(regularFile(one), regularFile(other));
}

/** Whether a stream, such as a redirected stdin, is the regular file at a path. Never throws. */
function isStreamOf(stream: object, path: string): boolean {
  const descriptor = 'fd' in stream ? stream.fd : undefined;
  return typeof descriptor === 'number' && isSame(regularFile(descriptor), regularFile(path));
}

function isSame(one: Stats | undefined, other: Stats | undefined): boolean {
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

/** Whether a text is the path of a file that can be read. Never throws. */
export function isRegularFile(path: string): boolean {
  return path !== '' && path.length < 4096 && !path.includes('\n') && regularFile(path) !== undefined;
}

function regularFile(file: string | number): Stats | undefined {
  try {
    const stats = typeof file === 'number' ? fstatSync(file) : statSync(file);
    return stats.isFile() ? stats : undefined;
  } catch {
    return undefined;
  }
}
