import type { UsageError } from '../../errors/index.ts';
import { invalidUsage, invalidValue } from '../../errors/usage.ts';
import { convertedByGitBash, PATH_CONVERSION_HINT } from '../../files/git-bash.ts';
import { isNumberText, type Json, jsonNumber } from '../../json/index.ts';
import type { Context } from '../framework/context.ts';
import type { Option } from '../framework/define-command.ts';
import { readInput } from '../framework/json-input.ts';

/** One `key=value` of the command line, its value read. */
interface Field {
  /** `filters[][column]` as `['filters', '', 'column']`: an empty step adds to a list. */
  readonly steps: readonly [string, ...string[]];
  /** As it was typed, for a query. */
  readonly name: string;
  /** The text, or the content of the file. */
  readonly text: string;
  readonly value: Json;
}

/** A field as it was typed. */
export interface TypedField {
  /** Its position among the fields of both flags, which groups the fields of a list of objects. */
  readonly turn: number;
  readonly flag: '-f' | '-F';
  readonly given: string;
}

let turns = 0;

/** Declares one of the two flags. */
export function fieldFlag(flags: string, summary: string): Option<readonly TypedField[]> {
  const flag = flags.startsWith('-f') ? '-f' : '-F';
  const read = (given: string): TypedField => {
    turns += 1;
    return { turn: turns, flag, given };
  };
  return { flags, summary, kind: 'list', fallback: [], completes: 'none', read };
}

/** Reads `-f` (text values) and `-F` (JSON literals, `@file` for the content of a file). Throws UsageError or FileError. */
export async function fieldsFrom(
  typedFields: readonly TypedField[],
  context: Context,
): Promise<readonly Field[]> {
  const fields: Field[] = [];
  for (const { flag, given } of [...typedFields].sort((one, other) => one.turn - other.turn)) {
    const { name, text } = pair(given, flag);
    if (flag === '-f') {
      fields.push({ name, steps: stepsOf(name), text, value: text });
      continue;
    }
    const isFile = text.startsWith('@');
    const shown = isFile ? await readInput(text.slice(1), context) : text;
    fields.push({ name, steps: stepsOf(name), text: shown, value: isFile ? shown : typed(text) });
  }
  return fields;
}

function pair(given: string, flag: string): { name: string; text: string } {
  const at = given.indexOf('=');
  const typed = convertedByGitBash(given.slice(at + 1))?.typed;
  if (typed !== undefined)
    throw invalidUsage(
      `${given.slice(0, at)} is a path that Git Bash made of ${typed}`,
      PATH_CONVERSION_HINT,
    );
  if (at > 0) return { name: given.slice(0, at), text: given.slice(at + 1) };
  throw invalidValue(`${flag} ${given} is not key=value`, `type ${flag} KEY=VALUE`);
}

function stepsOf(name: string): readonly [string, ...string[]] {
  const [, first, rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? [];
  if (first === undefined) {
    throw invalidValue(`the key ${name} cannot be read`, 'write key, key[part] or key[]');
  }
  return [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, step = '']) => step)];
}

function typed(text: string): Json {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text === 'null') return null;
  return isNumberText(text) ? jsonNumber(text) : text;
}

type Draft = { [key: string]: Json | Draft | DraftList };
type DraftList = (Json | Draft | DraftList)[];

/** Builds the JSON object of the fields. Throws UsageError for contradictory fields. */
export function objectOf(fields: readonly Field[]): Json {
  const root: Draft = {};
  for (const { steps, value, name } of fields) put(root, steps, value, name);
  return root as Json;
}

function put(into: Draft, [step, ...rest]: readonly string[], value: Json, name: string): void {
  if (step === undefined) return;
  const next = rest[0];
  const there = Object.hasOwn(into, step) ? into[step] : undefined;
  if (next === undefined) {
    if (there !== undefined) throw clash(name);
    define(into, step, value);
  } else if (next === '') {
    const list = there ?? define(into, step, []);
    if (!Array.isArray(list)) throw clash(name);
    append(list as DraftList, rest.slice(1), value, name);
  } else {
    const record = there ?? define(into, step, {});
    if (!isDraft(record)) throw clash(name);
    put(record, rest, value, name);
  }
}

/** `list[][a]=1 list[][b]=2 list[][a]=3` are two objects: a part that is there already begins the next one. */
function append(list: DraftList, rest: readonly string[], value: Json, name: string): void {
  const [next, ...deeper] = rest;
  if (next === undefined) {
    list.push(value);
    return;
  }
  if (next === '') {
    const inner: DraftList = [];
    list.push(inner);
    append(inner, deeper, value, name);
    return;
  }
  const last = list.at(-1);
  const continues = isDraft(last) && (!Object.hasOwn(last, next) || deeper.length > 0);
  const record: Draft = continues ? last : {};
  if (!continues) list.push(record);
  put(record, rest, value, name);
}

function define<T extends Json | Draft | DraftList>(into: Draft, key: string, value: T): T {
  Object.defineProperty(into, key, { value, enumerable: true, writable: true, configurable: true });
  return value;
}

function isDraft(value: unknown): value is Draft {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function clash(name: string): UsageError {
  return invalidValue(`${name} was already given, or as something else`, 'give each key once');
}
