import { type Json, stringifyJson, textOf } from '../json/index.ts';
import { firstHidden, printable } from '../text/printable.ts';

const NONE = '(none)';

/** White space at an end, repeated, or other than a space. */
const UNSEEN = /^\s|\s$|\s\s|[^\S ]/;
/** What a reader does not see, even between quotes: repeated spaces, and that an accent is a character of its own. */
const ESCAPED = /[^\S ]|[\u0300-\u036f]| (?= )/g;

/**
 * A value of a dimension as text, so that different values look different. A missing one is `(none)`; a text that looks like it, like
 * nothing or like another one is quoted, with escapes for what is not seen: `"DE "`, `"DE\u00a0"`.
 */
export function valueName(value: Json): string {
  if (value === null) return NONE;
  if (typeof value !== 'string') return textOf(value);
  const isUnseen = UNSEEN.test(value) || firstHidden(value) !== undefined || value !== value.normalize('NFC');
  const isPlain = value !== NONE && value !== '' && !value.startsWith('"') && !isUnseen;
  if (isPlain) return value;
  return printable(stringifyJson(value).replace(ESCAPED, escaped));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
