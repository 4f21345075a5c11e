import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { FileError } from '../errors/index.ts';
import { fileError, systemCode } from '../files/file-error.ts';
import type { Platform } from './platform.ts';
import type { SettingKey } from './settings.ts';

/** The name of the file with a project's settings. */
export const PROJECT_FILE = '.gatectl.yaml';

/** More than any list of settings needs. */
const SIZE_LIMIT = 1 << 16;

/** The settings of a project: types are right, values are not yet checked. */
export interface ProjectFile {
  readonly path: string;
  readonly profile: ProjectValue<string> | undefined;
  readonly values: Readonly<Partial<Record<SettingKey, ProjectValue<string | number | boolean>>>>;
}

export interface ProjectValue<Value> {
  readonly value: Value;
  /** Where it stands in the file: `3:9` is line 3, column 9. */
  readonly place: string;
}

/** A project file, or why there is none that counts. */
export interface FoundProject {
  readonly project: ProjectFile | undefined;
  /** Why a file that was found is ignored. */
  readonly warnings: readonly string[];
}

/** What finding the file takes: where to look, and whose files count. */
export type ProjectSurroundings = Pick<Platform, 'cwd' | 'homedir' | 'platform'> & {
  readonly self: { readonly uid: number | undefined };
};

const NONE: FoundProject = { project: undefined, warnings: [] };

/**
 * The nearest project file: in the working folder or one above it, up to the root of the repository, the home folder or the root of the
 * file system, whichever comes first. One that another user owns or can change is ignored with a warning. Throws FileError for a file
 * that cannot be read or is broken.
 */
export async function findProjectFile(surroundings: ProjectSurroundings): Promise<FoundProject> {
  for (const folder of foldersUpwards(surroundings)) {
    const path = pathsOf(surroundings).join(folder, PROJECT_FILE);
    const found = readOwn(path, surroundings);
    if (found === undefined) continue;
    if ('warning' in found) return { project: undefined, warnings: [found.warning] };
    // The YAML library is large, and few starts find a file.
    const { parseProjectFile } = await import('./project-settings.ts');
    return { project: parseProjectFile(path, found.text), warnings: [] };
  }
  return NONE;
}

/** The working folder and those above it in which a project file counts, the nearest first. */
function foldersUpwards(surroundings: ProjectSurroundings): string[] {
  const { cwd, homedir } = surroundings;
  const { join, dirname, resolve } = pathsOf(surroundings);
  const folders: string[] = [];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    folders.push(folder);
    const isLast =
      dirname(folder) === folder ||
      (homedir !== undefined && folder === resolve(homedir)) ||
      statSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
    if (isLast) return folders;
  }
}

function pathsOf({ platform }: Pick<Platform, 'platform'>) {
  return platform === 'win32' ? win32 : posix;
}

/** The text of a file of the user's own; undefined where there is none. Throws FileError. */
function readOwn(
  path: string,
  { platform, self }: ProjectSurroundings,
): { readonly text: string } | { readonly warning: string } | undefined {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK a FIFO in its place would hang every command.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { warning: `${path} is ignored: it is not a regular file` };
    const reason = platform === 'win32' ? undefined : whyForeign(stats, self.uid);
    if (reason !== undefined) return { warning: `${path} is ignored: ${reason}` };
    if (stats.size > SIZE_LIMIT)
      throw new FileError(`${path} is too large for a project file: ${stats.size} bytes`, {
        path,
        code: 'invalid_file',
      });
    return { text: readFileSync(descriptor, 'utf8') };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    // A folder above the working folder may be closed to the user: its files are not theirs.
    if (systemCode(error) === 'EACCES') return { warning: `${path} is ignored: it cannot be read` };
    throw fileError(path, error, 'read');
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

interface Owned {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

function whyForeign({ uid, gid, mode }: Owned, user: number | undefined): string | undefined {
  if (user === undefined) return undefined;
  if (uid !== user) return 'another user owns it';
  // Where every user has a group of their own, of the same number, its files are group-writable.
  const isWritable = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid);
  return isWritable ? 'other users can change it; run chmod go-w on it' : undefined;
}
