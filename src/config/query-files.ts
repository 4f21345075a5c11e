import { FileError, UsageError } from '../errors/index.ts';
import { writeAtomic } from '../files/atomic-file.ts';
import { readdirSync, statSync, unlink } from '../files/disk.ts';
import { fileError, systemCode } from '../files/file-error.ts';
import { makeFolder, makePrivateFolder } from '../files/folders.ts';
import { configPath, type Platform } from './platform.ts';
import { foldersUpwards, PROJECT_FILE, type ProjectSystem, pathsOf, readOwn } from './project-file.ts';

/** Where a saved query is stored: in the user's configuration, or in the project. */
type QueryPlace = 'user' | 'project';

/** A file with a saved query. */
export interface QueryFile {
  readonly name: string;
  readonly place: QueryPlace;
  readonly path: string;
}

/** The environment in which to search for saved queries. */
type QuerySystem = Platform & Pick<ProjectSystem, 'self'>;

const EXTENSION = '.yaml';
/** The folder of a project's queries, next to its project file. */
const PROJECT_FOLDER = ['.gatectl', 'queries'] as const;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Names that Windows reserves for devices. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Throws UsageError for a name that cannot be the name of a file on every system. */
export function checkQueryName(name: string): void {
  if (NAME.test(name) && !DEVICE.test(name) && !name.endsWith('.')) return;
  throw new UsageError(`${JSON.stringify(name)} is not a valid name for a query`, {
    code: 'invalid_value',
    reason: {
      name: 'allowed_characters',
      characters: 'letters, digits, dots, hyphens and underscores, starting with a letter or digit',
    },
  });
}

/** The saved queries by name. A query of the project hides one of the user with the same name. Throws FileError. */
export function queryFiles(system: QuerySystem): readonly QueryFile[] {
  const found = new Map<string, QueryFile>();
  for (const place of ['user', 'project'] as const) {
    const folder = queryFolder(place, system);
    if (folder === undefined) continue;
    for (const name of namesIn(folder)) found.set(name, { name, place, path: pathIn(folder, name, system) });
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * The file of a saved query, in the project before the user's configuration, or only in one of them. Throws UsageError for a query
 * that does not exist.
 */
export function queryFileNamed(name: string, system: QuerySystem, within?: QueryPlace): QueryFile {
  const places = within === undefined ? (['project', 'user'] as const) : [within];
  for (const place of places) {
    const folder = queryFolder(place, system);
    if (folder !== undefined && namesIn(folder).includes(name))
      return { name, place, path: pathIn(folder, name, system) };
  }
  const all = queryFiles(system);
  const saved = all.map(file => file.name);
  const elsewhere = within === undefined ? undefined : all.find(file => file.name === name)?.place;
  throw new UsageError(
    within === undefined ? `no saved query ${name}` : `no saved query ${name} of the ${within}`,
    { code: 'unknown_name', reason: { name: 'unknown_query', query: name, saved, elsewhere } },
  );
}

/** The text of a saved query. Throws FileError, also for a file that another user owns or can change. */
export function readQueryFile({ path }: QueryFile, system: QuerySystem): string {
  const found = readOwn(path, system);
  if (found === undefined) throw new FileError(`${path} does not exist`, { path, code: 'file_not_found' });
  if ('warning' in found) throw new FileError(found.warning, { path, code: 'unsafe_file' });
  return found.text.replace(/^\uFEFF/, '');
}

/** Writes a saved query. Throws UsageError for an existing one unless `replace` is set, and FileError. */
export async function writeQueryFile(
  { name, place, text, replace }: { name: string; place: QueryPlace; text: string; replace: boolean },
  system: QuerySystem,
): Promise<QueryFile> {
  checkQueryName(name);
  const folder = queryFolder(place, system) ?? newFolder(place, system);
  const path = pathIn(folder, name, system);
  if (!replace && exists(path))
    throw new UsageError(`the saved query ${name} already exists: ${path}`, {
      code: 'name_exists',
      reason: 'name_taken',
    });
  if (place === 'user') await makePrivateFolder(folder);
  else await makeFolder(folder);
  await writeAtomic(path, text, place === 'user' ? { mode: 0o600 } : {});
  return { name, place, path };
}

/** Removes a saved query. Throws FileError. */
export async function removeQueryFile({ path }: QueryFile): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

/** The folder of the saved queries; of a project the nearest one that exists. */
function queryFolder(place: QueryPlace, system: QuerySystem): string | undefined {
  const { join, dirname } = pathsOf(system);
  if (place === 'user') {
    const config = configPath(system);
    return config === undefined ? undefined : join(dirname(config), 'queries');
  }
  return foldersUpwards(system)
    .map(folder => join(folder, ...PROJECT_FOLDER))
    .find(isFolder);
}

/** The folder for the first query: next to the project file, else in the root of the repository, else in the working folder. */
function newFolder(place: QueryPlace, system: QuerySystem): string {
  if (place === 'user')
    throw new UsageError('there is no folder for queries: neither HOME nor GATECTL_CONFIG_DIR is set', {
      code: 'missing_setting',
      reason: { name: 'no_config_folder', of: 'queries' },
    });
  const { join } = pathsOf(system);
  const folders = foldersUpwards(system);
  const root =
    folders.find(folder => exists(join(folder, PROJECT_FILE))) ??
    folders.find(folder => exists(join(folder, '.git')));
  return join(root ?? system.cwd, ...PROJECT_FOLDER);
}

/** Throws FileError if that cannot be told. */
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return false;
    throw fileError(path, error, 'read');
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(file => file.endsWith(EXTENSION))
      .map(file => file.slice(0, -EXTENSION.length))
      .filter(name => NAME.test(name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return [];
    throw fileError(folder, error, 'read');
  }
}

function pathIn(folder: string, name: string, system: QuerySystem): string {
  return pathsOf(system).join(folder, name + EXTENSION);
}
