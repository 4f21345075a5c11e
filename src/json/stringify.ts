import { stringify } from 'lossless-json';
import { digitsOf, isJsonNumber, type Json } from './value.ts';

/** DEL, C1, bidi and invisible format characters, line separators: what a terminal could act on or hide. */
const UNSAFE = /[\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/**
 * Writes a value as JSON, numbers with the digits they were read with; `indent` blanks a level, none by default (one
 * line). Characters that could drive a terminal are written as `\u` escapes, which mean the same.
 */
export function stringifyJson(value: Json, indent = 0): string {
  const text = stringify(value, undefined, indent) ?? 'null';
  // Outside of strings JSON is plain ASCII, so every match stands inside a string, where an escape is allowed.
  return text.replace(UNSAFE, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * A value as the bare text of a cell: strings as they are, numbers digit for digit, nothing for null and a missing
 * field, arrays and objects as JSON on one line.
 */
export function textOf(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (isJsonNumber(value)) return digitsOf(value);
  return stringifyJson(value);
}
