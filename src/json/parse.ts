import { parse } from 'lossless-json';
import { invalidInput } from '../errors/usage.ts';
import { type Json, stringifyJson } from './value.ts';
/** Documented responses nest four levels deep. The parser recurses, so a limit prevents a stack overflow. */
export const MAX_DEPTH = 500;

/** A value takes up to 100 bytes of memory, however short its text is. */
export const MAX_VALUES = 2_000_000;

/**
 * Parses one JSON document. Numbers retain their digits (`JsonNumber`), `__proto__` is a key like any other, and a byte order
 * mark at the start is skipped. Throws only InvalidJsonError: for invalid syntax, for a key with two different values in one
 * object, for more than `maxValues` values and for more than MAX_DEPTH levels.
 */
export function parseJson(text: string, maxValues = MAX_VALUES): Json {
  const document = text.startsWith('\ufeff') ? ` ${text.slice(1)}` : text;
  checkBounds(document, maxValues);
  try {
    return parse(document, undefined, {
      onDuplicateKey: ({ key, position }: { key: string; position: number }) => {
        throw new InvalidJsonError(
          'duplicate-key',
          `the key ${stringifyJson(key)} occurs twice`,
          text,
          position,
        );
      },
    }) as Json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidJson(error.message, document);
  }
}

/** The number of values in a JSON text, as `parseJson` counts them for its limit. Throws InvalidJsonError for more than MAX_DEPTH levels. */
export function countValues(text: string): number {
  return checkBounds(text, Number.POSITIVE_INFINITY);
}

/** Checks the limits before anything is allocated. Keys do not count as values; an empty array or object counts as two. */
function checkBounds(text: string, maxValues: number): number {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH) {
        throw new InvalidJsonError('too-deep', `nested more than ${MAX_DEPTH} levels deep`, text, i);
      }
    } else if (code === 0x5d || code === 0x7d) depth--;
    if (!inString && (code === 0x2c || code === 0x5b || code === 0x7b) && ++values > maxValues) {
      throw new InvalidJsonError('too-many', `more than ${maxValues} values`, text, i);
    }
  }
  return values;
}

/** The parser's message quotes the text, which may hold control characters, so only its position and kind are used. */
function invalidJson(message: string, text: string): InvalidJsonError {
  const found = /at position (\d+)$/.exec(message);
  const position = found ? Number(found[1]) : text.length;
  if (text.trim() === '') return new InvalidJsonError('empty', 'the text is empty', text, 0);
  if (position >= text.length || HALF_WORD.test(text.slice(position))) {
    return new InvalidJsonError('truncated', 'the text ends too early', text, text.length);
  }
  const problem = PROBLEMS.find(([pattern]) => pattern.test(message))?.[1] ?? 'a value is missing';
  return new InvalidJsonError('syntax', problem, text, position);
}

/** The beginning of `true`, `false`, `null` or of a string escape. */
const HALF_WORD = /^(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|\\(?:u[\da-fA-F]{0,3})?)$/;

const PROBLEMS: readonly [RegExp, string][] = [
  [/^Comma/, 'a comma is missing between two values'],
  [/^Colon/, 'a colon is missing after a key'],
  [/^Expected end of input/, 'more text follows the end of the value'],
  [/^Quoted object key or end/, 'a comma or } is missing'],
  [/^Array item or end/, 'a comma or ] is missing'],
  [/^Quoted object key/, 'a key in double quotes is missing'],
  [/^Invalid number/, 'a number lacks digits'],
  [/^Invalid (escape|unicode)/, 'a string has a bad escape'],
  [/^Invalid character/, 'a string has a raw control character'],
];

/**
 * - `empty`: only white space; `truncated`: the text ends inside a value; `syntax`: any other syntax error
 * - `duplicate-key`: an object has the same key twice, with different values
 * - `too-deep`: nested deeper than `MAX_DEPTH`
 * - `too-many`: more values than the caller's limit
 */
export type InvalidJsonReason = 'empty' | 'truncated' | 'syntax' | 'duplicate-key' | 'too-deep' | 'too-many';

/** A place in a text: `offset` counts UTF-16 units from 0, `line` and `column` count from 1. */
export interface TextPosition {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** The text is not one valid JSON document. The message is one line, without the position and safe to print. */
export class InvalidJsonError extends Error {
  override readonly name = 'InvalidJsonError';
  readonly reason: InvalidJsonReason;
  readonly position: TextPosition;

  constructor(reason: InvalidJsonReason, message: string, text: string, position: number) {
    super(message);
    this.reason = reason;
    this.position = positionIn(text, position);
  }
}

/** The position of an offset in a text. */
export function positionIn(text: string, position: number): TextPosition {
  const before = text.slice(0, position);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let i = before.indexOf('\n'); i !== -1; i = before.indexOf('\n', i + 1)) line++;
  return { offset: position, line, column: position - lineStart + 1 };
}

/** Parses JSON; undefined for text that is not JSON. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof InvalidJsonError) return undefined;
    throw error;
  }
}

/** Parses JSON of the user; `name` is the name of the text in messages. Throws UsageError. */
export function jsonIn(text: string, name: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    const { line, column } = error.position;
    throw invalidInput(`${name} is not JSON: ${error.message} (line ${line}, column ${column})`);
  }
}
