import { stringify } from 'lossless-json';
import { digitsOf, isJsonNumber, type Json } from './value.ts';

/** DEL, C1, bidi and invisible format characters, line separators: characters that a terminal interprets or hides. */
const UNSAFE = /[\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

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
