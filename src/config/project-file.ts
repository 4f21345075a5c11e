import { posix, win32 } from 'node:path';
import { FileError } from '../errors/index.ts';
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from '../files/disk.ts';
import { fileError, systemCode } from '../files/file-error.ts';
import type { Platform } from './platform.ts';
import type { ProjectFile } from './project-settings.ts';
import type { Reach } from './trust.ts';

/** The name of the file with a project's settings. */
export const PROJECT_FILE = '.gatectl.yaml';

const SIZE_LIMIT = 1 << 16;

/** The project file, if there is one to use. */
interface FoundProject {
  readonly project: ProjectFile | undefined;
  /** Why a file was ignored. */
  readonly warnings: readonly string[];
}

/** The environment in which to search for a project file. */
export type ProjectSystem = Pick<Platform, 'cwd' | 'homedir' | 'platform'> & {
  readonly self: { readonly uid: number | undefined };
};

/**
 * Finds the nearest project file, from the working folder up to the root of the repository, the home folder or the root of the file
 * system, whichever comes first; it does not take back that one above it allows reads only. A file that another user owns or can change
 * is ignored with a warning. Throws FileError for a file that cannot be read or is invalid.
 */
export async function findProjectFile(system: ProjectSystem): Promise<FoundProject> {
  let nearest: FoundProject | undefined;
  for (const folder of foldersUpwards(system)) {
    const path = pathsOf(system).join(folder, PROJECT_FILE);
    const found = readOwn(path, system);
    if (found === undefined) continue;
    if ('warning' in found) {
      const { project, warnings = [] } = nearest ?? {};
      nearest = { project, warnings: [...warnings, found.warning] };
      continue;
    }
    // Loaded only when there is a file, because the YAML library is large.
    const { parseProjectFile } = await import('./project-settings.ts');
    const project = parseProjectFile(path, found.text);
    nearest = nearest === undefined ? { project, warnings: [] } : alsoReadOnly(nearest, project);
  }
  return nearest ?? { project: undefined, warnings: [] };
}

/** The nearest file, read-only also where one above it is. */
function alsoReadOnly({ project, warnings }: FoundProject, above: ProjectFile): FoundProject {
  const { readOnly } = above.values;
  if (readOnly?.value !== true || project?.values.readOnly?.value === true) return { project, warnings };
  const own = project ?? { path: above.path, profile: undefined, values: {} };
  return {
    project: { ...own, values: { ...own.values, readOnly: { ...readOnly, file: above.path } } },
    warnings,
  };
}

/** What a project file decides about where requests and keys go: it selects a profile other than the current one. */
export function reachOfProject(
  { path, profile }: Pick<ProjectFile, 'path' | 'profile'>,
  current: string | undefined,
): Reach {
  const name = profile?.value;
  if (name === undefined || name === current) return { path, values: [], targets: [] };
  return {
    path,
    values: [name],
    targets: [{ name: `profile:${name}`, does: `selects the profile ${name}` }],
  };
}

/** The folders in which a project may be, the nearest first: up to the root of the repository, the home folder or the root. */
export function foldersUpwards(system: Pick<Platform, 'cwd' | 'homedir' | 'platform'>): string[] {
  const { cwd, homedir } = system;
  const { join, dirname, resolve } = pathsOf(system);
  const folders: string[] = [];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    folders.push(folder);
    const isLast =
      dirname(folder) === folder ||
      (homedir !== undefined && folder === resolve(homedir)) ||
      existsSync(join(folder, '.git'));
    if (isLast) return folders;
  }
}

/** The path functions of a platform. */
export function pathsOf({ platform }: Pick<Platform, 'platform'>) {
  return platform === 'win32' ? win32 : posix;
}

/** The text of a file that belongs to the user, or why it is ignored; undefined if it does not exist. Throws FileError. */
export function readOwn(
  path: string,
  { platform, self }: Pick<ProjectSystem, 'platform' | 'self'>,
): { readonly text: string } | { readonly warning: string } | undefined {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, a FIFO at this path would block every command.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { warning: `${path} is ignored: it is not a regular file` };
    const reason = platform === 'win32' ? undefined : foreignReason(stats, self.uid);
    if (reason !== undefined) return { warning: `${path} is ignored: ${reason}` };
    if (stats.size > SIZE_LIMIT)
      throw new FileError(`${path} is too large: ${stats.size} bytes`, { path, code: 'invalid_file' });
    return { text: readFileSync(descriptor, 'utf8') };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    // A parent of the working folder may not be readable.
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

function foreignReason({ uid, gid, mode }: Owned, user: number | undefined): string | undefined {
  if (user === undefined) return undefined;
  if (uid !== user) return 'another user owns it';
  // On systems with a private group per user (gid equals uid), files are group-writable by default.
  const isWritable = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid);
  return isWritable ? 'other users can change it; run chmod go-w on it' : undefined;
}
