import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Whether two paths lead to one file: by their names, or, where both exist, by links of either kind. Throws nothing. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  if (resolve(one) === resolve(other)) return true;
  const [first, second] = await Promise.all([regularFile(one), regularFile(other)]);
  if (first === undefined || second === undefined) return false;
  return first.dev === second.dev && first.ino === second.ino;
}

async function regularFile(path: string): Promise<Stats | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() ? stats : undefined;
}
