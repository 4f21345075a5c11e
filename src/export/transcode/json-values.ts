import {
  BACKSLASH,
  DIGIT_0,
  hexValue,
  isSimpleEscape,
  LOWER_E,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  LOWER_U,
  MINUS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  PLUS,
  POINT,
  QUOTE,
} from './ascii.ts';
import { firstMarked, nonDigits, stringSpecials } from './four-bytes.ts';
import { JsonScanner } from './json-scanner.ts';
import { continuationCount, secondByteMax, secondByteMin } from './utf8.ts';

// Checking one value at a stroke, where JsonScanner takes byte after byte. Each function returns the index after the value, or -1
// when there is none or when it comes too close to the end of the text: what -1 means is for JsonScanner to say.

/** Bytes that have to follow a value, so that the functions may look ahead without looking where the text ends. */
export const AHEAD = 8;

/** Deeper values are left to the scanner that knows how deep the value itself is. */
const MAX_NESTED_DEPTH = 32;

const NULL = 0x6c6c756e; // "null", as a little-endian word
const TRUE = 0x65757274; // "true"
const ALSE = 0x65736c61; // "alse"

/** The index after the value that begins at `at`. `limit` is {@link AHEAD} before the text's end. */
export function checkedValueEnd(text: DataView, at: number, limit: number): number {
  if (at > limit) return -1;
  switch (text.getUint8(at)) {
    case QUOTE:
      return checkedStringEnd(text, at + 1, limit);
    case LOWER_N:
      return text.getInt32(at, true) === NULL ? at + 4 : -1;
    case LOWER_T:
      return text.getInt32(at, true) === TRUE ? at + 4 : -1;
    case LOWER_F:
      return text.getInt32(at + 1, true) === ALSE ? at + 5 : -1;
    case OPEN_OBJECT:
    case OPEN_ARRAY:
      return checkedNestedEnd(text, at, limit);
    default:
      return checkedNumberEnd(text, at, limit);
  }
}

/** `at` is the index after the opening quote. */
function checkedStringEnd(text: DataView, at: number, limit: number): number {
  while (at <= limit) {
    const special = stringSpecials(text.getInt32(at, true));
    if (special === 0) {
      at += 4;
      continue;
    }
    at += firstMarked(special);
    const byte = text.getUint8(at);
    if (byte === QUOTE) return at + 1;
    if (at > limit) return -1;
    const length = byte === BACKSLASH ? escapeLength(text, at) : byte >= 0x80 ? characterLength(text, at) : 0;
    if (length === 0) return -1;
    at += length;
  }
  return -1;
}

/** The length of the escape at `at`, or 0. */
function escapeLength(text: DataView, at: number): number {
  const letter = text.getUint8(at + 1);
  if (letter !== LOWER_U) return isSimpleEscape(letter) ? 2 : 0;
  for (let digit = 2; digit < 6; digit++) if (hexValue(text.getUint8(at + digit)) === -1) return 0;
  return 6;
}

/** The length of the UTF-8 sequence at `at`, or 0. */
function characterLength(text: DataView, at: number): number {
  const lead = text.getUint8(at);
  const count = continuationCount(lead);
  const second = text.getUint8(at + 1);
  if (count === 0 || second < secondByteMin(lead) || second > secondByteMax(lead)) return 0;
  for (let next = 2; next <= count; next++) if ((text.getUint8(at + next) & 0xc0) !== 0x80) return 0;
  return count + 1;
}

function checkedNumberEnd(text: DataView, at: number, limit: number): number {
  const first = text.getUint8(at) === MINUS ? at + 1 : at;
  let end = digitsEnd(text, first, limit);
  if (end === first || (text.getUint8(first) === DIGIT_0 && end > first + 1)) return -1;
  if (text.getUint8(end) === POINT) {
    const fraction = end + 1;
    end = digitsEnd(text, fraction, limit);
    if (end === fraction) return -1;
  }
  if ((text.getUint8(end) | 0x20) === LOWER_E) {
    const sign = text.getUint8(end + 1);
    const exponent = sign === PLUS || sign === MINUS ? end + 2 : end + 1;
    end = digitsEnd(text, exponent, limit);
    if (end === exponent) return -1;
  }
  return end <= limit ? end : -1;
}

function digitsEnd(text: DataView, at: number, limit: number): number {
  while (at <= limit) {
    const others = nonDigits(text.getInt32(at, true));
    if (others !== 0) return at + firstMarked(others);
    at += 4;
  }
  return at;
}

/** Nested values are few and short: they are checked byte by byte. */
function checkedNestedEnd(text: DataView, at: number, limit: number): number {
  const scanner = new JsonScanner(MAX_NESTED_DEPTH);
  try {
    do scanner.step(text.getUint8(at++));
    while (scanner.depth > 0 && at <= limit);
  } catch {
    return -1;
  }
  return scanner.depth === 0 ? at : -1;
}
