// Looking at four bytes of text at once, as one little-endian word. The bytes found are marked by their high bit.

const ONES = 0x01010101;
const COMMAS = 0x2c2c2c2c;
const BACKSLASHES = 0x5c5c5c5c;
const HIGH_BITS = 0x80808080;

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
