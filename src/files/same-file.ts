import { fstatSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** Whether two paths are the same file, by name or through links. Never throws. */
export function isSameFile(one: string, other: string): boolean {
  return resolve(one) === resolve(other) || isSame(regularFile(one), regularFile(other));
}

/** Whether a stream, such as a redirected stdin, is the regular file at a path. Never throws. */
export function isStreamOf(stream: object, path: string): boolean {
  const descriptor = 'fd' in stream ? stream.fd : undefined;
  return typeof descriptor === 'number' && isSame(regularFile(descriptor), regularFile(path));
}

function isSame(one: Stats | undefined, other: Stats | undefined): boolean {
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

function regularFile(file: string | number): Stats | undefined {
  try {
    const stats = typeof file === 'number' ? fstatSync(file) : statSync(file);
    return stats.isFile() ? stats : undefined;
  } catch {
    return undefined;
  }
}
