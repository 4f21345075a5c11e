// Divides rows that are sorted by day: writes those of one day as lines or JSON, with the columns of the site, examines their values,
// and sums their metrics. Unusual rows take the general path, one by one.
import { COMMA, DIGIT_0, isDigit, LF, MINUS, OPEN_OBJECT, POINT, TAB } from './ascii';
import { daysAt } from './days';
import { CSV, countRow, isQuoted, JSON_ROWS, rowEnd, rowShape } from './known-rows';
import { BEHIND, INPUT, MAX_FIELDS, OUTPUT, OUTPUT_BYTES, SHAPE_FIELD_OF, SPAN_BYTES, SPANS } from './memory';
import {
  clearProfiles,
  count,
  PROFILE_BYTES,
  PROFILE_TEXTS,
  PROFILES,
  PROFILES_END,
  profileDay,
  profileNumber,
  profileText,
} from './profile';
import { copy } from './text';
import { blanksEnd, HAS_COMMA, IS_NULL, IS_PLAIN, IS_WORD } from './values';

export * from './known-rows';
export * from './profile';

/** Numbers with more digits take the general path. */
export const MAX_SUMMED_DIGITS: i32 = 15;
/** So many sums of such numbers fit into 64 bits. */
export const MAX_SUMMED_ROWS: i32 = 4096;
/** `\N` */
const NO_VALUE: u16 = 0x4e5c;
/** `"YYYY-MM-DD"` */
const DAY_BYTES: usize = 12;

// The sums of a metric: which scales it has, one bit each, and a sum for each scale.
export const SUM_SCALES: i32 = 0;
export const SUM_VALUES: i32 = 8;
export const SUM_BYTES: i32 = SUM_VALUES + 8 * (MAX_SUMMED_DIGITS + 1);
export const SUMS: i32 = PROFILES_END;
/** The columns of the site, as cells before a line, or as members behind those of a row. */
export const SITE: i32 = SUMS + MAX_FIELDS * SUM_BYTES;
export const MAX_SITE_BYTES: i32 = 1024;
/** The current day as a JSON string. */
export const DAY_TEXT: i32 = SITE + MAX_SITE_BYTES + BEHIND;
// For each column of the latest row that is a number: its digits as an integer, with their sign, and how many there are before the
// decimal point (none if there is a single 0) and after it.
const NUMBER_VALUE: i32 = 0;
const NUMBER_WHOLE: i32 = 8;
const NUMBER_SCALE: i32 = 12;
const NUMBER_BYTES: i32 = 16;
const NUMBERS: i32 = DAY_TEXT + (DAY_BYTES as i32) + BEHIND;
const PARTITIONS_END: i32 = NUMBERS + MAX_FIELDS * NUMBER_BYTES;

/** The addresses to export, see scripts/build/kernel.js. */
const MEMORY_BYTES: i32 = 40 * 64 * 1024;
if (PARTITIONS_END > MEMORY_BYTES) ERROR('the partitions need more memory');

let columns: i32 = 0;
/** The columns from this one on are metrics. */
let firstMetric: i32 = 0;
let form: i32 = 0;
let siteLength: usize = 0;

/** The output of the last `divideRows`. */
export let dividedBytes: i32 = 0;
export let dividedRows: i32 = 0;
/** Where the day of the row after them is, counted from INPUT, if it is another one; otherwise -1. */
export let otherDay: i32 = -1;

/** Sets the columns, of which the first one is the day, the form (CSV, TSV with `\N` for null, or JSON_ROWS), and the length of SITE. */
export function setDivision(newColumns: i32, newFirstMetric: i32, newForm: i32, newSiteLength: i32): void {
  columns = newColumns;
  firstMetric = newFirstMetric;
  form = newForm;
  siteLength = newSiteLength;
}

/** Resets the counts of all columns. */
export function beginProfiles(): void {
  clearProfiles(columns);
}

/** Resets the sums of all metrics. */
export function beginSums(): void {
  memory.fill(SUMS, 0, (columns - firstMetric) * SUM_BYTES);
}

/**
 * Takes as many rows of known shapes and of the current day as possible, at most `most`, from `at` on, separated by commas. SHAPE_ROWS
 * counts them, and FINGERPRINTS has one for each. Returns the end of the last one, or -1.
 */
export function divideRows(at: i32, length: i32, most: i32): i32 {
  const limit: usize = INPUT + length;
  const outputEnd: usize = OUTPUT + OUTPUT_BYTES;
  let row: usize = INPUT + at;
  let out: usize = OUTPUT;
  let last: usize = 0;
  let rows: i32 = 0;
  const days = daysAt(DAY_TEXT + 1);
  otherDay = -1;
  while (rows < most && rows < MAX_SUMMED_ROWS) {
    const end = rowEnd(row, limit);
    if (end === 0 || out + siteLength + 2 * (end - row) + 3 * columns + BEHIND > outputEnd) break;
    const fields = rowShape() + SHAPE_FIELD_OF;
    if (!isPlainRow(row, fields)) break;
    const day: usize = load<i32>(spanOf(fields, 0));
    if (!isCurrentDay(day)) {
      otherDay = (day as i32) - INPUT;
      break;
    }
    countValues(fields, days);
    out = form === JSON_ROWS ? object(row, end, out) : cells(fields, copy(SITE, SITE + siteLength, out));
    countRow(row, end, rows++);
    last = end;
    const comma = blanksEnd(end, limit);
    if (comma >= limit || load<u8>(comma) !== COMMA) break;
    row = blanksEnd(comma + 1, limit);
  }
  dividedBytes = (out as i32) - OUTPUT;
  dividedRows = rows;
  return last === 0 ? -1 : (last as i32) - INPUT;
}

