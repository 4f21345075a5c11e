import { isLosslessNumber, LosslessNumber } from 'lossless-json';

/** A JSON number with the digits it was written with: `value` and `toString()` give them back. */
export interface JsonNumber {
  readonly isLosslessNumber: boolean;
  readonly value: string;
  toString(): string;
}

/** An object as JSON has it. A field that is `undefined` is left out when the object is written. */
export type JsonRecord = { readonly [key: string]: Json | undefined };

/**
 * Any JSON value. What was read holds its numbers as `JsonNumber`; what gatectl makes itself may hold plain
 * numbers (counts and the like), which must be finite.
 */
export type Json = null | boolean | string | number | JsonNumber | readonly Json[] | JsonRecord;

/** True for an object with fields: not for null, an array or a number. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** True for an array of any length. `Array.isArray` alone does not narrow a read-only array. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** True for a number, read from JSON or made here. */
export function isJsonNumber(value: unknown): value is number | JsonNumber {
  return typeof value === 'number' || isLosslessNumber(value);
}

/** A number from the digits it is to be written with. Throws an Error when they are no JSON number. */
export function jsonNumber(digits: string): JsonNumber {
  return new LosslessNumber(digits);
}

/** The number's own text: the digits that were read, exponent and trailing zeros included. */
export function digitsOf(value: number | JsonNumber): string {
  return typeof value === 'number' ? String(value) : value.value;
}

/**
 * The number as a JavaScript integer where that loses nothing (`1e3` and `5.0` are integers too);
 * undefined for anything else.
 */
export function integerOf(value: unknown): number | undefined {
  if (!isJsonNumber(value)) return undefined;
  const number = Number(digitsOf(value));
  return Number.isSafeInteger(number) ? number : undefined;
}

/** An own field of a record: unlike `record[key]`, it finds nothing that every object inherits. */
export function fieldOf(record: JsonRecord, key: string): Json | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
