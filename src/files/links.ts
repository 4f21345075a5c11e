import { dirname, resolve } from 'node:path';
import { FileError } from '../errors/index.ts';
import { lstat, readlink, type Stats } from './disk.ts';
import { systemCode } from './file-error.ts';

const LINK_LIMIT = 40;

/** A path whose symbolic links were resolved one by one, to know the owner of each. */
export interface FollowedPath {
  /** The final path; it may not exist. */
  readonly target: string;
  /** Undefined where nothing exists yet. */
  readonly existing: Stats | undefined;
  /** User ids of the owners of the links. */
  readonly linkOwners: readonly number[];
}

/** Resolves `path` if it is a symbolic link. Throws the system's errors, and FileError for too many links. */
export async function followLinks(path: string): Promise<FollowedPath> {
  const linkOwners: number[] = [];
  let target = path;
  while (linkOwners.length <= LINK_LIMIT) {
    const stats = await statsOf(target);
    if (!stats?.isSymbolicLink()) return { target, existing: stats, linkOwners };
    linkOwners.push(stats.uid);
    target = resolve(dirname(target), await readlink(target));
  }
  throw new FileError(`cannot resolve ${path}: too many symbolic links`, { path });
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
 * Throws FileError for a link that belongs to another user except root, or that points to another user's file: writing through
 * it would let that user choose what is overwritten. `ours` is the user id of files that this process creates.
 */
export function assertOwnLink(path: string, { existing, linkOwners, target }: FollowedPath, ours: number) {
  if (linkOwners.length === 0) return;
  const foreign = linkOwners.some(owner => owner !== ours && owner !== 0);
  if (foreign || (existing !== undefined && existing.uid !== ours))
    throw new FileError(
      `refusing to write ${path}: it links to another user's file, or another user created the link (${target})`,
      { path, code: 'unsafe_file' },
    );
}
