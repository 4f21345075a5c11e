import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** Whether two paths lead to one file: by their names, or, where both exist, by links of either kind. Throws nothing. */
export function isSameFile(one: string, other: string): boolean {
  if (resolve(one) === resolve(other)) return true;
  const [first, second] = [regularFile(one), regularFile(other)];
  if (first === undefined || second === undefined) return false;
  return first.dev === second.dev && first.ino === second.ino;
}

function regularFile(path: string): Stats | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats : undefined;
  } catch {
    return undefined;
  }
}
