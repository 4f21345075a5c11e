import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../errors/index.ts';
import { fileError } from '../files/file-error.ts';
import { assertOwnLink, followLinks } from '../files/links.ts';
import { type LockMachine, withLock } from '../files/lock.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { removeTemporaryFilesOf } from '../files/stray-files.ts';
import { aliasesIn, CONFIG_VERSION } from './config-file.ts';
import { configPath, type Platform } from './platform.ts';
import { type ProfilesFile, readProfiles } from './profiles-file.ts';

const LOCK_WAIT_MS = 10_000;

export interface StoreOptions {
  readonly surroundings: Platform;
  readonly machine: LockMachine;
}

export type JsonObject = Record<string, unknown>;

/** What will be written, changed in place. */
export interface Draft {
  readonly path: string;
  current: string | undefined;
  readonly profiles: Record<string, JsonObject>;
  readonly aliases: Record<string, string>;
}

/** The path of the profiles file. Throws UsageError where the machine has no place for it. */
export function profilesPath(surroundings: Platform): string {
  const path = configPath(surroundings);
  if (path !== undefined) return path;
  throw new UsageError('there is no folder for profiles: neither HOME nor GATECTL_CONFIG_DIR is set', {
    code: 'missing_setting',
    hints: [
      'set GATECTL_CONFIG_DIR to a folder, or use GATECTL_BASE_URL and GATECTL_API_KEY without a profile',
    ],
  });
}

/** Reads, changes and writes the file under its lock, so that two writers at once lose nothing. Throws FileError, and what `edit` throws. */
export async function change<Result>(
  { surroundings, machine }: StoreOptions,
  edit: (draft: Draft, file: ProfilesFile) => Result,
): Promise<Result> {
  const path = profilesPath(surroundings);
  await makePrivateFolder(dirname(path));
  return withLock(path, { machine, wait: LOCK_WAIT_MS }, async () => {
    await removeLeftovers(path);
    const file = await readProfiles(path, surroundings.platform);
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

/** A write that was killed leaves a file that holds the keys. */
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
    // The lock beside it was made by this process: its owner is us.
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
