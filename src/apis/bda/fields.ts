import { digitsOf, integerOf, isJsonNumber, isRecord, type Json, type JsonRecord } from '../../json/index.ts';

// Reads JSON of undocumented shape: field names in several spellings, numbers as numbers or text.

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Text of a string, number or boolean; numbers keep their digits. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return isJsonNumber(value) ? digitsOf(value) : undefined;
}

/** A safe integer, from a number (`3`, `3.0`) or text of digits. */
export function wholeNumberOf(value: unknown): number | undefined {
  if (isJsonNumber(value)) return integerOf(value);
  const text = typeof value === 'string' ? value.trim() : '';
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** An id as text: `7`, `"7"` and `" 7 "` are equal. */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === 'boolean' ? undefined : scalarText(value)?.trim();
  return text === undefined || text === '' ? undefined : text;
}

const spelling = (name: string) => name.toLowerCase().replaceAll(/[_\s-]/g, '');

/** Whether two field names are equal but for case and underscores. */
export function isSameField(one: string, other: string): boolean {
  return spelling(one) === spelling(other);
}

/** The value of the first of `names` that the record has, ignoring case and underscores. */
export function anyFieldOf(record: JsonRecord, ...names: readonly string[]): Json | undefined {
  for (const name of names) {
    for (const [key, value] of Object.entries(record)) {
      if (isSameField(key, name) && isPresent(value)) return value;
    }
  }
  return undefined;
}

/** The spelling of a field name in the record, which may differ in case and underscores. */
export function ownSpelling(record: JsonRecord, name: string): string | undefined {
  if (Object.hasOwn(record, name)) return name;
  return Object.keys(record).find(key => spelling(key) === spelling(name));
}

/** The items of a response: the response itself, the lists in it, concatenated, or the values of an object of objects. */
export function listOf(json: unknown): readonly unknown[] {
  if (Array.isArray(json)) return json;
  if (!isRecord(json)) return [];
  const values = Object.values(json);
  return values.every(isRecord) ? values : values.filter(value => Array.isArray(value)).flat();
}

/** The record with this id, in one of the id fields or as its key. */
export function recordWithId(json: unknown, id: string, idFields: readonly string[]): JsonRecord | undefined {
  const listed = listOf(json).find(item => isRecord(item) && idOf(anyFieldOf(item, ...idFields)) === id);
  if (isRecord(listed)) return listed;
  const keyed = isRecord(json) && Object.hasOwn(json, id) ? json[id] : undefined;
  return isRecord(keyed) ? keyed : undefined;
}

/** Whether the value is a non-empty list or object. */
export function isFilledStructure(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isRecord(value) && Object.keys(value).length > 0;
}
