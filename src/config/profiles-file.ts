import { nearest } from '../errors/nearest.ts';
import { brokenFile, isObject, type JsonObject, readConfig } from './config-file.ts';
import { type KeySource, keySourceFromJson } from './key-source.ts';
import { SETTING_NAMES, SETTINGS, type SettingKey, settingKey } from './settings.ts';

/** A profile as stored: types are right, values are not yet checked. */
export interface Profile {
  readonly name: string;
  readonly values: Readonly<Partial<Record<SettingKey, string | number | boolean>>>;
  readonly key: KeySource | undefined;
  /** Scheme, host and port of the gateway that the key was stored for; undefined in files where that was not written down. */
  readonly keyOrigin?: string | undefined;
}

export interface ProfilesFile {
  /** Undefined where the machine has no folder for it. */
  readonly path: string | undefined;
  /** In the order in which they were added. */
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly current: string | undefined;
  /** Sentences for the user: unknown settings, a key that others can read. */
  readonly warnings: readonly string[];
  /** The parsed JSON, for writing it back without losing what this version does not know. */
  readonly json: Readonly<Record<string, unknown>>;
}

/**
 * Reads the profiles. A missing file holds none.
 * Throws FileError for a file that can't be read, is broken, or was written by a newer version; it is never touched.
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
    warnings.push(`${path} holds an API key and other users can open it; make it yours alone with chmod 600`);
  return { path, profiles, current, warnings, json };
}

function validated(
  path: string,
  json: JsonObject,
  warnings: string[],
): Pick<ProfilesFile, 'profiles' | 'current'> {
  const broken = (what: string) => brokenFile(path, what);
  if (json.current !== undefined && typeof json.current !== 'string')
    throw broken('current must be a string');
  if (!isObject(json.profiles)) throw broken('profiles must be an object');
  const profiles = new Map<string, Profile>();
  for (const [name, entry] of Object.entries(json.profiles)) {
    const profile = profileFromJson(name, entry, warnings);
    if (typeof profile === 'string') throw broken(`profile ${JSON.stringify(name)}: ${profile}`);
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
      const meant = nearest(member, SETTING_NAMES);
      const advice = meant === undefined ? '' : `; did you mean ${meant}?`;
      warnings.push(
        `profile ${JSON.stringify(name)}: the setting ${JSON.stringify(member)} is not known${advice}`,
      );
    } else if (typeof value === SETTINGS[setting].type) {
      values[setting] = value as string | number | boolean;
    } else {
      return `${member} must be a ${SETTINGS[setting].type}`;
    }
  }
  return { name, values, key, keyOrigin };
}
