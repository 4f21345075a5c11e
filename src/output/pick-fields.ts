import type { UsageError } from '../errors/index.ts';
import { similar } from '../errors/nearest.ts';
import { conflict, invalidValue } from '../errors/usage.ts';
import { isList, isRecord, type Json, type JsonRecord } from '../json/index.ts';

/** Throws UsageError for a name that is not among the known ones. */
export function checkNames(names: readonly string[], known: readonly string[]): void {
  const wrong = names.find(name => !known.includes(name));
  if (wrong !== undefined) throw unknownField(wrong, known);
}

/**
 * The members of these names of an object, or of each object of a list. An object with one list has its own members, or those of the
 * objects in the list. A declared name that an object lacks is null. Throws UsageError for any other name that no object has, and for
 * an answer without objects.
 */
export function pickFields(data: Json, names: readonly string[], declared: readonly string[]): Json {
  const isKnown = (name: string, objects: readonly JsonRecord[]) =>
    declared.includes(name) || objects.some(object => Object.hasOwn(object, name));
  const inner = isRecord(data) ? onlyList(data) : undefined;
  const list = isList(data) ? data : inner;
  if (isRecord(data) && (inner === undefined || names.every(name => isKnown(name, [data])))) {
    checkAll([data]);
    return pick(data, names);
  }
  if (list === undefined) throw withoutFields();
  const objects = list.filter(isRecord);
  if (list.length > 0) {
    if (objects.length === 0 && inner === undefined) throw withoutFields();
    checkAll(objects);
  }
  return objects.map(object => pick(object, names));

  function checkAll(objects: readonly JsonRecord[]): void {
    const wrong = names.find(name => !isKnown(name, objects));
    if (wrong === undefined) return;
    const own = isRecord(data) ? [data] : [];
    throw unknownField(wrong, membersOf([...objects, ...own]));
  }
}

function pick(object: JsonRecord, names: readonly string[]): JsonRecord {
  return Object.fromEntries(
    names.map(name => [name, Object.hasOwn(object, name) ? (object[name] ?? null) : null]),
  );
}

/** The list of an object that has one. */
function onlyList(record: JsonRecord): readonly Json[] | undefined {
  const lists = Object.values(record).filter(value => value !== undefined && isList(value));
  return lists.length === 1 ? (lists[0] as readonly Json[]) : undefined;
}

function membersOf(objects: readonly JsonRecord[]): readonly string[] {
  return [...new Set(objects.flatMap(object => Object.keys(object)))];
}

function unknownField(name: string, known: readonly string[]): UsageError {
  const [close] = similar(name, known, { related: true });
  return invalidValue(
    `unknown field '${name}'`,
    close === undefined ? `one of: ${known.join(', ')}` : `did you mean ${close}?`,
  );
}

/** The error about an output without fields. */
export function withoutFields(): UsageError {
  return conflict('--fields requires output with fields, which this command does not have', 'omit --fields');
}
