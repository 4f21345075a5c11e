import { dirname } from 'node:path';
import { UsageError } from '../errors/index.ts';
import { stat } from '../files/disk.ts';
import { fileError } from '../files/file-error.ts';
import { makePrivateFolder } from '../files/folders.ts';
import { assertOwnLink, followLinks } from '../files/links.ts';
import { type LockMachine, withLock } from '../files/lock.ts';
import { removeTemporaryFilesOf } from '../files/stray-files.ts';
import { aliasesIn, CONFIG_VERSION } from './config-file.ts';
import { configPath, type Platform } from './platform.ts';
import { type ProfilesFile, readProfiles } from './profiles-file.ts';

const LOCK_WAIT_MS = 10_000;

export interface StoreOptions {
  readonly system: Platform;
  readonly machine: LockMachine;
}

export type JsonObject = Record<string, unknown>;

/** The new content of the file, to be modified in place. */
export interface Draft {
  readonly path: string;
  current: string | undefined;
  readonly profiles: Record<string, JsonObject>;
  readonly aliases: Record<string, string>;
}

/** The path of the profiles file. Throws UsageError if there is no folder for it. */
export function profilesPath(system: Platform): string {
  const path = configPath(system);
  if (path !== undefined) return path;
  throw new UsageError('there is no folder for profiles: neither HOME nor GATECTL_CONFIG_DIR is set', {
    code: 'missing_setting',
    reason: { name: 'no_config_folder', of: 'profiles' },
  });
}

/** Reads, edits and writes the profiles file under its lock. Throws FileError, and the errors of `edit`. */
export async function updateProfiles<Result>(
  { system, machine }: StoreOptions,
  edit: (draft: Draft, file: ProfilesFile) => Result,
): Promise<Result> {
  const path = profilesPath(system);
  await makePrivateFolder(dirname(path));
  return withLock(path, { machine, wait: LOCK_WAIT_MS }, async () => {
    await removeLeftovers(path);
    const file = await readProfiles(path, system.platform);
    const json = structuredClone(file.json);
    const draft: Draft = {
      path,
      current: file.current,
      profiles: (json.profiles ?? {}) as Record<string, JsonObject>,
      aliases: Object.fromEntries(aliasesIn(file.json, path)),
    };
    const result = edit(draft, file);
    await write(path, {
      ...json,
      version: CONFIG_VERSION,
      current: draft.current,
      profiles: draft.profiles,
      aliases: Object.keys(draft.aliases).length > 0 ? draft.aliases : undefined,
    });
    return result;
  });
}

/** The temporary file of a killed process contains the keys. */
async function removeLeftovers(path: string): Promise<void> {
  try {
    await removeTemporaryFilesOf((await followLinks(path)).target);
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

async function write(path: string, json: JsonObject): Promise<void> {
  const { default: Conf } = await import('conf');
  try {
    // This process created the lock, so its owner is the current user.
    assertOwnLink(path, await followLinks(path), (await stat(`${path}.lock`)).uid);
    const conf = new Conf<JsonObject>({
      cwd: dirname(path),
      configName: 'config',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      serialize: value => `${JSON.stringify(value, undefined, 2)}\n`,
      deserialize: text => JSON.parse(text.replace(/^\uFEFF/, '')) as JsonObject,
    });
    conf.store = json;
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}
