import { parse } from 'lossless-json';
import { BrokenJson } from './broken.ts';
import { stringifyJson } from './stringify.ts';
import type { Json } from './value.ts';

/** Documented answers nest four levels deep; the parser recurses, so a bound keeps it off the stack's end. */
export const MAX_DEPTH = 500;

/** Each value costs up to a hundred bytes of memory, however short its text. */
export const MAX_VALUES = 2_000_000;

/**
 * Reads one JSON document. Numbers keep their digits (`JsonNumber`), keys named `__proto__` are plain keys, and a
 * byte order mark at the start is skipped. A key that occurs twice with two values makes the text broken: keeping
 * either one would be a guess. Throws BrokenJson and nothing else, whatever the text, also for more than `maxValues`
 * values or more than MAX_DEPTH levels.
 */
export function parseJson(text: string, maxValues = MAX_VALUES): Json {
  const document = text.startsWith('\ufeff') ? ` ${text.slice(1)}` : text;
  checkBounds(document, maxValues);
  try {
    return parse(document, undefined, {
      onDuplicateKey: ({ key, position }: { key: string; position: number }) => {
        throw new BrokenJson('duplicate-key', `the key ${stringifyJson(key)} occurs twice`, text, position);
      },
    }) as Json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw brokenBy(error.message, document);
  }
}

/** How many values a JSON text has. */
export function countValues(text: string): number {
  return checkBounds(text, Number.POSITIVE_INFINITY);
}

/** Counts before anything is built. Names are not counted, and an array or object that is empty counts once too many. */
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
        throw new BrokenJson('too-deep', `nested more than ${MAX_DEPTH} levels deep`, text, i);
      }
    } else if (code === 0x5d || code === 0x7d) depth--;
    if (!inString && (code === 0x2c || code === 0x5b || code === 0x7b) && ++values > maxValues) {
      throw new BrokenJson('too-many', `more than ${maxValues} values`, text, i);
    }
  }
  return values;
}

/** The parser's message quotes the text, which nobody has made printable: only its position and its kind are used. */
function brokenBy(message: string, text: string): BrokenJson {
  const found = /at position (\d+)$/.exec(message);
  const position = found ? Number(found[1]) : text.length;
  if (text.trim() === '') return new BrokenJson('empty', 'the text is empty', text, 0);
  if (position >= text.length || HALF_WORD.test(text.slice(position))) {
    return new BrokenJson('cut', 'the text ends too early', text, text.length);
  }
  return new BrokenJson('syntax', syntaxProblem(message), text, position);
}

/** `true`, `false`, `null` or a string escape of which the text holds only the beginning. */
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

function syntaxProblem(message: string): string {
  return PROBLEMS.find(([pattern]) => pattern.test(message))?.[1] ?? 'a value is missing';
}
