import { suggestion } from '../../suggestion.ts';
import { isObject } from '../json.ts';
import type { Detail } from './errors.ts';

/** Gathers what is wrong with a query, field by field. */
export interface Details {
  readonly list: Detail[];
  /** Notes a problem. */
  add(field: string, message: string): void;
}

/** An empty list of problems. */
export function noDetails(): Details {
  const list: Detail[] = [];
  return { list, add: (field, message) => list.push({ field, message }) };
}

/** The fields of an object; a value of another type and fields that nobody knows are noted. */
export function objectAt(
  value: unknown,
  path: string,
  known: readonly string[],
  details: Details,
): Record<string, unknown> | undefined {
  if (!isObject(value)) {
    details.add(path, 'must be an object');
    return undefined;
  }
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    details.add(path === '' ? name : `${path}.${name}`, `unknown field${suggestion(name, known)}`);
  }
  return value;
}

/** The items of an optional list; a value of another type is noted. */
export function listAt(value: unknown, path: string, details: Details): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  details.add(path, 'must be a list');
  return [];
}

/** One of a few words; undefined where the field is absent or wrong, the latter noted. */
export function wordAt<Word extends string>(
  value: unknown,
  path: string,
  words: readonly Word[],
  details: Details,
): Word | undefined {
  if (value === undefined) return undefined;
  const word = words.find(candidate => candidate === value);
  if (word === undefined) {
    const near = typeof value === 'string' ? suggestion(value, words) : '';
    details.add(path, `must be one of ${words.join(', ')}${near}`);
  }
  return word;
}