/** The address of the span of a column's value in the latest row; 0 if the row lacks it. `fields` are those of its columns. */
function spanOf(fields: usize, column: i32): usize {
  const index = load<i32>(fields + 4 * column);
  return index < 0 ? 0 : SPANS + index * SPAN_BYTES;
}

/**
 * Whether the row in SPANS is an object with a day, numbers as metrics, and no value for the general path. Reads its numbers into
 * NUMBERS.
 */
function isPlainRow(row: usize, fields: usize): bool {
  if (load<u8>(row) !== OPEN_OBJECT) return false;
  let number: usize = NUMBERS;
  for (let column = 0; column < columns; column++, number += NUMBER_BYTES) {
    const span = spanOf(fields, column);
    if (span === 0) {
      if (column === 0) return false;
      continue;
    }
    const from: usize = load<i32>(span);
    const to: usize = load<i32>(span, 4);
    const kind = load<i32>(span, 8);
    if (column === 0) {
      if (kind !== IS_PLAIN || to - from !== DAY_BYTES) return false;
    } else if (kind === IS_WORD) {
      if (!readNumber(from, to, number)) return false;
    } else if (kind !== IS_NULL && (column >= firstMetric || (kind !== IS_PLAIN && kind !== HAS_COMMA)))
      return false;
  }
  return true;
}

/** Stores what a number is; false for long ones, those with an exponent, and flags. */
function readNumber(from: usize, to: usize, number: usize): bool {
  const isNegative = load<u8>(from) === MINUS;
  const start = isNegative ? from + 1 : from;
  let value: i64 = 0;
  let point = to;
  for (let at = start; at < to; at++) {
    const byte = load<u8>(at);
    if (isDigit(byte)) value = 10 * value + (byte & 0x0f);
    else if (byte === POINT) point = at;
    else return false;
  }
  const scale = point < to ? ((to - point - 1) as i32) : 0;
  const whole = (point - start) as i32;
  store<i64>(number, isNegative ? -value : value, NUMBER_VALUE);
  store<i32>(number, load<u8>(start) === DIGIT_0 ? 0 : whole, NUMBER_WHOLE);
  store<i32>(number, scale, NUMBER_SCALE);
  return whole + scale <= MAX_SUMMED_DIGITS;
}

function isCurrentDay(at: usize): bool {
  return load<u64>(at) === load<u64>(DAY_TEXT) && load<u32>(at + 8) === load<u32>(DAY_TEXT + 8);
}

/** Adds the values of a plain row of the current day to the profiles and the sums. `days` is the day, since 1970. */
function countValues(fields: usize, days: i64): void {
  let profile: usize = PROFILES;
  let number: usize = NUMBERS;
  let sums: usize = SUMS - firstMetric * SUM_BYTES;
  count(profile + PROFILE_TEXTS);
  profileDay(profile, days);
  for (let column = 1; column < columns; column++) {
    profile += PROFILE_BYTES;
    number += NUMBER_BYTES;
    sums += SUM_BYTES;
    const span = spanOf(fields, column);
    const kind = span === 0 ? IS_NULL : load<i32>(span, 8);
    if (kind === IS_NULL) continue;
    if (kind !== IS_WORD) {
      profileText(profile, load<i32>(span), load<i32>(span, 4));
      continue;
    }
    const scale = load<i32>(number, NUMBER_SCALE);
    profileNumber(profile, load<i32>(number, NUMBER_WHOLE), scale, load<i32>(span, 4));
    if (column < firstMetric) continue;
    const sum = sums + SUM_VALUES + 8 * scale;
    store<i64>(sum, load<i64>(sum) + load<i64>(number, NUMBER_VALUE));
    store<i32>(sums, load<i32>(sums, SUM_SCALES) | (1 << scale), SUM_SCALES);
  }
}

/** Writes a row after a comma. The columns of the site are the last ones, because the last of two members of a name counts. */
function object(row: usize, end: usize, out: usize): usize {
  store<u8>(out, COMMA);
  return copy(SITE, SITE + siteLength, copy(row, end - 1, out + 1));
}

/** Writes the row in SPANS as a line. Returns its end. */
function cells(fields: usize, out: usize): usize {
  const isCsv = form === CSV;
  for (let column = 0; column < columns; column++) {
    if (column > 0) store<u8>(out++, isCsv ? COMMA : TAB);
    const span = spanOf(fields, column);
    const kind = span === 0 ? IS_NULL : load<i32>(span, 8);
    if (kind === IS_NULL) {
      if (isCsv) continue;
      store<u16>(out, NO_VALUE);
      out += 2;
      continue;
    }
    const from: usize = load<i32>(span);
    const to: usize = load<i32>(span, 4);
    if (kind === IS_WORD || (isCsv && isQuoted(kind, from, to))) out = copy(from, to, out);
    else out = copy(from + 1, to - 1, out);
  }
  store<u8>(out, LF);
  return out + 1;
}
