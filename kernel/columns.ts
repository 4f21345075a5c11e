// Converts rows to the columns of a Parquet file: examines the types of values, collects the values of a group of rows by column,
// and encodes pages of them. Unusual rows take the general path, one by one.
import { COMMA, DIGIT_0, isDigit, LOWER_T, MINUS, POINT } from './ascii';
import { daysAt } from './days';
import { rowEnd, rowShape } from './known-rows';
import { BEHIND, INPUT, INPUT_BYTES, MAX_FIELDS, OUTPUT, SHAPE_FIELD_OF, SPAN_BYTES, SPANS } from './memory';
import { clearProfiles, PROFILES_END, profileRow } from './profile';
import { compress, HASH_TABLE_BYTES, varint } from './snappy';
import { copy, resolve } from './text';
import { blanksEnd, HAS_ESCAPE, IS_NESTED, IS_NULL, IS_WORD } from './values';

export * from './known-rows';
export * from './profile';

// Types of columns.
export const TEXT: i32 = 0;
export const FLAG: i32 = 1;
export const DAY: i32 = 2;
/** A 64-bit integer; in columns of decimals, times a power of ten. */
export const NUMBER: i32 = 3;

/** Numbers with this many digits always fit into 64 bits. */
const SAFE_DIGITS: i32 = 18;
/** With more digits, the general path decides whether a number fits. */
const MAX_PLAIN_DIGITS: i32 = 20;

// A column: its type, its digits after the decimal point, and the number of values that are not null.
const COLUMN_TYPE: i32 = 0;
const COLUMN_SCALE: i32 = 4;
const COLUMN_VALUES: i32 = 8;
const COLUMN_BYTES: i32 = 12;

/** Maximum rows and values of a group. */
export const MAX_GROUP_ROWS: i32 = 64 * 1024;
const MAX_GROUP_CELLS: i32 = 1024 * 1024;
/** The texts of a group, each after its length. A group ends when the next rows may not fit. */
const TEXTS_BYTES: i32 = 8 * 1024 * 1024;
/** A page ends after the value that reaches this length. */
const PAGE_BYTES: i32 = 1024 * 1024;
const LENGTH_BYTES: i32 = 4;

/** A column with more distinct values has no dictionary. */
const MAX_DICTIONARY: i32 = 4096;
const DICTIONARY_SLOTS: i32 = 4 * MAX_DICTIONARY;

const COLUMNS: i32 = PROFILES_END;
/** For each cell of the group, whether it has a value; then the values: numbers, or addresses of texts. */
const DEFINED: i32 = COLUMNS + MAX_FIELDS * COLUMN_BYTES;
const VALUES: i32 = (DEFINED + MAX_GROUP_CELLS + 7) & ~7;
const TEXTS: i32 = VALUES + 8 * MAX_GROUP_CELLS;
// The column that is being encoded: the dictionary index of each value, the distinct values, and a hash table to find them.
const PLACES: i32 = TEXTS + TEXTS_BYTES;
const DICTIONARY: i32 = PLACES + 2 * MAX_GROUP_ROWS;
const DICTIONARY_TABLE: i32 = DICTIONARY + 8 * MAX_DICTIONARY;
export const LEVELS: i32 = DICTIONARY_TABLE + 2 * DICTIONARY_SLOTS;
const PAGE: i32 = LEVELS + MAX_GROUP_ROWS / 8 + 16;
const PAGE_ROOM: i32 = PAGE_BYTES + 2 * INPUT_BYTES + BEHIND;
export const PACKED: i32 = PAGE + PAGE_ROOM;
/** Snappy lengthens text by at most a sixth. */
const PACKED_ROOM: i32 = 32 + PAGE_ROOM + PAGE_ROOM / 6 + BEHIND;
const HASH_TABLE: i32 = PACKED + PACKED_ROOM;
const COLUMNS_END: i32 = HASH_TABLE + HASH_TABLE_BYTES;

/** The addresses to export, see scripts/build/kernel.js. */
const MEMORY_BYTES: i32 = 400 * 64 * 1024;
if (COLUMNS_END > MEMORY_BYTES) ERROR('the columns need more memory');

let columns: i32 = 0;
let groupRows: i32 = 0;
let textsEnd: usize = TEXTS;
/** The text that was appended last for an incomplete row. */
let textsNext: usize = TEXTS;

