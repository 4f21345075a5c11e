import { isScalar, isSeq, type Node } from 'yaml';
import { SECRET } from '../../config/project-settings.ts';
import { parseYamlMap, type YamlEntry, type YamlMap } from '../../config/yaml-map.ts';
import { UsageError } from '../../errors/index.ts';
import { nearest } from '../../errors/nearest.ts';
import { flagName, type Option } from './define-command.ts';

// biome-ignore lint/suspicious/noExplicitAny: the values differ per option.
type Options = Readonly<Record<string, Option<any>>>;

/** The error for a place in a file. */
export type InvalidYaml = (place: string, problem: string, hints?: readonly string[]) => UsageError;

interface YamlFlagsOptions {
  /** What the file is, in messages: `a saved query`. */
  readonly what: string;
  /** A member as an example: `metric: visits`. */
  readonly example: string;
  /** Members that are no flags. */
  readonly members?: Readonly<Record<string, (entry: YamlEntry, map: YamlMap, invalid: InvalidYaml) => void>>;
  /** Flags that do not belong in the file, and what to type instead. */
  readonly elsewhere?: { readonly options: Options; readonly hint: (flag: string) => string };
}

/** Flags from a file. */
interface YamlFlags {
  /** Values by the keys of the options, of those that the file sets. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Line and column of each value, by the name of its flag: `--metric`. */
  readonly places: ReadonlyMap<string, string>;
}

/** The name of a flag in a file: `data-set` of `--data-set <name>`. */
export function yamlName({ flags }: Pick<Option<unknown>, 'flags'>): string {
  return flagName(flags).slice(2);
}

/**
 * Reads flags from a YAML file by their names, a list where a flag may be repeated. Throws UsageError with line and column, and the
 * nearest name for an unknown one.
 */
export function readYamlFlags(
  path: string,
  text: string,
  options: Options,
  { what, example, members = {}, elsewhere }: YamlFlagsOptions,
): YamlFlags {
  const invalid: InvalidYaml = (place, problem, hints = []) =>
    new UsageError(`${path}:${place}: ${problem}`, { code: 'invalid_input', hints });
  const map = parseYamlMap(text, { expected: `flags, such as ${example}`, member: 'flag', invalid });
  const byName = new Map(Object.entries(options).map(([key, option]) => [yamlName(option), { key, option }]));
  const values: Record<string, unknown> = {};
  const places = new Map<string, string>();
  for (const entry of map.entries) {
    const { name, namePlace, place } = entry;
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    const found = byName.get(name);
    if (member !== undefined) member(entry, map, invalid);
    else if (found === undefined) throw unknown(name, namePlace);
    else {
      places.set(flagName(found.option.flags), place);
      values[found.key] = flagValue(entry, found.option, map, invalid);
    }
  }
  return { values, places };

  function unknown(name: string, place: string): UsageError {
    const other = Object.values(elsewhere?.options ?? {}).find(option => yamlName(option) === name);
    if (other !== undefined && elsewhere !== undefined)
      return invalid(place, `${name} is not part of ${what}`, [elsewhere.hint(name)]);
    if (SECRET.test(name)) return invalid(place, `${JSON.stringify(name)}: ${what} contains no secrets`);
    const names = [...byName.keys(), ...Object.keys(members)];
    const near = nearest(name.replaceAll('_', '-'), names);
    return invalid(place, `unknown flag ${JSON.stringify(name)}`, [
      near === undefined ? `flags: ${names.join(', ')}` : `did you mean ${near}?`,
    ]);
  }
}

function flagValue(
  { name, value, place }: YamlEntry,
  option: Option<unknown>,
  { placeOf }: YamlMap,
  invalid: InvalidYaml,
): unknown {
  if (value === null || (isScalar(value) && value.value === null))
    throw invalid(place, `${name} has no value`);
  if (option.kind === 'switch') {
    if (!isScalar(value) || typeof value.value !== 'boolean')
      throw invalid(place, `${name} must be true or false`);
    return value.value;
  }
  if (option.kind === 'single' && isSeq(value)) throw invalid(place, `${name} has one value, not a list`);
  const items: readonly Node[] = isSeq<Node>(value) ? value.items : [value];
  const read = items.map(item => {
    if (!isScalar(item) || item.value === null || item.value === '')
      throw invalid(placeOf(item), `${name} must be text or a number`);
    try {
      return option.read(typeof item.value === 'string' ? item.value : (item.source ?? String(item.value)));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw invalid(placeOf(item), error.message, error.hints);
    }
  });
  return option.kind === 'list' ? read : read[0];
}

/** An error about a flag of a file, with its place there; another error unchanged. `isTyped`: the flag was typed instead. */
export function inYamlFile(
  error: UsageError,
  path: string,
  places: ReadonlyMap<string, string>,
  isTyped: (flag: string) => boolean,
): UsageError {
  const flag = (error.message.match(/--[a-z][a-z-]*/g) ?? []).find(
    each => places.has(each) && !isTyped(each),
  );
  if (flag === undefined) return error;
  const { code, hints, reason, details } = error;
  return new UsageError(`${path}:${places.get(flag)}: ${error.message}`, {
    code,
    hints,
    reason,
    details,
    cause: error,
  });
}
