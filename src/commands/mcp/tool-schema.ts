import type { UsageError } from '../../errors/index.ts';
import { invalidValue, missingArgument } from '../../errors/usage.ts';
import { isList, isRecord, type Json } from '../../json/index.ts';
import { flagName, type Option, type Options, type ValuesOf } from '../framework/define-command.ts';

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
  readonly additionalProperties: false;
}

/** The members of a result that a model relies on, with their types; a result may have more. */
export type ResultMembers = {
  readonly [name: string]: 'string' | 'boolean' | 'integer' | 'array' | 'object' | ResultMembers;
};

/** JSON Schema of a result. */
export interface ResultSchema {
  readonly type: 'object';
  readonly properties: { readonly [name: string]: { readonly type: string } | ResultSchema };
}

/** The schema of a result with these members. */
export function resultSchema(members: ResultMembers): ResultSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(members).map(([name, member]) => [
        name,
        typeof member === 'string' ? { type: member } : resultSchema(member),
      ]),
    ),
  };
}

/** The arguments of a call. */
export type Arguments = Readonly<Record<string, Json>>;

/** The schema of arguments that are declared like options: `--data-set` is the argument `data_set`. */
export function schemaOf(options: Options, required: readonly string[]): ToolSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.values(options).map(option => [argumentName(option), argumentSchema(option)]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** The values of arguments. Throws UsageError for an unknown or missing one, and for an invalid value. */
export function valuesOf<O extends Options>(
  options: O,
  required: readonly string[],
  given: Arguments,
): ValuesOf<O> {
  const missing = required.find(name => given[name] === undefined);
  if (missing !== undefined) throw missingArgument(`the argument ${missing} is missing`);
  const names = Object.values(options).map(argumentName);
  const unknown = Object.keys(given).find(name => !names.includes(name));
  if (unknown !== undefined)
    throw invalidValue(`unknown argument '${unknown}'`, `arguments: ${names.join(', ')}`);
  const values = Object.entries(options).map(([key, option]) => {
    const name = argumentName(option);
    const value = given[name];
    return [key, value === undefined ? option.fallback : readValue(name, option, value)];
  });
  return Object.fromEntries(values) as ValuesOf<O>;
}

function readValue(name: string, { kind, range, read }: Option<unknown>, value: Json): unknown {
  const isNumber = range !== undefined && typeof value === 'number';
  switch (kind) {
    case 'switch':
      if (typeof value === 'boolean') return value;
      throw wrongType(name, 'true or false');
    case 'list':
      if (isList(value) && value.every(item => typeof item === 'string')) return value.map(read);
      throw wrongType(name, 'a list of strings');
    case 'single':
      if (isNumber || typeof value === 'string') return read(String(value));
      throw wrongType(name, range === undefined ? 'a string' : 'an integer');
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

function wrongType(name: string, expected: string): UsageError {
  return invalidValue(`the argument ${name} must be ${expected}`);
}

/** The arguments of a call as a record. Throws UsageError for anything else. */
export function argumentsOf(given: unknown): Arguments {
  if (given === undefined) return {};
  if (isRecord(given as Json)) return given as Arguments;
  throw invalidValue('the arguments must be an object');
}
