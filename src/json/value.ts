import { isLosslessNumber, isSafeNumber, LosslessNumber, stringify } from 'lossless-json';

/** DEL, C1, bidi and invisible format characters, line separators: characters that a terminal interprets or hides. */
const UNSAFE = /[\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** A JSON number with its original digits, which `value` and `toString()` return. */
export interface JsonNumber {
  readonly isLosslessNumber: boolean;
  readonly value: string;
  toString(): string;
}

/** A JSON object. Fields that are `undefined` are omitted when it is written. */
export type JsonRecord = { readonly [key: string]: Json | undefined };

/**
 * Any JSON value. Parsed numbers are `JsonNumber`; values that gatectl builds itself may also contain plain finite numbers, such
 * as counts.
 */
export type Json = null | boolean | string | number | JsonNumber | readonly Json[] | JsonRecord;

/** True for a JSON object; false for null, an array or a number. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** True for an array of any length. `Array.isArray` alone does not narrow a read-only array. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** True for a number, whether parsed or built. */
export function isJsonNumber(value: unknown): value is number | JsonNumber {
  return typeof value === 'number' || isLosslessNumber(value);
}

/** A number with the given digits. Throws an Error when they are not a JSON number. */
export function jsonNumber(digits: string): JsonNumber {
  return new LosslessNumber(digits);
}

const NUMBER_TEXT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether a text is a JSON number. */
export function isNumberText(text: string): boolean {
  return NUMBER_TEXT.test(text);
}

/** The digits of a number as they were read, with exponent and trailing zeros. */
export function digitsOf(value: number | JsonNumber): string {
  return String(value);
}

/** The value for readers whose numbers are doubles: a number that would lose digits is a string. */
export function withDoubles(value: Json): unknown {
  if (isList(value)) return value.map(withDoubles);
  if (isJsonNumber(value)) {
    const digits = digitsOf(value);
    return isSafeNumber(digits) ? Number(digits) : digits;
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, item && withDoubles(item)]));
}

/**
 * The value as a safe integer (`1e3` and `5.0` are integers too); undefined for any other value.
 */
export function integerOf(value: unknown): number | undefined {
  if (!isJsonNumber(value)) return undefined;
  const number = Number(digitsOf(value));
  return Number.isSafeInteger(number) ? number : undefined;
}

/** An own field of a record. Unlike `record[key]`, it ignores inherited properties. */
export function fieldOf(record: JsonRecord, key: string): Json | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * Formats a value as JSON, numbers with the digits they were read with. `indent` is the number of spaces per level; 0 gives one
 * line. Characters that a terminal would interpret are written as the equivalent `\u` escapes.
 */
export function stringifyJson(value: Json, indent = 0): string {
  const text = stringify(value, undefined, indent) ?? 'null';
  // JSON outside strings is ASCII, so every match is inside a string, where an escape is allowed.
  return text.replace(UNSAFE, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * The text of a value in a cell: strings unquoted, numbers with all digits, an empty string for null and a missing field, arrays
 * and objects as JSON on one line.
 */
export function textOf(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (isJsonNumber(value)) return digitsOf(value);
  return stringifyJson(value);
}
