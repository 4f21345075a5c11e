import { BACKSLASH, LOWER_N, LOWER_T, QUOTE } from '../transcode/ascii.ts';
import { utf8Text } from '../transcode/utf8.ts';
import type { ColumnType } from './column-type.ts';
import { decimalOf, unscaled } from './decimal.ts';

/** A value as the Parquet library takes it: days since 1970, decimals as unscaled integers. */
export type CellValue = string | bigint | number | boolean | null;

/** Makes one column's values of the JSON values `[from, to)` of a text. */
export type CellReader = (text: DataView, from: number, to: number) => CellValue;

/** Call it only for values that the type was chosen for. */
export function cellReader(type: ColumnType): CellReader {
  const read = presentReader(type);
  return (text, from, to) => (text.getUint8(from) === LOWER_N ? null : read(text, from, to));
}

function presentReader(type: ColumnType): CellReader {
  switch (type.kind) {
    case 'text':
      return textOf;
    case 'flag':
      return (text, from) => text.getUint8(from) === LOWER_T;
    case 'day':
      return remembered(day => daysSince1970(day) ?? null);
    case 'integer':
      return (text, from, to) => unscaled(decimalOf(utf8Text(text, from, to)), 0);
    case 'double':
      return (text, from, to) => Number(utf8Text(text, from, to));
    case 'decimal':
      return (text, from, to) => unscaled(decimalOf(utf8Text(text, from, to)), type.scale);
  }
}

/** Strings as they are, everything else as its JSON text. */
export function textOf(text: DataView, from: number, to: number): string {
  if (text.getUint8(from) !== QUOTE) return utf8Text(text, from, to);
  for (let at = from + 1; at < to - 1; at++)
    if (text.getUint8(at) === BACKSLASH) return JSON.parse(utf8Text(text, from, to));
  return utf8Text(text, from + 1, to - 1);
}

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const DAY_MS = 86_400_000;

/** For a day that exists, written `YYYY-MM-DD`; undefined for any other text. */
export function daysSince1970(text: string): number | undefined {
  const [found, year, month, date] = DAY.exec(text) ?? [];
  if (found === undefined || year === '0000') return undefined;
  const time = Date.parse(`${text}T00:00:00Z`);
  const isThere = !Number.isNaN(time) && new Date(time).getUTCDate() === Number(date);
  return isThere && Number(month) > 0 ? time / DAY_MS : undefined;
}

/** Days repeat: most are looked up. */
function remembered(read: (text: string) => number | null): CellReader {
  const known = new Map<string, number | null>();
  return (text, from, to) => {
    const day = textOf(text, from, to);
    const found = known.get(day);
    if (found !== undefined) return found;
    const value = read(day);
    known.set(day, value);
    return value;
  };
}
