import { resolve } from 'node:path';
import { UsageError } from '../errors/index.ts';
import { type Draft, type JsonObject, profilesPath, type StoreOptions, updateProfiles } from './change.ts';
import { type KeySource, keySourceToJson } from './key-source.ts';
import { type Profile, readProfiles } from './profiles-file.ts';
import { keyOriginOf, profileNamed, requireValid } from './resolve.ts';
import { SETTING_NAMES, SETTINGS, type Setting, type SettingKey, settingKey } from './settings.ts';
import { type CheckedValue, isPlainRemote } from './values.ts';

type SettingTexts = { readonly [Key in SettingKey]?: string | undefined };

interface ProfileInput {
  readonly settings: SettingTexts;
  readonly key: KeySource | undefined;
  /** Discards the settings and the key of an existing profile. */
  readonly replace?: boolean;
  readonly insecureHttp?: boolean;
}

/** A valid profile name: letters, digits, dots, hyphens and underscores, starting with a letter or digit. */
export function checkProfileName(text: string): CheckedValue<string> {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)) return { value: text };
  return {
    problem: 'is not a valid profile name',
    hint: 'use letters, digits, dots, hyphens and underscores, starting with a letter or digit',
  };
}

/**
 * Creates or updates a profile; the first one becomes the current one. Throws UsageError for an invalid name or value, and for a
 * base URL that would send a stored key to another origin.
 */
export async function saveProfile(
  options: StoreOptions,
  name: string,
  { settings, key, replace = false, insecureHttp = false }: ProfileInput,
): Promise<{ path: string; isCurrent: boolean; isNew: boolean }> {
  requireValid(checkProfileName(name), `the name ${JSON.stringify(name)}`);
  const values: JsonObject = {};
  for (const [member, text] of Object.entries(settings)) {
    const settingKey = member as SettingKey;
    if (text !== undefined)
      values[SETTINGS[settingKey].name] = storable(settingKey, text, options, insecureHttp);
  }
  return updateProfiles(options, (draft, file) => {
    const existing = replace ? undefined : file.profiles.get(name);
    const entry = { ...(existing && draft.profiles[name]), ...values };
    if (key !== undefined) entry.key = boundKey(keySourceToJson(key), entry);
    else if (existing?.key !== undefined && settings.baseUrl !== undefined) {
      assertSameOrigin(existing, String(entry[SETTINGS.baseUrl.name]), undefined);
      entry.key = boundKey(entry.key as JsonObject, entry);
    }
    draft.profiles[name] = entry;
    if (file.profiles.size === 0) draft.current = name;
    return { path: draft.path, isCurrent: draft.current === name, isNew: !file.profiles.has(name) };
  });
}

/**
 * Replaces the key of a profile and binds it to the origin of its base URL; resolves to the profile before the change. Throws
 * UsageError for an unknown profile and for one without a base URL.
 */
export async function setKey(options: StoreOptions, name: string, key: KeySource): Promise<Profile> {
  return changeProfile(options, name, (_, entry, before) => {
    if (before.values.baseUrl === undefined)
      throw new UsageError(`profile ${name} has no base URL to send a key to`, {
        code: 'missing_setting',
        reason: 'no_base_url_for_key',
      });
    entry.key = boundKey(keySourceToJson(key), entry);
    return before;
  });
}

/** Makes a profile the current one. Throws UsageError for an unknown profile. */
export async function useProfile(options: StoreOptions, name: string): Promise<void> {
  await changeProfile(options, name, draft => {
    draft.current = name;
  });
}

interface SetOptions {
  readonly insecureHttp?: boolean;
  /** The key for the new base URL. */
  readonly key?: KeySource | undefined;
  /** The origin whose stored key to use for the new base URL. */
  readonly moveKeyFrom?: string | undefined;
}

/**
 * Stores a setting by its name; resolves to the stored value. Throws UsageError for an unknown profile or setting, an invalid value,
 * and a base URL with another origin unless a new key or `moveKeyFrom` is given.
 */
export async function setSetting(
  options: StoreOptions,
  profile: string,
  name: string,
  text: string,
  { insecureHttp = false, key: newKey, moveKeyFrom }: SetOptions = {},
): Promise<string> {
  const key = knownSetting(name);
  const value = storable(key, text, options, insecureHttp);
  await changeProfile(options, profile, (_, entry, now) => {
    entry[name] = value;
    if (key !== 'baseUrl') return;
    if (newKey !== undefined) entry.key = boundKey(keySourceToJson(newKey), entry);
    else if (now.key !== undefined) {
      assertSameOrigin(now, String(value), moveKeyFrom);
      entry.key = boundKey(entry.key as JsonObject, entry);
    }
  });
  return String(value);
}