/** Number of rows that `profileRows` examined last. */
export let profiledRows: i32 = 0;

/** Number of rows in the group. */
export let rows: i32 = 0;

// The page that was made last: the lengths of its levels, of its values, and of these compressed; the number of nulls.
export let levelsLength: i32 = 0;
export let pageLength: i32 = 0;
export let packedLength: i32 = 0;
export let pageNulls: i32 = 0;

// The column that is being encoded: the size of its dictionary, 0 without one; its minimum and maximum, as numbers or addresses
// of texts; and the first row of its next page.
export let dictionaryLength: i32 = 0;
export let least: i64 = 0;
export let greatest: i64 = 0;
let nextValue: i32 = 0;

/** Resets the counts of the first columns. */
export function beginProfile(count: i32): void {
  columns = count;
  clearProfiles(count);
}

/**
 * Examines as many rows of known shapes as possible, from `at` on, separated by commas. Returns the end of the last one, or -1.
 * `profiledRows` counts them.
 */
export function profileRows(at: i32, length: i32): i32 {
  const limit: usize = INPUT + length;
  let row: usize = INPUT + at;
  let last: usize = 0;
  profiledRows = 0;
  while (true) {
    const end = rowEnd(row, limit);
    if (end === 0 || !isPlainRow()) break;
    profileRow(columns);
    profiledRows++;
    last = end;
    const comma = blanksEnd(end, limit);
    if (comma >= limit || load<u8>(comma) !== COMMA) break;
    row = blanksEnd(comma + 1, limit);
  }
  return last === 0 ? -1 : (last as i32) - INPUT;
}

/** Whether all values of the row in SPANS are simple. */
function isPlainRow(): bool {
  let field = rowShape() + SHAPE_FIELD_OF;
  for (let column = 0; column < columns; column++, field += 4) {
    const index = load<i32>(field);
    if (index < 0) continue;
    const span: usize = SPANS + index * SPAN_BYTES;
    const kind = load<i32>(span, 8);
    if (kind === HAS_ESCAPE) return false;
    if (kind === IS_WORD && !isPlainNumber(load<i32>(span), load<i32>(span, 4))) return false;
  }
  return true;
}

/** False for long numbers and those with an exponent. */
function isPlainNumber(from: usize, to: usize): bool {
  if (load<u8>(from) === MINUS) from++;
  if (!isDigit(load<u8>(from))) return true;
  const start = from;
  while (from < to && isDigit(load<u8>(from))) from++;
  if (((from - start) as i32) > SAFE_DIGITS) return false;
  if (from < to && load<u8>(from) === POINT) {
    from++;
    while (from < to && isDigit(load<u8>(from))) from++;
    if (((from - start - 1) as i32) > MAX_PLAIN_DIGITS) return false;
  }
  return from === to;
}

/** Starts collecting rows in this many columns. Returns the maximum rows of a group. */
export function beginColumns(count: i32): i32 {
  columns = count;
  groupRows = min(MAX_GROUP_ROWS, MAX_GROUP_CELLS / count);
  beginGroup();
  return groupRows;
}

/** Sets the type of a column. */
export function setColumn(column: i32, type: i32, scale: i32): void {
  const at = COLUMNS + column * COLUMN_BYTES;
  store<i32>(at, type, COLUMN_TYPE);
  store<i32>(at, scale, COLUMN_SCALE);
}

/** Discards all rows. */
export function beginGroup(): void {
  for (let column = 0; column < columns; column++)
    store<i32>(COLUMNS + column * COLUMN_BYTES, 0, COLUMN_VALUES);
  rows = 0;
  textsEnd = TEXTS;
  textsNext = TEXTS;
}

/** Whether the next row may not fit into the group. */
export function isGroupFull(): bool {
  return (
    rows >= groupRows ||
    textsEnd + 2 * INPUT_BYTES + LENGTH_BYTES * columns + BEHIND > <usize>(TEXTS + TEXTS_BYTES)
  );
}

/**
 * Adds as many rows of known shapes as possible to the group, from `at` on, separated by commas. Returns the end of the last one;
 * -1 if the group is full or the first row has a value for the general path.
 */
