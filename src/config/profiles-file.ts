import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { FileError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';
import { fileError, systemCode } from '../files/file-error.ts';
import { type KeySource, keySourceFromJson } from './key-source.ts';
import { SETTING_NAMES, SETTINGS, type SettingKey, settingKey } from './settings.ts';

/** The format that this version reads and writes. */
export const PROFILES_VERSION = 1;

const SIZE_LIMIT = 1 << 20;

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
  const found = path === undefined ? undefined : readConfig(path);
  if (path === undefined || found === undefined)
    return { path, profiles: new Map(), current: undefined, warnings: [], json: {} };
  const warnings: string[] = [];
  const { json, profiles, current } = validated(path, await parse(path, found.text), warnings);
  const holdsKey = [...profiles.values()].some(profile => profile.key?.kind === 'config');
  if (holdsKey && platform !== 'win32' && (found.mode & 0o077) !== 0)
    warnings.push(`${path} holds an API key and other users can open it; make it yours alone with chmod 600`);
  return { path, profiles, current, warnings, json };
}

/** The aliases of a profiles file, by name. Throws FileError for ones that are not texts. */
export function aliasesIn({ json, path }: Pick<ProfilesFile, 'json' | 'path'>): ReadonlyMap<string, string> {
  const stored = json.aliases ?? {};
  const broken = new FileError(`${path} is broken: aliases must be an object of strings`, {
    path: path ?? '',
    code: 'invalid_file',
  });
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) throw broken;
  const entries = Object.entries(stored);
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  if (texts.length < entries.length) throw broken;
  return new Map(texts);
}

function readConfig(path: string): { text: string; mode: number } | undefined {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK a FIFO in its place would hang every command.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (stats.isDirectory())
      throw new FileError(`${path} is a folder, not a file`, { path, code: 'not_a_file' });
    if (!stats.isFile()) throw new FileError(`${path} is not a regular file`, { path, code: 'not_a_file' });
    if (stats.size > SIZE_LIMIT)
      throw new FileError(`${path} is too large for a profiles file: ${stats.size} bytes`, {
        path,
        code: 'invalid_file',
      });
    return { text: readFileSync(descriptor, 'utf8').replace(/^\uFEFF/, ''), mode: stats.mode };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError(path, error, 'read');
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** JSON.parse's own message quotes the text around the fault, which may hold the key: only the place is told. */
async function parse(path: string, text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    const { parse: parseWithPosition } = await import('lossless-json');
    let place = '';
    try {
      parseWithPosition(text);
    } catch (error) {
      const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
      if (position !== undefined) place = ` at line ${text.slice(0, Number(position)).split('\n').length}`;
    }
    throw new FileError(`${path} is broken: not valid JSON${place}`, { path, code: 'invalid_file' });
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function validated(
  path: string,
  json: unknown,
  warnings: string[],
): Pick<ProfilesFile, 'json' | 'profiles' | 'current'> {
  const broken = (what: string) =>
    new FileError(`${path} is broken: ${what}`, { path, code: 'invalid_file' });
  if (!isObject(json)) throw broken('it must hold one JSON object');
  const version = json.version;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw broken('version must be a whole number');
  if (version > PROFILES_VERSION)
    throw new FileError(
      `${path} was written by a newer gatectl: format ${version}, and this one reads ${PROFILES_VERSION}`,
      { path },
    );
  if (json.current !== undefined && typeof json.current !== 'string')
    throw broken('current must be a string');
  if (!isObject(json.profiles)) throw broken('profiles must be an object');
  const profiles = new Map<string, Profile>();
  for (const [name, entry] of Object.entries(json.profiles)) {
    const profile = profileFromJson(name, entry, warnings);
    if (typeof profile === 'string') throw broken(`profile ${JSON.stringify(name)}: ${profile}`);
    profiles.set(name, profile);
  }
  return { json, profiles, current: json.current };
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
