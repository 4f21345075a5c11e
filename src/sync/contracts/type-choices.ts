import { exactFigure } from '../../analysis/exact-change.ts';
import type { Day } from '../../apis/bda/days.ts';
import { ColumnProfile } from '../../export/parquet/column-profile.ts';
import { type ColumnType, MAX_PRECISION } from '../../export/parquet/column-type.ts';
import { isDoubleExact } from '../../export/parquet/decimal.ts';
import type { FoundColumn } from '../../export/parquet/found-types.ts';
import { utf8Bytes } from '../../export/transcode/utf8.ts';
import { isNumberText } from '../../json/index.ts';
import {
  type ColumnNeeds,
  DUCKDB_TYPES,
  needsOf,
  sqlType,
  type TableSchema,
  typeName,
  typeOf,
} from '../column-types.ts';
import { problemAt, type SyncConfig, type SyncTable } from '../config.ts';
import type { Problem } from './broken-contract.ts';
import { shown } from './row-tests.ts';

/** Longer numbers are shortened in messages. */
const MOST_SHOWN = 50;
/** The types without digits that a sync file can name, by their names in lower case. */
const PLAIN_TYPES = new Map(
  (['text', 'flag', 'day', 'integer', 'double'] as const).map(kind => [
    DUCKDB_TYPES[kind].toLowerCase(),
    { kind },
  ]),
);
/** What a sync file can name, for messages and schemas. */
export const TYPE_NAMES = [...PLAIN_TYPES.keys(), 'decimal(18,2)'].join(', ');
export const TYPE_PATTERN = `^(?:${[...PLAIN_TYPES.keys()].join('|')}|decimal\\(\\d{1,2}(?:,\\s*\\d{1,2})?\\))$`;

/** Reads the name of a type as messages print it, in either case: `bigint`, `decimal(18,2)`; undefined for any other text. */
export function readType(text: string): ColumnType | undefined {
  const name = text.toLowerCase();
  const plain = PLAIN_TYPES.get(name);
  if (plain !== undefined) return plain;
  const [, digits, decimals = '0'] = /^decimal\((\d{1,2})(?:,\s*(\d{1,2}))?\)$/.exec(name) ?? [];
  const [precision, scale] = [Number(digits), Number(decimals)];
  const isValid = precision >= 1 && precision <= MAX_PRECISION && scale <= precision;
  return isValid ? { kind: 'decimal', precision, scale } : undefined;
}

/** Whether a type represents all values of a column. */
function holds(type: ColumnType, { kind, whole, scale }: ColumnNeeds): boolean {
  switch (type.kind) {
    case 'text':
      return true;
    case 'double':
      return kind === 'number';
    case 'integer':
      return kind === 'number' && typeOf({ name: '', kind, whole, scale }).kind === 'integer';
    case 'decimal':
      return kind === 'number' && whole <= type.precision - type.scale && scale <= type.scale;
    default:
      return kind === type.kind;
  }
}

/** Whether a column of a destination can become one of a pinned type, with all that it has. */
function canBecome(pin: ColumnType, stored: ColumnNeeds): boolean {
  const type = typeOf(stored);
  const isShorter = type.kind === 'decimal' && pin.kind === 'decimal' && pin.precision < type.precision;
  return holds(pin, stored) && !isShorter;
}

/** Throws UsageError for a pinned type that cannot hold what its column has in the destination. */
export function checkPins(config: SyncConfig, { name: table, types = {} }: SyncTable, schema: TableSchema) {
  for (const [name, pin] of Object.entries(types)) {
    const stored = schema.columns.find(column => column.name === name);
    if (stored === undefined) continue;
    if (canBecome(pin, stored)) continue;
    throw problemAt(
      config,
      `tables.${table}.types.${name}`,
      `${name} is ${sqlType(stored)} in ${config.destination}, which cannot become ${typeName(pin)}`,
      [`set ${name}: ${sqlType(stored).toLowerCase()}, or give the table another name`],
    );
  }
}

