import { digitsOf, isJsonNumber, type Json, stringifyJson } from '../json/index.ts';
import { printable } from '../terminal/printable.ts';
import { groupThousands } from './number.ts';
import { localTimes, looksLikeTime } from './time.ts';
import type { Column, Style } from './view.ts';

/** Names of fields with ids, whose digits are not grouped. */
const IDENTIFIER = /(?:^id|_id|Id|ID)$/;

/** Formats one value for people, on one line and safe for a terminal. */
export type CellWriter = (value: Json | undefined, column: Column) => string;

/** Formats cells of table, md and html: see `Column.kind`. Null and a missing field are a dash, booleans are yes and no. */
export function cellWriter(style: Pick<Style, 'timeZone' | 'unicode'>): CellWriter {
  // Time zones are slow to load, so the first time loads them.
  let localTime: ((text: string) => string | undefined) | undefined;
  const local = (text: string) => {
    if (!looksLikeTime(text)) return undefined;
    localTime ??= localTimes(style.timeZone);
    return localTime(text);
  };
  return (value, column) => {
    if (value === null || value === undefined) return style.unicode ? '–' : '-';
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (isJsonNumber(value)) return numberCell(digitsOf(value), column);
    if (typeof value !== 'string') return printable(stringifyJson(value));
    if (column.kind === 'number') return printable(groupThousands(value));
    const time = column.kind === undefined || column.kind === 'time' ? local(value) : undefined;
    return time ?? printable(value);
  };
}

function numberCell(digits: string, column: Column): string {
  if (column.kind === 'number') return groupThousands(digits);
  if (column.kind !== undefined || IDENTIFIER.test(column.key)) return digits;
  // Four digits are as often a year as a count.
  return groupThousands(digits, 5);
}

/** Whether to align a column right: number columns, and columns that contain only numbers. */
export function isRightAligned(column: Column, values: readonly (Json | undefined)[]): boolean {
  if (column.align !== undefined) return column.align === 'right';
  if (column.kind !== undefined) return column.kind === 'number';
  const present = values.filter(value => value !== null && value !== undefined);
  return present.length > 0 && present.every(isJsonNumber);
}
