// Looking at four bytes of text at once, as one little-endian word. The bytes found are marked by their high bit.

const ONES = 0x01010101;
const SPACES = 0x20202020;
const ZEROS = 0x30303030;
const ABOVE_NINE = 0x76767676; // 10 + 0x76 has the high bit
const QUOTES = 0x22222222;
const COMMAS = 0x2c2c2c2c;
const BACKSLASHES = 0x5c5c5c5c;
const HIGH_BITS = 0x80808080;

/**
 * Marks quotes, backslashes, control characters and all that is not ASCII. Subtracting borrows only out of a byte that is marked
 * itself: the first mark is right, and so is the absence of any. Later marks may be wrong.
 */
export function stringSpecials(word: number): number {
  const quotes = (word ^ QUOTES) - ONES;
  const backslashes = (word ^ BACKSLASHES) - ONES;
  return ((word - SPACES) | quotes | backslashes | word) & HIGH_BITS;
}

/** Marks commas and backslashes. Zero only if there are none. */
export function commasAndBackslashes(word: number): number {
  const commas = word ^ COMMAS;
  const backslashes = word ^ BACKSLASHES;
  return (((commas - ONES) & ~commas) | ((backslashes - ONES) & ~backslashes)) & HIGH_BITS;
}

/** Marks backslashes. Zero only if there are none. */
export function backslashes(word: number): number {
  const backslashes = word ^ BACKSLASHES;
  return (backslashes - ONES) & ~backslashes & HIGH_BITS;
}

/** Marks all that is not a digit. The first mark is right, and so is the absence of any. */
export function nonDigits(word: number): number {
  const digits = word ^ ZEROS;
  return ((digits + ABOVE_NINE) | digits) & HIGH_BITS;
}

/** Which byte, in the order of the text, has the first mark. */
export function firstMarked(marks: number): number {
  return (31 - Math.clz32(marks & -marks)) >> 3;
}
