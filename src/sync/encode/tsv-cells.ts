import type { ColumnType } from '../../export/parquet/column-type.ts';
import { decimalOf } from '../../export/parquet/decimal.ts';
import {
  BACKSLASH,
  DIGIT_0,
  isDigit,
  LOWER_N,
  LOWER_T,
  MINUS,
  POINT,
  QUOTE,
} from '../../export/transcode/ascii.ts';
import { ByteBuffer } from '../../export/transcode/byte-buffer.ts';
import { writeResolved } from '../../export/transcode/json-strings.ts';
import { utf8Text } from '../../export/transcode/utf8.ts';
import { escapeLetter } from '../../output/tsv-escapes.ts';

/** Appends the JSON value `[from, to)` of a text as a cell. The caller has made room for twice its length and two bytes. */
export type TsvCellWriter = (out: ByteBuffer, text: DataView, from: number, to: number) => void;

/** A value that no destination stores; the message says why. */
export class UnwritableError extends Error {}

/** Longer numbers are in no column; PostgreSQL stores up to 16,383 digits after the decimal point. */
const MOST_DIGITS = 10_000;

const UPPER_N = 0x4e;
const DIGIT_1 = 0x31;
/** Room for the rest of the line after a number that makes room for itself. */
const MARGIN = 4;

export function writeNull(out: ByteBuffer): void {
  out.put(BACKSLASH);
  out.put(UPPER_N);
}

/** What a destination cannot store. */
interface CellLimits {
  readonly rejectsNul: boolean;
  readonly calendar?: readonly [first: string, last: string] | undefined;
}

/** The returned function accepts only values that the type was chosen for. Throws UnwritableError. */
export function cellWriter(type: ColumnType, options: CellLimits): TsvCellWriter {
  const write = presentWriter(type, options);
  return (out, text, from, to) => {
    if (text.getUint8(from) === LOWER_N) writeNull(out);
    else write(out, text, from, to);
  };
}

function presentWriter(type: ColumnType, { rejectsNul, calendar }: CellLimits): TsvCellWriter {
  switch (type.kind) {
    case 'text':
      return textWriter(rejectsNul);
    case 'flag':
      return (out, text, from) => out.put(text.getUint8(from) === LOWER_T ? DIGIT_1 : DIGIT_0);
    case 'day':
      return dayWriter(calendar);
    default:
      return writeNumber;
  }
}

function dayWriter(calendar: CellLimits['calendar']): TsvCellWriter {
  if (calendar === undefined) return (out, text, from, to) => out.copy(text, from + 1, to - 1);
  const [first, last] = calendar.map(dayNumber) as [number, number];
  return (out, text, from, to) => {
    const number = dayNumberAt(text, from + 1);
    if (number < first || number > last)
      throw new UnwritableError(
        `the day ${utf8Text(text, from + 1, to - 1)} is not between ${calendar.join(' and ')}`,
      );
    out.copy(text, from + 1, to - 1);
  };
}

/** `YYYY-MM-DD` as a number that is greater for a later day. */
function dayNumber(day: string): number {
  return Number(day.replaceAll('-', ''));
}

/** The same, from the bytes of a text. */
function dayNumberAt(text: DataView, from: number): number {
  let number = 0;
  for (let at = from; at < from + 'YYYY-MM-DD'.length; at++) {
    const byte = text.getUint8(at);
    if (byte !== MINUS) number = number * 10 + byte - DIGIT_0;
  }
  return number;
}

function textWriter(rejectsNul: boolean): TsvCellWriter {
  /** The text before escaping. */
  const cell = new ByteBuffer(256);
  return (out, text, from, to) => {
    const isString = text.getUint8(from) === QUOTE;
    if (isString && !hasBackslash(text, from + 1, to - 1)) {
      // Without an escape, JSON text contains none of the characters that are escaped here.
      out.copy(text, from + 1, to - 1);
      return;
    }
    cell.clear();
    cell.reserve(to - from);
    if (isString) writeResolved(cell, text, from + 1, to - 1);
    else cell.copy(text, from, to);
    for (let at = 0; at < cell.length; at++) {
      const byte = cell.view.getUint8(at);
      if (byte === 0 && rejectsNul) throw new UnwritableError('a text with the character NUL');
      const letter = escapeLetter(byte);
      if (letter !== 0) out.put(BACKSLASH);
      out.put(letter === 0 ? byte : letter);
    }
  };
}

function hasBackslash(text: DataView, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (text.getUint8(at) === BACKSLASH) return true;
  return false;
}

/** Copies the digits; with an exponent, writes the same number without it. */
function writeNumber(out: ByteBuffer, text: DataView, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    const byte = text.getUint8(at);
    if (isDigit(byte) || byte === POINT || byte === MINUS) continue;
    const digits = Buffer.from(plainDigits(utf8Text(text, from, to)));
    out.reserve(digits.length + MARGIN);
    out.append(digits);
    return;
  }
  out.copy(text, from, to);
}

/** The digits of a JSON number without an exponent: `1.5e3` as `1500`, `1e-3` as `0.001`. Throws UnwritableError. */
export function plainDigits(text: string): string {
  const { isNegative, digits, scale } = decimalOf(text);
  if (digits.length > MOST_DIGITS || Math.abs(scale) > MOST_DIGITS)
    throw new UnwritableError(`a number of more than ${MOST_DIGITS} digits`);
  const sign = isNegative ? '-' : '';
  if (digits === '0') return `${sign}0`;
  if (scale <= 0) return sign + digits + '0'.repeat(-scale);
  const padded = digits.padStart(scale + 1, '0');
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}
