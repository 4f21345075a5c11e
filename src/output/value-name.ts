import { type Json, stringifyJson, textOf } from '../json/index.ts';

const NONE = '(none)';

/** A value of a dimension as text. A missing one is `(none)`; a text that looks like it, or like nothing, is quoted. */
export function valueName(value: Json): string {
  if (value === null) return NONE;
  return value === NONE || (typeof value === 'string' && value.trim() === '')
    ? stringifyJson(value)
    : textOf(value);
}
