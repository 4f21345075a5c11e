import { isDay } from '../../apis/bda/days.ts';
import { DAY_MS } from '../../wire/day.ts';
import { BACKSLASH, DIGIT_0, isDigit, LOWER_N, LOWER_T, MINUS, QUOTE } from '../transcode/ascii.ts';
import { utf8Text } from '../transcode/utf8.ts';
import type { ColumnType } from './column-type.ts';
import { unscaledIn } from './decimal.ts';

/** A value in the form that the Parquet library expects: days since 1970, decimals as unscaled integers. */
export type CellValue = string | bigint | number | boolean | null;

/** Converts the JSON value `[from, to)` of a text to a value of one column. */
type CellReader = (text: DataView, from: number, to: number) => CellValue;

/** The returned function accepts only values that the type was chosen for. */
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
      return dayReader();
    case 'integer':
      return (text, from, to) => unscaledIn(text, from, to, 0);
    case 'double':
      return (text, from, to) => Number(utf8Text(text, from, to));
    case 'decimal':
      return (text, from, to) => unscaledIn(text, from, to, type.scale);
  }
}

function dayReader(): CellReader {
  const known = new KnownDays();
  return (text, from, to) => known.since1970(text, from, to) ?? null;
}

/** Strings unquoted, any other value as its JSON text. */
export function textOf(text: DataView, from: number, to: number): string {
  if (text.getUint8(from) !== QUOTE) return utf8Text(text, from, to);
  if (hasEscape(text, from, to)) return JSON.parse(utf8Text(text, from, to));
  return utf8Text(text, from + 1, to - 1);
}

/** Whether a JSON string contains a backslash. */
export function hasEscape(text: DataView, from: number, to: number): boolean {
  for (let at = from + 1; at < to - 1; at++) if (text.getUint8(at) === BACKSLASH) return true;
  return false;
}

/** `"YYYY-MM-DD"` */
const DAY_BYTES = 12;

/** Days since 1970 of an existing day in the form `YYYY-MM-DD`; undefined for any other text. */
function daysSince1970(text: string): number | undefined {
  return isDay(text) ? Date.parse(`${text}T00:00:00Z`) / DAY_MS : undefined;
}

/** A cache of days by `dayKey`: days repeat, so most are looked up. */
export class KnownDays {
  readonly #days = new Map<number, number>();

  /** `daysSince1970` of the JSON string `[from, to)` of a text. */
  since1970(text: DataView, from: number, to: number): number | undefined {
    const key = to - from === DAY_BYTES ? dayKey(text, from + 1) : undefined;
    if (key === undefined) return undefined;
    const known = this.#days.get(key);
    if (known !== undefined) return known;
    const days = daysSince1970(utf8Text(text, from + 1, to - 1));
    if (days !== undefined) this.#days.set(key, days);
    return days;
  }
}

/** The digits of a text in the form `YYYY-MM-DD` as one number; undefined for any other text. */
function dayKey(text: DataView, from: number): number | undefined {
  let digits = 0;
  for (let place = 0; place < DAY_BYTES - 2; place++) {
    const byte = text.getUint8(from + place);
    if (place === 4 || place === 7) {
      if (byte !== MINUS) return undefined;
    } else if (isDigit(byte)) digits = digits * 10 + byte - DIGIT_0;
    else return undefined;
  }
  return digits;
}
