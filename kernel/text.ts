// Writes validated text. Each function returns the end of the output; up to fifteen bytes after it may be overwritten.
import {
  BACKSLASH,
  COMMA,
  CR,
  isBlank,
  isDigit,
  LF,
  LOWER_A,
  LOWER_B,
  LOWER_F,
  LOWER_N,
  LOWER_R,
  LOWER_T,
  LOWER_U,
  QUOTE,
  SPACE,
  TAB,
} from './ascii';
import { stringEnd } from './values';

const BYTE_ORDER_MARK: u32 = 0xbfbbef;
/** `\.`, which ends the data of a PostgreSQL COPY. */
const END_OF_DATA: u16 = 0x2e5c;

/** Copies `[from, to)`. */
export function copy(from: usize, to: usize, out: usize): usize {
  const end = out + (to - from);
  for (; out < end; out += 16, from += 16) v128.store(out, v128.load(from));
  return end;
}

/** Writes JSON text without insignificant white space; at most as many bytes. */
export function compact(from: usize, to: usize, out: usize): usize {
  while (from < to) {
    const byte = load<u8>(from);
    if (byte === QUOTE) {
      const end = stringEnd(from + 1, to);
      out = copy(from, end, out);
      from = end;
      continue;
    }
    if (!isBlank(byte)) store<u8>(out++, byte);
    from++;
  }
  return out;
}

/** Writes the value of a JSON string as UTF-8; at most as many bytes. A lone surrogate becomes U+FFFD. */
export function resolve(from: usize, to: usize, out: usize): usize {
  while (from < to) {
    const block = v128.load(from);
    v128.store(out, block);
    const plain = placeOf(i8x16.bitmask(i8x16.eq(block, i8x16.splat(BACKSLASH))), to - from);
    from += plain;
    out += plain;
    if (from === to || load<u8>(from) !== BACKSLASH) continue;
    const letter = load<u8>(from + 1);
    if (letter !== LOWER_U) {
      store<u8>(out++, simpleEscape(letter));
      from += 2;
      continue;
    }
    let point = codeUnit(from + 2);
    from += 6;
    if (isSurrogate(point)) {
      const next = point < 0xdc00 && from + 6 <= to ? escapedUnit(from) : 0;
      if (next >= 0xdc00 && next <= 0xdfff) {
        point = 0x10000 + ((point - 0xd800) << 10) + (next - 0xdc00);
        from += 6;
      } else point = 0xfffd;
    }
    out = writeCodePoint(point, out);
  }
  return out;
}

/** Writes a csv cell, quoted by the rule of src/output/csv-quoting.ts. */
export function quotedIfNeeded(from: usize, to: usize, out: usize): usize {
  if (!needsQuotes(from, to)) return copy(from, to, out);
  store<u8>(out++, QUOTE);
  while (from < to) {
    const block = v128.load(from);
    v128.store(out, block);
    const plain = placeOf(i8x16.bitmask(i8x16.eq(block, i8x16.splat(QUOTE))), to - from);
    from += plain;
    out += plain;
    if (from === to || load<u8>(from) !== QUOTE) continue;
    store<u16>(out, 0x2222);
    out += 2;
    from++;
  }
  store<u8>(out, QUOTE);
  return out + 1;
}

/** Writes a tsv cell: tabs, line ends and backslashes as `\t`, `\n`, `\r` and `\\`. */
export function escaped(from: usize, to: usize, out: usize): usize {
  while (from < to) {
    const block = v128.load(from);
    v128.store(out, block);
    const marks = v128.or(
      v128.or(i8x16.eq(block, i8x16.splat(TAB)), i8x16.eq(block, i8x16.splat(LF))),
      v128.or(i8x16.eq(block, i8x16.splat(CR)), i8x16.eq(block, i8x16.splat(BACKSLASH))),
    );
    const plain = placeOf(i8x16.bitmask(marks), to - from);
    from += plain;
    out += plain;
    if (from === to) break;
    const letter = escapeLetter(load<u8>(from));
    if (letter === 0) continue;
    store<u8>(out, BACKSLASH);
    store<u8>(out + 1, letter);
    out += 2;
    from++;
  }
  return out;
}

/** The number of bytes before the first set bit of sixteen, and before the end of the text. */
function placeOf(marks: i32, left: usize): usize {
  const plain: usize = marks === 0 ? 16 : ctz(marks);
  return min(plain, left);
}

function needsQuotes(from: usize, to: usize): bool {
  if (from === to || isTrimmed(load<u8>(from)) || isTrimmed(load<u8>(to - 1))) return true;
  if (beginsWithMark(from, to) || (to - from === 2 && load<u16>(from) === END_OF_DATA)) return true;
  for (; from < to; from += 16) {
    const block = v128.load(from);
    const marks = v128.or(
      v128.or(i8x16.eq(block, i8x16.splat(COMMA)), i8x16.eq(block, i8x16.splat(QUOTE))),
      v128.or(i8x16.eq(block, i8x16.splat(CR)), i8x16.eq(block, i8x16.splat(LF))),
    );
    const left = to - from;
    if (placeOf(i8x16.bitmask(marks), left) < min<usize>(16, left)) return true;
  }
  return false;
}

/** Whether some readers of csv trim this byte at either end of a cell. */
function isTrimmed(byte: u8): bool {
  return byte <= SPACE;
}

export function beginsWithMark(from: usize, to: usize): bool {
  return to - from >= 3 && (load<u32>(from) & 0xffffff) === BYTE_ORDER_MARK;
}

function simpleEscape(letter: u8): u8 {
  switch (letter) {
    case LOWER_B:
      return 0x08;
    case LOWER_F:
      return 0x0c;
    case LOWER_N:
      return LF;
    case LOWER_R:
      return CR;
    case LOWER_T:
      return TAB;
    default:
      return letter;
  }
}

/** The letter after the backslash; 0 for a byte that is not escaped. */
function escapeLetter(byte: u8): u8 {
  switch (byte) {
    case TAB:
      return LOWER_T;
    case LF:
      return LOWER_N;
    case CR:
      return LOWER_R;
    case BACKSLASH:
      return BACKSLASH;
    default:
      return 0;
  }
}

function isSurrogate(unit: i32): bool {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** The code unit of the \uXXXX at `at`; 0 if there is none. */
function escapedUnit(at: usize): i32 {
  return load<u8>(at) === BACKSLASH && load<u8>(at + 1) === LOWER_U ? codeUnit(at + 2) : 0;
}

function codeUnit(at: usize): i32 {
  let unit = 0;
  for (let digit: usize = 0; digit < 4; digit++) unit = (unit << 4) | hexValue(load<u8>(at + digit));
  return unit;
}

function hexValue(digit: u8): i32 {
  return isDigit(digit) ? digit & 0x0f : (digit | 0x20) - LOWER_A + 10;
}

function writeCodePoint(point: i32, out: usize): usize {
  if (point < 0x80) {
    store<u8>(out, point as u8);
    return out + 1;
  }
  if (point < 0x800) store<u8>(out++, (0xc0 | (point >> 6)) as u8);
  else {
    if (point < 0x10000) store<u8>(out++, (0xe0 | (point >> 12)) as u8);
    else {
      store<u8>(out++, (0xf0 | (point >> 18)) as u8);
      store<u8>(out++, (0x80 | ((point >> 12) & 0x3f)) as u8);
    }
    store<u8>(out++, (0x80 | ((point >> 6) & 0x3f)) as u8);
  }
  store<u8>(out, (0x80 | (point & 0x3f)) as u8);
  return out + 1;
}