export function takeRows(at: i32, length: i32): i32 {
  const limit: usize = INPUT + length;
  let row: usize = INPUT + at;
  let last: usize = 0;
  while (!isGroupFull()) {
    const end = rowEnd(row, limit);
    if (end === 0 || !takeRow()) break;
    last = end;
    const comma = blanksEnd(end, limit);
    if (comma >= limit || load<u8>(comma) !== COMMA) break;
    row = blanksEnd(comma + 1, limit);
  }
  return last === 0 ? -1 : (last as i32) - INPUT;
}

/** Adds the row in SPANS. Returns false, adding nothing, for a row with a value for the general path. */
function takeRow(): bool {
  let field = rowShape() + SHAPE_FIELD_OF;
  textsNext = textsEnd;
  for (let column = 0; column < columns; column++, field += 4) {
    const index = load<i32>(field);
    const span: usize = SPANS + index * SPAN_BYTES;
    if (index < 0 || load<i32>(span, 8) === IS_NULL) putNull(column);
    else if (!takeValue(column, load<i32>(span), load<i32>(span, 4), load<i32>(span, 8))) return false;
  }
  endRow();
  return true;
}

function takeValue(column: i32, from: usize, to: usize, kind: i32): bool {
  const at = COLUMNS + column * COLUMN_BYTES;
  switch (load<i32>(at, COLUMN_TYPE)) {
    case TEXT: {
      const out = textsNext + LENGTH_BYTES;
      if (kind === IS_WORD || kind === IS_NESTED) endText(column, copy(from, to, out));
      else if (kind === HAS_ESCAPE) endText(column, resolve(from + 1, to - 1, out));
      else endText(column, copy(from + 1, to - 1, out));
      return true;
    }
    case FLAG:
      putNumber(column, load<u8>(from) === LOWER_T ? 1 : 0);
      return true;
    case DAY:
      putNumber(column, daysAt(from + 1));
      return true;
    default:
      return takeNumber(column, from, to, load<i32>(at, COLUMN_SCALE));
  }
}

/**
 * Adds a number times 10^`scale`. Returns false for a long number, and for one with an exponent or more digits after the decimal
 * point, trailing zeros not counted.
 */
function takeNumber(column: i32, from: usize, to: usize, scale: i32): bool {
  const isNegative = load<u8>(from) === MINUS;
  if (isNegative) from++;
  if (((to - from) as i32) > SAFE_DIGITS) return false;
  let value: u64 = 0;
  let point = to - 1;
  let digits: i32 = 0;
  for (; from < to; from++) {
    const byte = load<u8>(from);
    if (isDigit(byte)) {
      value = 10 * value + (byte - DIGIT_0);
      if (value !== 0) digits++;
    } else if (byte === POINT) point = from;
    else return false;
  }
  let missing = scale - ((to - 1 - point) as i32);
  for (; missing < 0 && value % 10 === 0; missing++) value /= 10;
  if (missing < 0 || digits + missing > SAFE_DIGITS) return false;
  for (let power = 0; power < missing; power++) value *= 10;
  putNumber(column, isNegative ? -(value as i64) : (value as i64));
  return true;
}

/** The general path adds a row value by value; it writes texts to OUTPUT first. */
export function putText(column: i32, length: i32): void {
  if (column === 0) textsNext = textsEnd;
  endText(column, copy(OUTPUT, OUTPUT + length, textsNext + LENGTH_BYTES));
}

export function putNumber(column: i32, value: i64): void {
  if (column === 0) textsNext = textsEnd;
  put(column, value);
}

export function putNull(column: i32): void {
  if (column === 0) textsNext = textsEnd;
  store<u8>(DEFINED + column * groupRows + rows, 0);
}

/** Ends a row of the general path. */
export function endRow(): void {
  let defined: usize = DEFINED + rows;
  let at: usize = COLUMNS;
  for (let column = 0; column < columns; column++, defined += groupRows, at += COLUMN_BYTES) {
    store<i32>(at, load<i32>(at, COLUMN_VALUES) + load<u8>(defined), COLUMN_VALUES);
  }
  textsEnd = textsNext;
  rows++;
}

function endText(column: i32, end: usize): void {
  store<u32>(textsNext, (end - textsNext - LENGTH_BYTES) as u32);
  put(column, textsNext as i64);
  textsNext = end;
}

function put(column: i32, value: i64): void {
  const values = load<i32>(COLUMNS + column * COLUMN_BYTES, COLUMN_VALUES);
  store<i64>(valuesOf(column) + 8 * values, value);
  store<u8>(DEFINED + column * groupRows + rows, 1);
}

