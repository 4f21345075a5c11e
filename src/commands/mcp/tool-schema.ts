import { UsageError } from '../../errors/index.ts';
import { isList, isRecord, type Json } from '../../json/index.ts';
import { flagName, type Leaf, type Option } from '../framework/define-command.ts';

/** JSON Schema of one argument of a tool. */
interface ArgumentSchema {
  readonly type: 'string' | 'boolean' | 'integer' | 'array';
  readonly description: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: { readonly type: 'string' };
}

/** JSON Schema of the arguments of a tool. */
export interface ToolSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required?: readonly string[];
}

/** The arguments of a tool that set options of a command, by the keys of its declaration. */
interface ExposedOptions {
  readonly leaf: Leaf;
  readonly options: readonly string[];
  readonly required?: readonly string[];
}

/** The schema for options of a command: `--data-set` becomes `data_set`. */
export function schemaOf({ leaf, options, required = [] }: ExposedOptions): ToolSchema {
  const properties = Object.fromEntries(
    options.map(key => {
      const option = optionOf(leaf, key);
      return [argumentName(option), argumentSchema(option)];
    }),
  );
  const names = required.map(key => argumentName(optionOf(leaf, key)));
  return {
    type: 'object',
    properties,
    ...(names.length > 0 && { required: names }),
  };
}

/** The words of a command line for the arguments of a call. Throws UsageError for an unknown argument or a wrong type. */
export function wordsOf({ leaf, options }: ExposedOptions, given: Readonly<Record<string, Json>>): string[] {
  const byName = new Map(
    options.map(key => optionOf(leaf, key)).map(option => [argumentName(option), option]),
  );
  return Object.entries(given).flatMap(([name, value]) => {
    const option = byName.get(name);
    if (option === undefined) throw unknownArgument(name, [...byName.keys()]);
    return optionWords(name, option, value);
  });
}

/** Throws UsageError for an argument that is missing from `given`, or not in `allowed`. */
export function checkArguments(
  given: Readonly<Record<string, Json>>,
  { properties, required = [] }: ToolSchema,
): void {
  const missing = required.find(name => given[name] === undefined);
  if (missing !== undefined)
    throw new UsageError(`the argument ${missing} is missing`, { code: 'missing_argument' });
  const unknown = Object.keys(given).find(name => !Object.hasOwn(properties, name));
  if (unknown !== undefined) throw unknownArgument(unknown, Object.keys(properties));
}

/** The text of a string argument; undefined if it is absent. Throws UsageError for another type. */
export function textArgument(given: Readonly<Record<string, Json>>, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || typeof value === 'string') return value;
  throw wrongType(name, 'a string');
}

/** The texts of a list argument; empty if it is absent. Throws UsageError for another type. */
export function listArgument(given: Readonly<Record<string, Json>>, name: string): readonly string[] {
  const value = given[name];
  if (value === undefined) return [];
  if (isList(value) && value.every(item => typeof item === 'string')) return value as readonly string[];
  throw wrongType(name, 'a list of strings');
}

function optionWords(name: string, option: Option<unknown>, value: Json): string[] {
  const flag = flagName(option.flags);
  switch (option.kind) {
    case 'switch':
      if (typeof value !== 'boolean') throw wrongType(name, 'true or false');
      return value ? [flag] : [];
    case 'list':
      return listArgument({ [name]: value }, name).flatMap(item => [flag, item]);
    case 'single':
      if (typeof value === 'number' && option.range !== undefined) return [flag, String(value)];
      if (typeof value !== 'string')
        throw wrongType(name, option.range === undefined ? 'a string' : 'an integer');
      return [flag, value];
  }
}

function argumentSchema({ kind, summary: description, choices, range }: Option<unknown>): ArgumentSchema {
  if (kind === 'switch') return { type: 'boolean', description };
  if (kind === 'list') return { type: 'array', items: { type: 'string' }, description };
  if (range !== undefined)
    return {
      type: 'integer',
      description,
      minimum: range.min,
      ...(range.max !== undefined && { maximum: range.max }),
    };
  return { type: 'string', description, ...(choices !== undefined && { enum: choices }) };
}

function argumentName({ flags }: Option<unknown>): string {
  return flagName(flags).slice(2).replaceAll('-', '_');
}

function optionOf({ name, options }: Leaf, key: string): Option<unknown> {
  const option = options[key];
  if (option === undefined) throw new Error(`${name} has no option ${key}`);
  return option;
}

function unknownArgument(name: string, known: readonly string[]): UsageError {
  return new UsageError(`unknown argument '${name}'`, {
    code: 'invalid_value',
    hints: [`arguments: ${known.join(', ')}`],
  });
}

function wrongType(name: string, expected: string): UsageError {
  return new UsageError(`the argument ${name} must be ${expected}`, { code: 'invalid_value' });
}

/** The arguments of a call as a record. Throws UsageError for anything else. */
export function argumentsOf(given: unknown): Readonly<Record<string, Json>> {
  if (given === undefined) return {};
  if (isRecord(given as Json)) return given as Readonly<Record<string, Json>>;
  throw new UsageError('the arguments must be an object', { code: 'invalid_value' });
}
