import { isList, isRecord, type Json, type JsonRecord, stringifyJson } from '../../json/index.ts';
import { printable } from '../../text/printable.ts';
import { shortened } from '../../text/shortened.ts';

/** Longer texts of the server are cut. */
const MAX_TEXT = 400;
/** Longer lists are truncated: a model needs the first items and the count. */
const MAX_ITEMS = 200;

/** Data of the server for a model: every text on one line, hidden characters escaped, long texts and lists cut. */
export function shownData(value: Json): Json {
  if (typeof value === 'string') return shownText(value);
  if (isList(value)) {
    const items = value.slice(0, MAX_ITEMS).map(shownData);
    return value.length <= MAX_ITEMS ? items : [...items, `(${value.length - MAX_ITEMS} more)`];
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item = null]) => [shownText(key), shownData(item)]),
  );
}

/** Text of the server for a model. */
export function shownText(text: string): string {
  return text.length <= MAX_TEXT ? printable(text) : `${printable(shortened(text, MAX_TEXT))} (cut)`;
}

/** One JSON document, the only form in which a result reaches a model. */
export function documentOf(parts: JsonRecord): string {
  const present = Object.entries(parts).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  return stringifyJson(Object.fromEntries(present));
}
