// The fast path of the transcoder, compiled to WebAssembly: rows with the same text between their values as earlier rows are
// validated and written sixteen bytes at a time. Unusual rows take the general path.
import { COMMA, isDigit, isLetter, QUOTE, SPACE } from './ascii';
import { addToFingerprint, beginFingerprint, fingerprint } from './fingerprint';
import {
  BEHIND,
  FINGERPRINTS,
  INPUT,
  MAX_ROWS,
  OUTPUT,
  OUTPUT_BYTES,
  SCRATCH,
  SHAPE_BYTES,
  SHAPE_COLUMNS,
  SHAPE_FIELD_OF,
  SHAPE_FIELDS,
  SHAPE_LENGTHS,
  SHAPE_ROWS,
  SHAPE_TEXT,
  SHAPE_WAY,
  SHAPES,
  SPAN_BYTES,
  SPANS,
} from './memory';
import { beginsWithMark, compact, copy, escaped, quotedIfNeeded, resolve } from './text';
import { blanksEnd, HAS_COMMA, HAS_ESCAPE, IS_NESTED, IS_NULL, IS_WORD, kind, valueEnd } from './values';

export { addToFingerprint, beginFingerprint } from './fingerprint';
export * from './memory';

// Formats.
export const CSV: i32 = 0;
/** csv with text cells checked for formulas. */
export const CSV_DISARMED: i32 = 1;
export const TSV: i32 = 2;
/** Rows as JSON, without insignificant white space. */
export const JSON_ROWS: i32 = 3;

// How rows of a shape are written as JSON.
export const LEFT_TO_OTHERS: i32 = 0;
export const COPIED: i32 = 1;
export const COMPACTED: i32 = 2;

let format: i32 = CSV;
/** The text before each row, between two cells, and after each row; as little-endian words, with their lengths. */
let before: u32 = 0;
let beforeLength: usize = 0;
let delimiter: u8 = COMMA;
let behind: u32 = 0;
let behindLength: usize = 0;

let shapes: i32 = 0;
/** The shape of the latest row. */
let latest: i32 = 0;
/** Whether the row that was read last contains an object or an array. */
let isNested: bool = false;

/** Completes the current fingerprint, as if one row had been written. */
export function endFingerprint(): void {
  store<u64>(FINGERPRINTS, fingerprint());
  rowsWritten = 1;
}

/** Sets the output format. */
export function setFormat(
  newFormat: i32,
  newDelimiter: u8,
  newBefore: u32,
  newBeforeLength: i32,
  newBehind: u32,
  newBehindLength: i32,
): void {
  format = newFormat;
  delimiter = newDelimiter;
  before = newBefore;
  beforeLength = newBeforeLength;
  behind = newBehind;
  behindLength = newBehindLength;
}

/** Sets the number of shapes, and which to try first. */
export function setShapes(count: i32, first: i32): void {
  shapes = count;
  latest = first;
}

/** The shape of the row that was read last. */
export function latestShape(): i32 {
  return latest;
}

/** Whether the row that was read last contains an object or an array. */
export function hasNested(): bool {
  return isNested;
}

/** The number of bytes and rows of the last output. */
export let written: i32 = 0;
export let rowsWritten: i32 = 0;

/**
 * Reads one row of a known shape that starts `at` bytes after INPUT and ends before `length`. Stores its values in SPANS. Returns
 * its end, counted from INPUT; -1 if no shape matches.
 */
export function readRow(at: i32, length: i32): i32 {
  const end = rowEnd(INPUT + at, INPUT + length);
  return end === 0 ? -1 : (end as i32) - INPUT;
}

/**
 * Reads and writes as many rows as possible, from `at` on, separated by commas. The output starts at OUTPUT and has `written`
 * bytes; SHAPE_ROWS counts the rows, and FINGERPRINTS has one per row. Returns the end of the last row, or -1.
 */
export function writeRows(at: i32, length: i32): i32 {
  const limit: usize = INPUT + length;
  let row: usize = INPUT + at;
  let out: usize = OUTPUT;
  const outputEnd: usize = OUTPUT + OUTPUT_BYTES;
  let last: usize = 0;
  let rows: i32 = 0;
  while (rows < MAX_ROWS) {
    const end = rowEnd(row, limit);
    if (end === 0) break;
    const shape = shapeAt(latest);
    const columns = load<i32>(shape, SHAPE_COLUMNS);
    if (out + 2 * (end - row) + 3 * columns + BEHIND > outputEnd) break;
    const next = format === JSON_ROWS ? jsonRow(shape, row, end, out) : cells(shape, columns, out);
    if (next === 0) break;
    out = next;
    countRow(row, end, rows++);
    last = end;
    const comma = blanksEnd(end, limit);
    if (comma >= limit || load<u8>(comma) !== COMMA) break;
    row = blanksEnd(comma + 1, limit);
  }
  written = (out as i32) - OUTPUT;
  return last === 0 ? -1 : (last as i32) - INPUT;
}

