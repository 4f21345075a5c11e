import { isMap, isScalar, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { FileError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';
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
}

const SECRET = /key|token|secret|password|credential/i;

/**
 * Parses a project file. Throws FileError, with line and column, for invalid YAML, an unknown setting, a setting that belongs in a
 * profile, a secret, and a value of the wrong type.
 */
export function parseProjectFile(path: string, text: string): ProjectFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  };
  const invalid = (offset: number, problem: string) =>
    new FileError(`${path}:${placeAt(offset)}: ${problem}`, { path, code: 'invalid_file' });

  // The library's message quotes the text, which may contain a secret.
  const [error] = document.errors;
  if (error !== undefined)
    throw invalid(error.pos[0], error.code === 'DUPLICATE_KEY' ? 'duplicate setting' : 'not valid YAML');
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null))
    return { path, profile: undefined, values: {} };
  if (!isMap<Node, Node | null>(contents))
    throw invalid(startOf(contents), 'expected settings, such as profile: news');

  let profile: ProjectValue<string> | undefined;
  const values: { [Key in SettingKey]?: ProjectValue<string | number | boolean> } = {};
  for (const pair of contents.items) {
    const { name, at } = nameOf(pair, invalid);
    const problem = misplacement(name);
    if (problem !== undefined) throw invalid(at, problem);
    const key = settingKey(name);
    const type = key === undefined ? 'string' : SETTINGS[key].type;
    const { value } = pair;
    const scalar = isScalar(value) ? value.value : undefined;
    if (typeof scalar !== type)
      throw invalid(value === null ? at : startOf(value), `${name} must be a ${type}`);
    const place = placeAt(value === null ? at : startOf(value));
    if (key === undefined) profile = { value: scalar as string, place };
    else values[key] = { value: scalar as string | number | boolean, place };
  }
  return { path, profile, values };
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

function nameOf(
  { key }: Pair<Node, Node | null>,
  invalid: (offset: number, problem: string) => FileError,
): { readonly name: string; readonly at: number } {
  if (isScalar(key) && typeof key.value === 'string') return { name: key.value, at: startOf(key) };
  throw invalid(startOf(key), 'expected the name of a setting');
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
