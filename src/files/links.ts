import type { Stats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { FileError } from '../errors/index.ts';
import { systemCode } from './file-error.ts';

const LINK_LIMIT = 40;

/** A path with its last component's links followed by hand, so that each link's owner is known. */
export interface FollowedPath {
  /** The path at the end of the links; it may not exist. */
  readonly target: string;
  /** Undefined where nothing exists yet. */
  readonly existing: Stats | undefined;
  /** Owners of the links passed on the way. */
  readonly linkOwners: readonly number[];
}

/** Follows the links that `path` itself may be. Throws what the system throws, and FileError for links that lead in a circle. */
export async function followLinks(path: string): Promise<FollowedPath> {
  const linkOwners: number[] = [];
  let target = path;
  while (linkOwners.length <= LINK_LIMIT) {
    const stats = await statsOf(target);
    if (!stats?.isSymbolicLink()) return { target, existing: stats, linkOwners };
    linkOwners.push(stats.uid);
    target = resolve(dirname(target), await readlink(target));
  }
  throw new FileError(`too many links in ${path}`, { path });
}

async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Throws FileError when a link was laid by another user (the system's own count as ours), or leads to another user's file:
 * writing through it would let that user choose what is overwritten. `ours` is the user id that our new files get.
 */
export function assertOwnLink(path: string, { existing, linkOwners, target }: FollowedPath, ours: number) {
  if (linkOwners.length === 0) return;
  const foreign = linkOwners.some(owner => owner !== ours && owner !== 0);
  if (foreign || (existing !== undefined && existing.uid !== ours))
    throw new FileError(`${path} is a link of or to another user's file, ${target}: it is left alone`, {
      path,
      code: 'unsafe_file',
    });
}
