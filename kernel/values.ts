// Validates one JSON value at a time. Each function returns the address after the value, or 0 if it is invalid or does not end
// before `limit`; the general path then reports what is wrong.

import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  DIGIT_0,
  isBlank,
  isDigit,
  LOWER_A,
  LOWER_B,
  LOWER_E,
  LOWER_F,
  LOWER_N,
  LOWER_R,
  LOWER_T,
  LOWER_U,
  MINUS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  PLUS,
  POINT,
  QUOTE,
  SLASH,
} from './ascii';

const NULL: u32 = 0x6c6c756e; // "null", as a little-endian word
const TRUE: u32 = 0x65757274; // "true"
const ALSE: u32 = 0x65736c61; // "alse"

/** Deeper values take the general path, which knows the depth of the row. */
const MAX_NESTED_DEPTH: i32 = 32;

// Kinds of values.
export const IS_NULL: i32 = 0;
/** A number, true or false. */
export const IS_WORD: i32 = 1;
/** A string without escapes and without commas. */
export const IS_PLAIN: i32 = 2;
/** A string with a comma, without escapes. */
export const HAS_COMMA: i32 = 3;
export const HAS_ESCAPE: i32 = 4;
export const IS_NESTED: i32 = 5;

/** The kind of the value that was validated last. */
export let kind: i32 = IS_NULL;

export function valueEnd(at: usize, limit: usize): usize {
  const first = load<u8>(at);
  if (first === QUOTE) return stringEnd(at + 1, limit);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
    const end = nestedEnd(at, limit, MAX_NESTED_DEPTH);
    kind = IS_NESTED;
    return end;
  }
  if (first === LOWER_N) {
    kind = IS_NULL;
    return load<u32>(at) === NULL ? at + 4 : 0;
  }
  kind = IS_WORD;
  if (first === LOWER_T) return load<u32>(at) === TRUE ? at + 4 : 0;
  if (first === LOWER_F) return load<u32>(at + 1) === ALSE ? at + 5 : 0;
  return numberEnd(at);
}

/** `at` is the address after the opening quote. */
export function stringEnd(at: usize, limit: usize): usize {
  let commas: i32 = 0;
  let hasEscape = false;
  while (at < limit) {
    const block = v128.load(at);
    // As signed bytes, both control characters and non-ASCII bytes are less than a blank.
    const others = i8x16.lt_s(block, i8x16.splat(0x20));
    const marks = v128.or(i8x16.eq(block, i8x16.splat(QUOTE)), i8x16.eq(block, i8x16.splat(BACKSLASH)));
    const special = i8x16.bitmask(v128.or(marks, others));
    const commasHere = i8x16.bitmask(i8x16.eq(block, i8x16.splat(COMMA)));
    if (special === 0) {
      commas |= commasHere;
      at += 16;
      continue;
    }
    const place = ctz(special);
    commas |= commasHere & ((1 << place) - 1);
    at += place;
    const byte = load<u8>(at);
    if (byte === QUOTE) {
      kind = hasEscape ? HAS_ESCAPE : commas === 0 ? IS_PLAIN : HAS_COMMA;
      return at + 1;
    }
    let length: usize = 0;
    if (byte === BACKSLASH) {
      hasEscape = true;
      length = escapeLength(at);
    } else if (byte >= 0x80) length = charactersLength(at, limit);
    if (length === 0) return 0;
    at += length;
  }
  return 0;
}

/** The length of the escape at `at`, or 0. */
function escapeLength(at: usize): usize {
  switch (load<u8>(at + 1)) {
    case QUOTE:
    case BACKSLASH:
    case SLASH:
    case LOWER_B:
    case LOWER_F:
    case LOWER_N:
    case LOWER_R:
    case LOWER_T:
      return 2;
    case LOWER_U: {
      for (let digit: usize = 2; digit < 6; digit++) if (!isHex(load<u8>(at + digit))) return 0;
      return 6;
    }
    default:
      return 0;
  }
}

function isHex(byte: u8): bool {
  const letter = byte | 0x20;
  return isDigit(byte) || (letter >= LOWER_A && letter <= LOWER_F);
}