/** The JSON form of a key, with the origin of its profile's base URL. */
function boundKey(key: JsonObject, entry: JsonObject): JsonObject {
  const baseUrl = entry[SETTINGS.baseUrl.name];
  return baseUrl === undefined ? key : { ...key, origin: new URL(String(baseUrl)).origin };
}

function assertSameOrigin(profile: Profile, baseUrl: string, moveKeyFrom: string | undefined): void {
  const before = keyOriginOf(profile);
  const { origin } = new URL(baseUrl);
  if (before === origin) return;
  if (before !== undefined && moveKeyFrom !== undefined && originOf(moveKeyFrom) === before) return;
  if (before === undefined)
    throw new UsageError(`the key of profile ${profile.name} was stored for no gateway`, {
      code: 'key_not_for_gateway',
      reason: { name: 'key_of_other_gateway' },
    });
  throw new UsageError(
    `the key of profile ${profile.name} was stored for ${before} and is not sent to ${origin}`,
    { code: 'key_not_for_gateway', reason: { name: 'key_of_other_gateway', before, origin } },
  );
}

function originOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

/** Removes a setting, which restores its default. Throws UsageError for an unknown profile or setting. */
export async function unsetSetting(options: StoreOptions, profile: string, name: string): Promise<void> {
  const key = knownSetting(name);
  await changeProfile(options, profile, (_, entry, now) => {
    // Otherwise the key would be sent to the next base URL.
    const origin = keyOriginOf(now);
    if (key === 'baseUrl' && now.key !== undefined && origin !== undefined)
      entry.key = { ...(entry.key as JsonObject), origin };
    delete entry[name];
  });
}

/** Removes a profile and resolves to it, so that its keyring entry can be removed. Throws UsageError for an unknown one. */
export async function removeProfile(
  options: StoreOptions,
  name: string,
): Promise<{ removed: Profile; wasCurrent: boolean }> {
  return changeProfile(options, name, (draft, _, removed) => {
    delete draft.profiles[name];
    const wasCurrent = draft.current === name;
    if (wasCurrent) draft.current = undefined;
    return { removed, wasCurrent };
  });
}

async function changeProfile<Result>(
  options: StoreOptions,
  name: string,
  edit: (draft: Draft, entry: JsonObject, profile: Profile) => Result,
): Promise<Result> {
  const { system } = options;
  // Checked first without creating a file, and then again under the lock.
  profileNamed(await readProfiles(profilesPath(system), system.platform), name);
  return updateProfiles(options, (draft, file) => {
    const profile = profileNamed(file, name);
    const result = edit(draft, draft.profiles[name] ?? {}, profile);
    assertStillRestricted(profile, draft.profiles[name]);
    return result;
  });
}

/** Throws UsageError where a change would take back what restricts: only somebody who edits the file can. */
function assertStillRestricted({ name, values }: Profile, after: JsonObject | undefined): void {
  for (const key of ['readOnly', 'policy'] as const) {
    const { name: setting } = SETTINGS[key];
    const isSet = values[key] !== undefined && values[key] !== false;
    if (!isSet || after === undefined || after[setting] === values[key]) continue;
    throw new UsageError(`${setting} of the profile ${name} is not taken back by a command`, {
      code: 'read_only',
    });
  }
}

function knownSetting(name: string): SettingKey {
  const key = settingKey(name);
  if (key !== undefined) return key;
  if (/^(api-?)?key$/i.test(name))
    throw new UsageError('cannot accept an API key on the command line, where other users can see it', {
      code: 'key_on_command_line',
      reason: 'key_as_setting',
    });
  throw new UsageError(`there is no setting ${JSON.stringify(name)}`, {
    code: 'unknown_name',
    reason: { name: 'unknown_name', typed: name, what: 'settings', existing: SETTING_NAMES },
  });
}

/** The value to store for a typed text. Throws UsageError. */
function storable(
  key: SettingKey,
  text: string,
  { system }: StoreOptions,
  insecureHttp = false,
): string | number | boolean {
  const setting: Setting<string | number | boolean | undefined> = SETTINGS[key];
  const value = requireValid((setting.checkStored ?? setting.check)(text), setting.name);
  if (key === 'baseUrl' && !insecureHttp && isPlainRemote(String(value)))
    throw new UsageError(`base-url would send the API key unencrypted: ${value}`, {
      code: 'insecure_url',
      reason: { name: 'plain_gateway' },
    });
  if (value === undefined) return text;
  return setting.isPath ? resolve(system.cwd, String(value)) : value;
}