/** Counts the row that was read last, the row `index` of the output, in SHAPE_ROWS and FINGERPRINTS. */
export function countRow(row: usize, end: usize, index: i32): void {
  const shape = shapeAt(latest);
  store<i32>(shape, load<i32>(shape, SHAPE_ROWS) + 1, SHAPE_ROWS);
  beginFingerprint();
  addToFingerprint(row, end);
  store<u64>(FINGERPRINTS + 8 * index, fingerprint());
  rowsWritten = index + 1;
}

/** The address of the shape of the row that was read last. */
export function rowShape(): usize {
  return shapeAt(latest);
}

function shapeAt(index: i32): usize {
  return SHAPES + index * SHAPE_BYTES;
}

/** Finds the values of a row of a known shape at `at`; returns its end, or 0. Tries the latest shape first. */
export function rowEnd(at: usize, limit: usize): usize {
  if (shapes === 0) return 0;
  let end = endOfShape(shapeAt(latest), at, limit);
  for (let index = 0; end === 0 && index < shapes; index++) {
    if (index === latest) continue;
    end = endOfShape(shapeAt(index), at, limit);
    if (end !== 0) latest = index;
  }
  return end;
}

function endOfShape(shape: usize, at: usize, limit: usize): usize {
  let length = shape + SHAPE_LENGTHS;
  let text = shape + SHAPE_TEXT;
  let span: usize = SPANS;
  const spansEnd = span + load<i32>(shape, SHAPE_FIELDS) * SPAN_BYTES;
  isNested = false;
  while (true) {
    const end = at + load<i32>(length);
    if (end > limit) return 0;
    for (; at < end; at += 16, text += 16) {
      const different = i8x16.bitmask(i8x16.ne(v128.load(at), v128.load(text)));
      const left = (end - at) as i32;
      if (left >= 16 ? different : different & ((1 << left) - 1)) return 0;
    }
    if (span === spansEnd) return end;
    at = valueEnd(end, limit);
    if (at === 0) return 0;
    store<i32>(span, end as i32);
    store<i32>(span, at as i32, 4);
    store<i32>(span, kind, 8);
    if (kind === IS_NESTED) isNested = true;
    span += SPAN_BYTES;
    length += 4;
  }
}

/** Writes the row in SPANS as cells. Returns the end of the output, or 0 if a cell may be a formula. */
function cells(shape: usize, columns: i32, out: usize): usize {
  const start = out;
  let field = shape + SHAPE_FIELD_OF;
  for (let column = 0; column < columns; column++, field += 4) {
    if (column > 0) store<u8>(out++, delimiter);
    const index = load<i32>(field);
    if (index < 0) continue;
    const span: usize = SPANS + index * SPAN_BYTES;
    const from: usize = load<i32>(span);
    const to: usize = load<i32>(span, 4);
    const kind = load<i32>(span, 8);
    if (kind === IS_NULL) continue;
    if (kind === IS_WORD) out = copy(from, to, out);
    else if (kind === IS_NESTED) out = cellOf(compact(from, to, SCRATCH), out);
    else if (format === CSV_DISARMED && mayBeFormula(load<u8>(from + 1))) return 0;
    else if (kind === HAS_ESCAPE) out = cellOf(resolve(from + 1, to - 1, SCRATCH), out);
    // A JSON string without escapes contains no quote, so its quotes are valid in csv too.
    else if (format !== TSV && isQuoted(kind, from, to)) out = copy(from, to, out);
    else out = copy(from + 1, to - 1, out);
  }
  if (out === start && format !== TSV) {
    store<u16>(out, 0x2222);
    out += 2;
  }
  store<u32>(out, behind);
  return out + behindLength;
}

/** Writes the text in SCRATCH that ends at `end`. */
function cellOf(end: usize, out: usize): usize {
  return format === TSV ? escaped(SCRATCH, end, out) : quotedIfNeeded(SCRATCH, end, out);
}

/** Whether a JSON string without escapes keeps its quotes in csv. */
export function isQuoted(kind: i32, from: usize, to: usize): bool {
  if (kind === HAS_COMMA || to - from === 2) return true;
  return load<u8>(from + 1) === SPACE || load<u8>(to - 2) === SPACE || beginsWithMark(from + 1, to - 1);
}

/** A quick check that excludes most texts: no formula starts with a letter or a digit. */
function mayBeFormula(first: u8): bool {
  return !isDigit(first) && !isLetter(first) && first !== QUOTE;
}

/** Writes a row as JSON. Returns the end of the output, or 0 if rows of this shape need conversion. */
function jsonRow(shape: usize, from: usize, to: usize, out: usize): usize {
  const way = load<i32>(shape, SHAPE_WAY);
  if (way === LEFT_TO_OTHERS) return 0;
  store<u32>(out, before);
  out += beforeLength;
  out = way === COMPACTED || isNested ? compact(from, to, out) : copy(from, to, out);
  store<u32>(out, behind);
  return out + behindLength;
}