/** The length of the non-ASCII characters at `at`, in UTF-8 (RFC 3629, section 4); 0 if the first one is invalid. */
function charactersLength(from: usize, limit: usize): usize {
  let at = from;
  while (at < limit) {
    const lead = load<u8>(at);
    if (lead < 0x80) break;
    const second = load<u8>(at + 1);
    if (lead >= 0xc2 && lead < 0xe0) {
      if (!isContinuation(second)) break;
      at += 2;
    } else if (lead >= 0xe0 && lead < 0xf0) {
      // Excludes overlong forms and surrogates.
      if (second < (lead === 0xe0 ? 0xa0 : 0x80) || second > (lead === 0xed ? 0x9f : 0xbf)) break;
      if (!isContinuation(load<u8>(at + 2))) break;
      at += 3;
    } else if (lead >= 0xf0 && lead < 0xf5) {
      // Excludes overlong forms and code points above U+10FFFF.
      if (second < (lead === 0xf0 ? 0x90 : 0x80) || second > (lead === 0xf4 ? 0x8f : 0xbf)) break;
      if (!isContinuation(load<u8>(at + 2)) || !isContinuation(load<u8>(at + 3))) break;
      at += 4;
    } else break;
  }
  return at - from;
}

function isContinuation(byte: u8): bool {
  return (byte & 0xc0) === 0x80;
}

/** Most numbers have no exponent and fit into sixteen bytes, so that their digits are found at once. */
function numberEnd(at: usize): usize {
  const first = load<u8>(at) === MINUS ? at + 1 : at;
  const others = ~digits(first);
  const whole = ctz(others);
  if (whole === 16) return longNumberEnd(first);
  let length = whole;
  let next = load<u8>(first + whole);
  if (next === POINT) {
    length = whole + 1 + ctz(others >> (whole + 1));
    if (length >= 16) return longNumberEnd(first);
    if (length === whole + 1) return 0;
    next = load<u8>(first + length);
  }
  if ((next | 0x20) === LOWER_E) return longNumberEnd(first);
  return hasGoodWhole(first, whole) ? first + length : 0;
}

/** Any number; `first` is the address after its minus sign. */
function longNumberEnd(first: usize): usize {
  let end = digitsEnd(first);
  if (!hasGoodWhole(first, (end - first) as i32)) return 0;
  if (load<u8>(end) === POINT) {
    const fraction = end + 1;
    end = digitsEnd(fraction);
    if (end === fraction) return 0;
  }
  if ((load<u8>(end) | 0x20) === LOWER_E) {
    const sign = load<u8>(end + 1);
    const exponent = sign === PLUS || sign === MINUS ? end + 2 : end + 1;
    end = digitsEnd(exponent);
    if (end === exponent) return 0;
  }
  return end;
}

/** The integer part: at least one digit, without leading zeros. */
function hasGoodWhole(first: usize, length: i32): bool {
  return length > 0 && (length === 1 || load<u8>(first) !== DIGIT_0);
}

/** The padding after the text contains no digit, so the digits end there at the latest. */
function digitsEnd(at: usize): usize {
  while (true) {
    const length = ctz(~digits(at));
    if (length < 16) return at + length;
    at += 16;
  }
}

/** Which of sixteen bytes are digits: one bit each, the lowest for the first byte. */
function digits(at: usize): i32 {
  const block = v128.load(at);
  return i8x16.bitmask(i8x16.le_u(i8x16.sub(block, i8x16.splat(DIGIT_0)), i8x16.splat(9)));
}

function nestedEnd(at: usize, limit: usize, depth: i32): usize {
  if (depth === 0) return 0;
  const isObject = load<u8>(at) === OPEN_OBJECT;
  const closing = isObject ? CLOSE_OBJECT : CLOSE_ARRAY;
  at = blanksEnd(at + 1, limit);
  if (load<u8>(at) === closing) return at + 1;
  while (at < limit) {
    if (isObject) {
      if (load<u8>(at) !== QUOTE) return 0;
      at = stringEnd(at + 1, limit);
      if (at === 0) return 0;
      at = blanksEnd(at, limit);
      if (load<u8>(at) !== COLON) return 0;
      at = blanksEnd(at + 1, limit);
    }
    const first = load<u8>(at);
    at =
      first === OPEN_OBJECT || first === OPEN_ARRAY ? nestedEnd(at, limit, depth - 1) : valueEnd(at, limit);
    if (at === 0) return 0;
    at = blanksEnd(at, limit);
    const next = load<u8>(at);
    if (next === closing) return at + 1;
    if (next !== COMMA) return 0;
    at = blanksEnd(at + 1, limit);
  }
  return 0;
}

/** The first address from `at` on that is not white space. */
export function blanksEnd(at: usize, limit: usize): usize {
  while (at < limit && isBlank(load<u8>(at))) at++;
  return at;
}