/** Whether a type represents all values of a column that was examined. */
function takes(type: ColumnType, column: FoundColumn): boolean {
  const { profile } = column;
  const isLong = type.kind === 'integer' && needsOf(column).kind === 'number' && profile.areLong;
  return profile.values === 0 || isLong || holds(type, needsOf(column));
}

/** What was found in a single value, as JSON text. */
function foundIn(name: string, json: string): FoundColumn {
  const profile = new ColumnProfile();
  const text = utf8Bytes(json);
  profile.addValue(text, 0, text.byteLength);
  return { name, profile, ...profile.typeFound(false) };
}

/**
 * Why values may not be added to a table, by its sync file: a type that is pinned, or may not change, or would no longer be exact
 * without a choice.
 */
export function typeProblems(
  { types = {}, onTypeChange }: SyncTable,
  found: readonly FoundColumn[],
  {
    before,
    after,
    isExact,
    inexact,
  }: {
    readonly before: TableSchema;
    readonly after: TableSchema;
    /** Whether the destination keeps all digits. */
    readonly isExact: boolean;
    /** By column: a number that no double represents. */
    readonly inexact: ReadonlyMap<string, string>;
  },
): readonly Problem[] {
  const columnIn = ({ columns }: TableSchema, name: string) => columns.find(each => each.name === name);
  return found.flatMap(column => {
    const { name, widest } = column;
    const pin = types[name];
    const [old, now] = [columnIn(before, name), columnIn(after, name) as ColumnNeeds];
    const other = (type: ColumnType) => (json: string) => !takes(type, foundIn(name, json));
    if (pin !== undefined) {
      // Another process has written it since the sync file was checked.
      if (old !== undefined && !canBecome(pin, old))
        return [{ text: `${name} is ${sqlType(old)} by now, which cannot become ${typeName(pin)}` }];
      const words = (json: string, day: Day) => `such as ${shownNumber(json)} on ${day}`;
      const pinned = `${name} is pinned to ${typeName(pin)}, but has`;
      if (!takes(pin, column)) {
        const text = `${pinned} values of ${sqlType(needsOf(column))}`;
        return [{ text, shownBy: { column: name, matches: other(pin), words } }];
      }
      if (pin.kind !== 'double' || isExact || !inexact.has(name)) return [];
      const matches = (json: string) => isNumberText(json) && !isDoubleExact(json);
      return [
        { text: `${pinned} numbers that are too long for it`, shownBy: { column: name, matches, words } },
      ];
    }
    const text = `${name}: ${old === undefined ? '' : `${sqlType(old)} -> `}${sqlType(now)}`;
    const words = (json: string, day: Day) => `for ${shownNumber(json)} on ${day}`;
    const becomesDouble =
      typeOf(now).kind === 'double' && (old === undefined || typeOf(old).kind !== 'double');
    if (becomesDouble && !isExact && onTypeChange !== 'widen') {
      const isWidest = (json: string) =>
        widest !== undefined && isNumberText(json) && exactFigure(json)?.equals(widest) === true;
      const matches = widest === undefined && old !== undefined ? other(typeOf(old)) : isWidest;
      return [
        {
          text: `${text}, which is not exact`,
          shownBy: { column: name, matches, words: (json, day) => words(widest ?? json, day) },
        },
      ];
    }
    const isChange = old !== undefined && sqlType(old) !== sqlType(now);
    if (!isChange || (onTypeChange !== 'fail' && onTypeChange !== 'quarantine')) return [];
    return [{ text, shownBy: { column: name, matches: other(typeOf(old)), words } }];
  });
}

/** A value for messages: a number that is long without its last digits. */
function shownNumber(json: string): string {
  const isLong = isNumberText(json) && json.length > MOST_SHOWN;
  return isLong ? `${json.slice(0, MOST_SHOWN)}…` : shown(json);
}