function valuesOf(column: i32): usize {
  return VALUES + 8 * column * groupRows;
}

/** Starts encoding a column of the group: finds its minimum and maximum, and its dictionary if that saves space. */
export function beginColumn(column: i32): void {
  const at = COLUMNS + column * COLUMN_BYTES;
  const count = load<i32>(at, COLUMN_VALUES);
  const isText = load<i32>(at, COLUMN_TYPE) === TEXT;
  nextValue = 0;
  dictionaryLength = 0;
  if (count === 0) return;
  const first = valuesOf(column);
  if (load<i32>(at, COLUMN_TYPE) !== FLAG) makeDictionary(first, count, isText);
  const isShort = dictionaryLength > 0;
  findBounds(isShort ? (DICTIONARY as usize) : first, isShort ? dictionaryLength : count, isText);
}

/** Stops at the first value that exceeds the dictionary. */
function makeDictionary(first: usize, count: i32, isText: bool): void {
  const most = min(MAX_DICTIONARY, count / 2);
  memory.fill(DICTIONARY_TABLE, 0, 2 * DICTIONARY_SLOTS);
  let length = 0;
  let bytes: usize = 0;
  for (let index = 0; index < count; index++) {
    const value = load<i64>(first + 8 * index);
    let slot = (isText ? hashOfText(value as usize) : hashOf(value as u64)) & (DICTIONARY_SLOTS - 1);
    let place: i32;
    while (true) {
      place = load<u16>(DICTIONARY_TABLE + 2 * slot);
      if (place === 0) {
        if (isText) bytes += LENGTH_BYTES + load<u32>(value as usize);
        if (length === most || (bytes as i32) > PAGE_BYTES) return;
        store<i64>(DICTIONARY + 8 * length, value);
        place = ++length;
        store<u16>(DICTIONARY_TABLE + 2 * slot, place as u16);
        break;
      }
      const known = load<i64>(DICTIONARY + 8 * (place - 1));
      if (isText ? areSame(known as usize, value as usize) : known === value) break;
      slot = (slot + 1) & (DICTIONARY_SLOTS - 1);
    }
    store<u16>(PLACES + 2 * index, (place - 1) as u16);
  }
  dictionaryLength = length;
}

function hashOf(value: u64): u32 {
  return ((value * 0x9e3779b97f4a7c15) >> 40) as u32;
}

function hashOfText(at: usize): u32 {
  const to = at + LENGTH_BYTES + load<u32>(at);
  let hash: u64 = load<u32>(at);
  at += LENGTH_BYTES;
  for (; at + 8 <= to; at += 8) hash = rotl(hash ^ load<u64>(at), 29) * 0x9e3779b97f4a7c15;
  for (; at < to; at++) hash = rotl(hash ^ load<u8>(at), 29) * 0x9e3779b97f4a7c15;
  return (hash >> 40) as u32;
}

function areSame(one: usize, other: usize): bool {
  const length = load<u32>(one);
  return load<u32>(other) === length && compare(one + LENGTH_BYTES, other + LENGTH_BYTES, length) === 0;
}

function findBounds(first: usize, count: i32, isText: bool): void {
  least = load<i64>(first);
  greatest = least;
  for (let index = 1; index < count; index++) {
    const value = load<i64>(first + 8 * index);
    if (isText) {
      if (isBefore(value as usize, least as usize)) least = value;
      else if (isBefore(greatest as usize, value as usize)) greatest = value;
    } else if (value < least) least = value;
    else if (value > greatest) greatest = value;
  }
}

/** Compares two texts byte by byte, as Parquet's bounds require. */
function isBefore(one: usize, other: usize): bool {
  const oneLength = load<u32>(one);
  const otherLength = load<u32>(other);
  const order = compare(one + LENGTH_BYTES, other + LENGTH_BYTES, min(oneLength, otherLength));
  return order < 0 || (order === 0 && oneLength < otherLength);
}

