import type { Resolved } from '../../config/resolve.ts';
import type { SettingKey } from '../../config/settings.ts';
import { SETTINGS } from '../../config/settings.ts';

/** The command that stores a setting in the current profile, which it names unless it is the default one: `domain DOMAIN`. */
export function profileSetCommand(profile: Resolved<string | undefined>, words: string): string {
  const isUsual = profile.value === undefined || profile.origin === 'profiles file';
  return `gatectl profile set ${words}${isUsual ? '' : ` -p ${profile.value}`}`;
}

/** How to correct a value at its origin. */
export function correction(
  key: SettingKey,
  { origin }: Resolved<unknown>,
  profile: Resolved<string | undefined>,
  value: string,
): string {
  const { name, flag = name, environment } = SETTINGS[key];
  if (origin.startsWith('flag')) return `type --${flag} ${value}`;
  if (origin.startsWith('environment') && environment !== undefined) return `set ${environment}=${value}`;
  if (origin.startsWith('project file'))
    return `set ${name}: ${value} in ${origin.slice('project file '.length)}`;
  return profileSetCommand(profile, `${name} ${value}`);
}
