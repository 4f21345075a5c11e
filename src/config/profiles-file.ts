import { nearest } from '../errors/nearest.ts';
import { invalidFile, isObject, type JsonObject, readConfig } from './config-file.ts';
import { type KeySource, keySourceFromJson } from './key-source.ts';
import { SETTING_NAMES, SETTINGS, type SettingKey, settingKey } from './settings.ts';

/** A profile as stored: types are checked, values are not. */
export interface Profile {
  readonly name: string;
  readonly values: Readonly<Partial<Record<SettingKey, string | number | boolean>>>;
  readonly key: KeySource | undefined;
  /** Scheme, host and port of the gateway for which the key was stored; undefined if the file does not record it. */
  readonly keyOrigin?: string | undefined;
}

export interface ProfilesFile {
  /** Undefined if there is no folder for it. */
  readonly path: string | undefined;
  /** In the order of their creation. */
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly current: string | undefined;
  /** Messages about unknown settings and about a key that other users can read. */
  readonly warnings: readonly string[];
  /** The parsed JSON, to preserve unknown fields when the file is written. */
  readonly json: Readonly<Record<string, unknown>>;
}

/**
 * Reads the profiles; none if the file is missing. Throws FileError for a file that cannot be read, is invalid, or was written by a
 * newer version.
 */
export async function readProfiles(
  path: string | undefined,
  platform: NodeJS.Platform,
): Promise<ProfilesFile> {
  const found = path === undefined ? undefined : await readConfig(path);
  if (path === undefined || found === undefined)
    return { path, profiles: new Map(), current: undefined, warnings: [], json: {} };
  const warnings: string[] = [];
  const { json } = found;
  const { profiles, current } = validated(path, json, warnings);
  const holdsKey = [...profiles.values()].some(profile => profile.key?.kind === 'config');
  if (holdsKey && platform !== 'win32' && (found.mode & 0o077) !== 0)
    warnings.push(`other users can read ${path}, which contains an API key; restrict it with chmod 600`);
  return { path, profiles, current, warnings, json };
}

function validated(
  path: string,
  json: JsonObject,
  warnings: string[],
): Pick<ProfilesFile, 'profiles' | 'current'> {
  const invalid = (what: string) => invalidFile(path, what);
  if (json.current !== undefined && typeof json.current !== 'string')
    throw invalid('current must be a string');
  if (!isObject(json.profiles)) throw invalid('profiles must be an object');
  const profiles = new Map<string, Profile>();
  for (const [name, entry] of Object.entries(json.profiles)) {
    const profile = profileFromJson(name, entry, warnings);
    if (typeof profile === 'string') throw invalid(`profile ${JSON.stringify(name)}: ${profile}`);
    profiles.set(name, profile);
  }
  return { profiles, current: json.current };
}

function profileFromJson(name: string, entry: unknown, warnings: string[]): Profile | string {
  if (!isObject(entry)) return 'must be an object';
  const values: Partial<Record<SettingKey, string | number | boolean>> = {};
  let key: KeySource | undefined;
  let keyOrigin: string | undefined;
  for (const [member, value] of Object.entries(entry)) {
    if (member === 'key') {
      const source = keySourceFromJson(value);
      if (typeof source === 'string') return source;
      const { origin } = value as { readonly origin?: unknown };
      if (origin !== undefined && typeof origin !== 'string') return 'key.origin must be a string';
      key = source;
      keyOrigin = origin;
      continue;
    }
    const setting = settingKey(member);
    if (setting === undefined) {
      const similar = nearest(member, SETTING_NAMES);
      const hint = similar === undefined ? '' : `; did you mean ${similar}?`;
      warnings.push(`profile ${JSON.stringify(name)}: unknown setting ${JSON.stringify(member)}${hint}`);
    } else if (typeof value === SETTINGS[setting].type) {
      values[setting] = value as string | number | boolean;
    } else {
      return `${member} must be a ${SETTINGS[setting].type}`;
    }
  }
  return { name, values, key, keyOrigin };
}
