import { isScalar } from 'yaml';
import { FileError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';
import { PROJECT_SETTING_NAMES, SETTING_NAMES, SETTINGS, type SettingKey, settingKey } from './settings.ts';
import { parseYamlMap } from './yaml-map.ts';

/** The settings of a project: types are checked, values are not. */
export interface ProjectFile {
  readonly path: string;
  readonly profile: ProjectValue<string> | undefined;
  readonly values: Readonly<Partial<Record<SettingKey, ProjectValue<string | number | boolean>>>>;
}

export interface ProjectValue<Value> {
  readonly value: Value;
  /** Line and column in the file, such as `3:9`. */
  readonly place: string;
}

/** Names of values that belong in no file of a project. */
export const SECRET = /key|token|secret|password|credential/i;

/**
 * Parses a project file. Throws FileError, with line and column, for invalid YAML, an unknown setting, a setting that belongs in a
 * profile, a secret, and a value of the wrong type.
 */
export function parseProjectFile(path: string, text: string): ProjectFile {
  const invalid = (place: string, problem: string) =>
    new FileError(`${path}:${place}: ${problem}`, { path, code: 'invalid_file' });
  const { entries } = parseYamlMap(text, {
    expected: 'settings, such as profile: news',
    member: 'setting',
    invalid,
  });
  let profile: ProjectValue<string> | undefined;
  const values: { [Key in SettingKey]?: ProjectValue<string | number | boolean> } = {};
  for (const { name, value, namePlace, place } of entries) {
    const problem = misplacement(name);
    if (problem !== undefined) throw invalid(namePlace, problem);
    const key = settingKey(name);
    const type = key === undefined ? 'string' : SETTINGS[key].type;
    const scalar = isScalar(value) ? value.value : undefined;
    if (typeof scalar !== type) throw invalid(place, `${name} must be a ${type}`);
    if (key === undefined) profile = { value: scalar as string, place };
    else values[key] = { value: scalar as string | number | boolean, place };
  }
  return { path, profile, values };
}

/** Why a setting does not belong in a project file; undefined for one that does. Its value is never quoted. */
function misplacement(name: string): string | undefined {
  if (name === 'profile' || PROJECT_SETTING_NAMES.includes(name)) return undefined;
  if (name !== 'key-in' && SECRET.test(name))
    return `${name}: a project file must not contain secrets; store the key with gatectl login, or set GATECTL_API_KEY`;
  if (SETTING_NAMES.includes(name)) return `${name} belongs in a profile: gatectl profile set ${name}`;
  const names = ['profile', ...PROJECT_SETTING_NAMES];
  const similar = nearest(name.replaceAll('_', '-'), names);
  const hint = similar === undefined ? `the settings are: ${names.join(', ')}` : `did you mean ${similar}?`;
  return `unknown setting ${JSON.stringify(name)}; ${hint}`;
}
