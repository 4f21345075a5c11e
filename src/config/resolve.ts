import { FileError, UsageError } from '../errors/index.ts';
import { invalidValue } from '../errors/usage.ts';
import type { KeySource } from './key-source.ts';
import { type Environment, environmentVariable } from './platform.ts';
import type { Profile, ProfilesFile } from './profiles-file.ts';
import type { ProjectFile, ProjectValue } from './project-settings.ts';
import { SETTING_KEYS, SETTINGS, type Setting, type SettingKey, type SettingValues } from './settings.ts';
import { type CheckedValue, checkTimeZone, isPlainRemote } from './values.ts';

/** The source of a value: `flag --base-url`, `environment GATECTL_BASE_URL`, `profile news`, `default`. */
type Origin =
  | `flag ${string}`
  | `environment ${string}`
  | `project file ${string}`
  | `profile ${string}`
  /** The profile is an argument of the command. */
  | 'argument'
  /** The profile is the current one (`profile use`). */
  | 'profiles file'
  | 'default';

export interface Resolved<Value> {
  readonly value: Value;
  readonly origin: Origin;
}

/** The values of flags, by setting; undefined for a flag that was not given. */
export type SettingFlags = { readonly [Key in SettingKey]?: string | number | boolean | undefined };

export interface ResolveInput {
  /** A profile that overrides flags and environment. */
  readonly named?: string | undefined;
  readonly flags: SettingFlags & {
    readonly profile?: string | undefined;
    /** Allows plain http to other machines. */
    readonly insecureHttp?: boolean | undefined;
  };
  readonly env: Environment;
  readonly file: ProfilesFile;
  readonly project?: ProjectFile | undefined;
}

/** Every setting with its origin, and the selected profile. */
export type Settings = { readonly [Key in SettingKey]: Resolved<SettingValues[Key]> } & {
  readonly profile: Resolved<string | undefined>;
  /** The profile's key source and the only gateway to which the key may be sent; see `resolveKey`. */
  readonly profileKey: ProfileKey | undefined;
  /** The policies of all places that name one. */
  readonly policies: readonly Resolved<string>[];
};

interface ProfileKey {
  readonly source: KeySource;
  /** Scheme, host and port of the gateway for which it was stored; undefined if the profile records none. */
  readonly belongsTo: string | undefined;
}

/**
 * Weighs flags, environment, project file, profile and defaults, in this order; `readOnly` is true if any of them says so, and all `policies`
 * apply. Only the value that wins is checked.
 * Throws UsageError for a bad flag or variable and for an unknown profile; FileError for a bad value in the project or profiles file.
 */
export function resolveSettings(input: ResolveInput): Settings {
  const { name, profile } = chosenProfile(input);
  const values = Object.fromEntries(SETTING_KEYS.map(key => [key, resolved(key, input, profile)]));
  const settings = {
    ...(values as { [Key in SettingKey]: Resolved<SettingValues[Key]> }),
    readOnly:
      placesOf('readOnly', input, profile).find(({ value }) => value) ?? resolved('readOnly', input, profile),
  };
  assertEncrypted(settings.baseUrl, input.flags.insecureHttp ?? false);
  const policies = placesOf('policy', input, profile).filter(
    (each): each is Resolved<string> => each.value !== undefined,
  );
  return { ...settings, profile: name, profileKey: profile && profileKey(profile), policies };
}

/**
 * The configured time zone; undefined for that of the machine. Loads the zone tables, so call it only to show times. Throws
 * UsageError for an unknown zone.
 */
export function existingTimeZone({ timeZone }: Pick<Settings, 'timeZone'>): string | undefined {
  if (timeZone.value === undefined) return undefined;
  const checked = checkTimeZone(timeZone.value);
  if ('problem' in checked)
    throw invalidValue(
      `the time zone ${JSON.stringify(timeZone.value)} (${timeZone.origin}) ${checked.problem}`,
      checked.hint,
    );
  return checked.value;
}

/** The time zone of this machine; undefined if TZ is invalid, which means UTC. Loads the zone tables. */
export function machineTimeZone(): string | undefined {
  const zone: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone === 'Etc/Unknown' ? undefined : zone;
}

/** A profile by name. Throws UsageError, whose reason lists the others. */
export function profileNamed(file: ProfilesFile, name: string, origin?: Origin): Profile {
  const profile = file.profiles.get(name);
  if (profile !== undefined) return profile;
  const from = origin === undefined || origin === 'argument' ? '' : ` (${origin})`;
  throw new UsageError(`there is no profile ${JSON.stringify(name)}${from}`, {
    code: 'unknown_profile',
    reason:
      file.path === undefined
        ? 'no_profiles_file'
        : {
            name: 'unknown_name',
            typed: name,
            what: 'profiles',
            existing: [...file.profiles.keys()],
            path: file.path,
          },
  });
}

