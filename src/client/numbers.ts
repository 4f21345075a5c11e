import { digitsOf, isJsonNumber, isRecord, type Json, jsonNumber } from '../json/index.ts';

import type { JsonValue, Numbers } from './values.ts';

const CONVERSIONS = {
  string: (digits: string) => digits,
  bigint: (digits: string) => (/^-?\d+$/.test(digits) ? BigInt(digits) : digits),
};

/** The conversion for a choice of `numbers`. */
export function conversionOf(numbers: Numbers): (digits: string) => unknown {
  return typeof numbers === 'function' ? numbers : CONVERSIONS[numbers];
}

/** Converts the numbers of a parsed value, in place. */
export function withNumbers(value: Json | undefined, convert: (digits: string) => unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'number' ? convert(digitsOf(value)) : value;
  }
  if (isJsonNumber(value)) return convert(digitsOf(value));
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) members[name] = withNumbers(members[name] as Json, convert);
  return value;
}

/** A parsed value with numbers as their digits. */
export function digitsIn(value: Json): JsonValue {
  return withNumbers(value, CONVERSIONS.string) as JsonValue;
}

/**
 * A request's value as JSON, with a bigint as its digits. Throws TypeError for what JSON cannot express: a function, a symbol, NaN, an
 * infinite number, an instance of a class.
 */
export function jsonOf(value: unknown, path = 'the request'): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return jsonNumber(String(value));
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (isJsonNumber(value) && typeof value !== 'number') return value;
  if (Array.isArray(value)) return value.map((item, index) => jsonOf(item, `${path}[${index}]`));
  if (isRecord(value) && isPlain(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(members.map(([name, member]) => [name, jsonOf(member, `${path}.${name}`)]));
  }
  throw new TypeError(
    `${path} is ${typeof value === 'number' ? value : `a ${kindOf(value)}`}, which JSON cannot express`,
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype as object) === null;
}

function kindOf(value: unknown): string {
  return typeof value === 'object' ? (value?.constructor?.name ?? 'object') : typeof value;
}
