import { documentSchema, readDocument } from '../documents/document.ts';
import {
  converted,
  FLAG,
  type Form,
  NONEMPTY_TEXT,
  NUMBER,
  object,
  optional,
  SECRET,
} from '../documents/forms.ts';
import type { DocumentError, Located } from '../documents/located.ts';
import { FileError } from '../errors/index.ts';
import { PROJECT_SETTING_NAMES, SETTING_NAMES, SETTINGS, type SettingKey, settingKey } from './settings.ts';

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
  /** The file, where it is not that of the other values. */
  readonly file?: string;
}

const FORMS = { string: NONEMPTY_TEXT, number: NUMBER, boolean: FLAG };

function placed<Value>(form: Form<Value>): Form<ProjectValue<Value>> {
  return converted(form, (value, { place }) => ({ value, place }));
}

/** The project file: a profile, and settings that neither lead requests elsewhere nor are secret. */
export const PROJECT_FORM = object(
  {
    profile: optional('The profile that commands use here', placed(NONEMPTY_TEXT)),
    ...Object.fromEntries(
      PROJECT_SETTING_NAMES.map(name => {
        const { type, description } = SETTINGS[settingKey(name) as SettingKey];
        const summary = description.charAt(0).toUpperCase() + description.slice(1);
        return [name, optional(summary, placed<string | number | boolean>(FORMS[type]))];
      }),
    ),
  },
  { unknown: misplaced },
);

/** The JSON Schema of a project file. */
export const PROJECT_SCHEMA = documentSchema(
  '.gatectl.yaml',
  'The profile and the settings of a project. The file contains no secrets.',
  PROJECT_FORM,
);

/**
 * Parses a project file. Throws FileError, with line and column, for invalid YAML, an unknown setting, a setting that belongs in a
 * profile, a secret, and a value of the wrong type.
 */
export function parseProjectFile(path: string, text: string): ProjectFile {
  const { profile, ...settings } = readDocument(PROJECT_FORM, text, {
    file: path,
    error: (message, { advice }) => new FileError(message, { path, code: 'invalid_file', ...advice }),
  }).value as { profile?: ProjectValue<string> } & Record<string, ProjectValue<string | number | boolean>>;
  const values = Object.entries(settings).map(([name, value]) => [settingKey(name), value]);
  return { path, profile, values: Object.fromEntries(values) };
}

function misplaced(setting: Located): DocumentError | undefined {
  const { name } = setting;
  if (!SETTING_NAMES.includes(name) || (name !== 'key-in' && SECRET.test(name))) return undefined;
  return setting.invalidName(`${name} belongs in a profile: gatectl profile set ${name}`);
}
