import { digitsOf, isJsonNumber, type Json, stringifyJson } from '../json/index.ts';
import { printable } from '../terminal/printable.ts';
import { groupThousands } from './number.ts';
import { localTimes, looksLikeTime } from './time.ts';
import type { Column, Style } from './view.ts';

/** Fields that number things instead of counting them, by the names that APIs give them. */
const IDENTIFIER = /(?:^id|_id|Id|ID)$/;

/** Writes one value as a person reads it, on one line and safe for a terminal. */
export type CellWriter = (value: Json | undefined, column: Column) => string;

/** Cells of table and md: see `Column.kind`. Null and a missing field are a dash, true and false are yes and no. */
export function cellWriter(style: Pick<Style, 'timeZone' | 'unicode'>): CellWriter {
  // Time zones are dear to load: only a time is worth it.
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

/** Numbers stand to the right, so that their digits line up; a column of nothing but numbers is taken for one. */
export function isRightAligned(column: Column, values: readonly (Json | undefined)[]): boolean {
  if (column.align !== undefined) return column.align === 'right';
  if (column.kind !== undefined) return column.kind === 'number';
  const present = values.filter(value => value !== null && value !== undefined);
  return present.length > 0 && present.every(isJsonNumber);
}