function chosenProfile({ named, flags, env, file, project }: ResolveInput) {
  const name: Resolved<string | undefined> =
    named === undefined
      ? profileName(flags.profile, env, project, file.current)
      : { value: named, origin: 'argument' };
  const profile = name.value === undefined ? undefined : profileNamed(file, name.value, name.origin);
  return { name, profile };
}

function profileName(
  flag: string | undefined,
  env: Environment,
  project: ProjectFile | undefined,
  current: string | undefined,
): Resolved<string | undefined> {
  if (flag !== undefined) return { value: flag, origin: 'flag --profile' };
  const named = environmentVariable(env, 'GATECTL_PROFILE');
  if (named !== undefined) return { value: named, origin: 'environment GATECTL_PROFILE' };
  if (project?.profile !== undefined)
    return { value: project.profile.value, origin: `project file ${project.path}` };
  return { value: current, origin: current === undefined ? 'default' : 'profiles file' };
}

function resolved<Key extends SettingKey>(
  key: Key,
  { flags, env, file, project }: ResolveInput,
  profile: Profile | undefined,
): Resolved<SettingValues[Key]> {
  const setting: Setting<SettingValues[Key]> = SETTINGS[key];
  const flag = flags[key];
  if (flag !== undefined) {
    const checked = setting.check(String(flag));
    const name = `--${setting.flag ?? setting.name}`;
    return { value: requireValid(checked, name), origin: `flag ${name}` };
  }
  const name = setting.environment;
  const text = name === undefined ? undefined : environmentVariable(env, name);
  if (text !== undefined)
    return { value: requireValid(setting.check(text), `${name}`), origin: `environment ${name}` };
  const ofProject = project?.values[key];
  if (project !== undefined && ofProject !== undefined) {
    const path = ofProject.file ?? project.path;
    return { value: projectValue(setting, ofProject, path), origin: `project file ${path}` };
  }
  const stored = profile?.values[key];
  if (profile === undefined || stored === undefined) return { value: setting.fallback, origin: 'default' };
  const checked = setting.check(String(stored));
  if ('value' in checked) return { value: checked.value, origin: `profile ${profile.name}` };
  const where = `profile ${JSON.stringify(profile.name)}: ${setting.name}`;
  throw new FileError(`${file.path} is invalid: ${where} ${checked.problem}; ${checked.hint}`, {
    code: 'invalid_file',
    path: file.path ?? '',
  });
}

/** The values of all places: no place takes back what another one restricts. */
function placesOf<Key extends 'readOnly' | 'policy'>(
  key: Key,
  input: ResolveInput,
  profile: Profile | undefined,
): readonly Resolved<SettingValues[Key]>[] {
  const { flags, env, project } = input;
  const nothing = { ...input, flags: {}, env: {}, project: undefined };
  return [
    resolved(key, { ...nothing, flags }, undefined),
    resolved(key, { ...nothing, env }, undefined),
    resolved(key, { ...nothing, project }, undefined),
    resolved(key, nothing, profile),
  ];
}

function projectValue<Value>(
  setting: Setting<Value>,
  { value, place }: ProjectValue<string | number | boolean>,
  path: string,
): Value {
  const checked = setting.check(String(value));
  if ('value' in checked) return checked.value;
  throw new FileError(`${path}:${place}: ${setting.name} ${checked.problem}; ${checked.hint}`, {
    code: 'invalid_file',
    path,
  });
}

/** The value of a checked text. Throws UsageError that names its source `where`, with a hint. */
export function requireValid<Value>(checked: CheckedValue<Value>, where: string): Value {
  if ('value' in checked) return checked.value;
  throw invalidValue(`${where} ${checked.problem}`, checked.hint);
}

function assertEncrypted(baseUrl: Resolved<string | undefined>, allowed: boolean): void {
  if (allowed || baseUrl.value === undefined || !isPlainRemote(baseUrl.value)) return;
  throw new UsageError(
    `the base URL ${baseUrl.value} (${baseUrl.origin}) would send the API key unencrypted`,
    { code: 'insecure_url', reason: { name: 'plain_gateway', url: baseUrl.value } },
  );
}

function profileKey(profile: Profile): ProfileKey | undefined {
  if (profile.key === undefined) return undefined;
  return { source: profile.key, belongsTo: keyOriginOf(profile) };
}

/** The only origin to which a profile's key may be sent: the one for which it was stored, even if the base URL changed. */
export function keyOriginOf({
  keyOrigin,
  values,
}: Pick<Profile, 'keyOrigin' | 'values'>): string | undefined {
  if (keyOrigin !== undefined) return keyOrigin;
  const own = values.baseUrl;
  const checked = own === undefined ? undefined : SETTINGS.baseUrl.check(String(own));
  return checked !== undefined && 'value' in checked && checked.value !== undefined
    ? new URL(checked.value).origin
    : undefined;
}
