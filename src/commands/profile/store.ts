import type { StoreOptions } from '../../config/change.ts';
import { configPath } from '../../config/platform.ts';
import type { ProfilesFile } from '../../config/profiles-file.ts';
import { readProfiles } from '../../config/profiles-file.ts';
import { UsageError } from '../../errors/index.ts';
import type { Context } from '../framework/context.ts';
import { lockMachine } from '../framework/lock-machine.ts';

/** What writing profiles takes. */
export function storeOptions(context: Context): StoreOptions {
  return {
    surroundings: context.io,
    machine: lockMachine(context),
  };
}

/** The profiles as they are stored. Throws FileError for a broken file. */
export function storedProfiles({ io }: Context): Promise<ProfilesFile> {
  return readProfiles(configPath(io), io.platform);
}

/** The profile that a command without a NAME is about. Throws UsageError when none is chosen. */
export async function chosenProfile(context: Context): Promise<string> {
  const settings = await context.settings();
  if (settings.profile.value !== undefined) return settings.profile.value;
  throw new UsageError('no profile is chosen', {
    code: 'missing_setting',
    hints: ['choose one: gatectl profile use NAME, or add --profile NAME'],
  });
}