/** Negative if the first of two texts of equal length comes first, 0 if they are equal. */
function compare(one: usize, other: usize, length: usize): i32 {
  const end = one + length;
  for (; one + 8 <= end; one += 8, other += 8) {
    const left = load<u64>(one);
    const right = load<u64>(other);
    if (left !== right) return bswap(left) < bswap(right) ? -1 : 1;
  }
  for (; one < end; one++, other++) {
    const difference = (load<u8>(one) as i32) - (load<u8>(other) as i32);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Encodes the page with the column's dictionary. */
export function makeDictionaryPage(column: i32): void {
  const type = load<i32>(COLUMNS + column * COLUMN_BYTES, COLUMN_TYPE);
  let out: usize = PAGE;
  for (let index = 0; index < dictionaryLength; index++)
    out = plainValue(type, load<i64>(DICTIONARY + 8 * index), out);
  levelsLength = 0;
  endPage(out);
}

/** Encodes a page with the column's rows from one on; returns the first row after it. */
export function makePage(column: i32, from: i32): i32 {
  const at = COLUMNS + column * COLUMN_BYTES;
  const type = load<i32>(at, COLUMN_TYPE);
  const defined: usize = DEFINED + column * groupRows;
  const first = nextValue;
  let out: usize = PAGE;
  let row = from;
  if (dictionaryLength > 0 || type === FLAG) {
    for (; row < rows; row++) nextValue += load<u8>(defined + row);
    out = dictionaryLength > 0 ? packedPlaces(first, out) : packedFlags(valuesOf(column), first, out);
  } else {
    const values = valuesOf(column);
    for (; row < rows && out < <usize>(PAGE + PAGE_BYTES); row++) {
      if (load<u8>(defined + row) !== 0) out = plainValue(type, load<i64>(values + 8 * nextValue++), out);
    }
  }
  pageNulls = row - from - (nextValue - first);
  levelsLength = (levels(defined + from, row - from, pageNulls > 0) - LEVELS) as i32;
  endPage(out);
  return row;
}

function endPage(end: usize): void {
  pageLength = (end - PAGE) as i32;
  packedLength = (compress(PAGE, end, PACKED, HASH_TABLE) - PACKED) as i32;
}

function plainValue(type: i32, value: i64, out: usize): usize {
  if (type === TEXT) {
    const at = value as usize;
    return copy(at, at + LENGTH_BYTES + load<u32>(at), out);
  }
  store<i64>(out, value);
  return out + (type === DAY ? 4 : 8);
}

/** Which rows have a value, as bits; as a single run if all have. */
function levels(defined: usize, count: i32, hasNulls: bool): usize {
  if (!hasNulls) {
    const out = varint(count << 1, LEVELS);
    store<u8>(out, 1);
    return out + 1;
  }
  const bytes = (count + 7) >> 3;
  let out = varint((bytes << 1) | 1, LEVELS);
  for (let byte = 0; byte < bytes; byte++, defined += 8) {
    // The lowest bit of each of eight bytes, side by side.
    const bits = ((load<u64>(defined) & 0x0101010101010101) * 0x0102040810204080) >> 56;
    store<u8>(out++, bits as u8);
  }
  // Bytes after the last row are of an earlier file.
  const last = (count & 7) as u8;
  if (last > 0) store<u8>(out - 1, load<u8>(out - 1) & (((1 as u8) << last) - 1));
  return out;
}

/** The dictionary indices of values, from one on. */
function packedPlaces(first: i32, out: usize): usize {
  const width = max(1, 32 - clz(dictionaryLength - 1));
  const count = nextValue - first;
  store<u8>(out++, width as u8);
  if (count === 0) return out;
  out = varint((((count + 7) >> 3) << 1) | 1, out);
  const end = out + ((count + 7) >> 3) * width;
  let bits: u64 = 0;
  let length = 0;
  for (let index = first; index < nextValue; index++) {
    bits |= (load<u16>(PLACES + 2 * index) as u64) << length;
    length += width;
    for (; length >= 8; length -= 8) {
      store<u8>(out++, bits as u8);
      bits >>= 8;
    }
  }
  for (; out < end; bits >>= 8) store<u8>(out++, bits as u8);
  return end;
}

function packedFlags(values: usize, first: i32, out: usize): usize {
  let bits: u8 = 0;
  let length = 0;
  for (let index = first; index < nextValue; index++) {
    bits |= load<u8>(values + 8 * index) << (length as u8);
    if (++length < 8) continue;
    store<u8>(out++, bits);
    bits = 0;
    length = 0;
  }
  if (length > 0) store<u8>(out++, bits);
  return out;
}
