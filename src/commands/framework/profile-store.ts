import type { StoreOptions } from '../../config/change.ts';
import { describeKeySource } from '../../config/key-source.ts';
import { configPath } from '../../config/platform.ts';
import { type Profile, type ProfilesFile, readProfiles } from '../../config/profiles-file.ts';
import { profileNamed } from '../../config/resolve.ts';
import { missingSetting } from '../../errors/usage.ts';
import type { JsonRecord } from '../../json/index.ts';
import type { Context } from './context.ts';
import { lockMachine } from './lock-machine.ts';

/** The options for writing profiles. */
export function storeOptions(context: Context): StoreOptions {
  return {
    system: context.io,
    machine: lockMachine(context),
  };
}

/** The stored profiles. Throws FileError for an invalid file. */
export function storedProfiles({ io }: Context): Promise<ProfilesFile> {
  return readProfiles(configPath(io), io.platform);
}

/** The stored profiles as data, without their keys; warnings about them are printed. */
export async function profileRecords(context: Context): Promise<readonly JsonRecord[]> {
  const { profiles, current, warnings } = await storedProfiles(context);
  for (const warning of warnings) context.log.warn(warning);
  return [...profiles.values()].map(({ name, values, key }) => ({
    name,
    inUse: name === current,
    baseUrl: values.baseUrl ?? null,
    domain: values.domain ?? null,
    key: key === undefined ? 'environment GATECTL_API_KEY' : describeKeySource(key),
  }));
}

/** The profile of a command without a NAME. Throws UsageError if none is selected. */
export async function chosenProfile(context: Context): Promise<string> {
  const settings = await context.settings();
  if (settings.profile.value !== undefined) return settings.profile.value;
  throw missingSetting('no profile is in use', 'choose one: gatectl profile use NAME, or add --profile NAME');
}

/** A stored profile. Throws UsageError for an unknown one. */
export async function storedProfile(name: string, context: Context): Promise<Profile> {
  return profileNamed(await storedProfiles(context), name);
}
