// Examines the values of rows, to choose the types of columns.
import { DIGIT_0, LOWER_F, LOWER_T, MINUS, POINT } from './ascii';
import { daysAt, NO_DAY } from './days';
import { rowShape } from './known-rows';
import { END, MAX_FIELDS, SHAPE_FIELD_OF, SPAN_BYTES, SPANS } from './memory';
import { IS_NESTED, IS_NULL, IS_WORD } from './values';

// Counts of a column's values by kind, and the maximum digits of its numbers before and after the decimal point, the latter also
// without trailing zeros.
export const PROFILE_TEXTS: i32 = 0;
export const PROFILE_DAYS: i32 = 8;
export const PROFILE_FLAGS: i32 = 16;
export const PROFILE_NESTED: i32 = 24;
export const PROFILE_NUMBERS: i32 = 32;
export const PROFILE_WHOLE: i32 = 40;
export const PROFILE_SCALE: i32 = 44;
// The first and the last day, in days since 1970, if there are days.
export const PROFILE_FIRST_DAY: i32 = 48;
export const PROFILE_LAST_DAY: i32 = 56;
export const PROFILE_BARE_SCALE: i32 = 64;
export const PROFILE_BYTES: i32 = 72;

export const PROFILES: i32 = END;
export const PROFILES_END: i32 = PROFILES + MAX_FIELDS * PROFILE_BYTES;

/** Resets the counts of the first columns. */
export function clearProfiles(columns: i32): void {
  memory.fill(PROFILES, 0, columns * PROFILE_BYTES);
}

/** Adds the values of the row in SPANS, which has no value for the general path, to the counts of the first columns. */
export function profileRow(columns: i32): void {
  let field = rowShape() + SHAPE_FIELD_OF;
  let profile: usize = PROFILES;
  for (let column = 0; column < columns; column++, field += 4, profile += PROFILE_BYTES) {
    const index = load<i32>(field);
    if (index < 0) continue;
    const span: usize = SPANS + index * SPAN_BYTES;
    const kind = load<i32>(span, 8);
    if (kind === IS_NULL) continue;
    const from: usize = load<i32>(span);
    const to: usize = load<i32>(span, 4);
    if (kind === IS_NESTED) count(profile + PROFILE_NESTED);
    else if (kind === IS_WORD) profileWord(profile, from, to);
    else profileText(profile, from, to);
  }
}

export function profileText(profile: usize, from: usize, to: usize): void {
  count(profile + PROFILE_TEXTS);
  if (to - from === 12) profileDay(profile, daysAt(from + 1));
}

/** Adds a day to the counts of a column, where its text was counted. */
export function profileDay(profile: usize, days: i64): void {
  if (days === NO_DAY) return;
  const isFirst = load<i64>(profile, PROFILE_DAYS) === 0;
  if (isFirst || days < load<i64>(profile, PROFILE_FIRST_DAY)) store<i64>(profile, days, PROFILE_FIRST_DAY);
  if (isFirst || days > load<i64>(profile, PROFILE_LAST_DAY)) store<i64>(profile, days, PROFILE_LAST_DAY);
  count(profile + PROFILE_DAYS);
}

export function count(counter: usize): void {
  store<i64>(counter, load<i64>(counter) + 1);
}

function profileWord(profile: usize, from: usize, to: usize): void {
  const first = load<u8>(from);
  if (first === LOWER_T || first === LOWER_F) {
    count(profile + PROFILE_FLAGS);
    return;
  }
  const start = first === MINUS ? from + 1 : from;
  let point = start;
  while (point < to && load<u8>(point) !== POINT) point++;
  const whole = load<u8>(start) === DIGIT_0 ? 0 : ((point - start) as i32);
  profileNumber(profile, whole, point < to ? ((to - point - 1) as i32) : 0, to);
}

/**
 * Adds a number to the counts of a column: its digits before and after the decimal point, a single 0 before it not counted. It ends
 * at `to`.
 */
export function profileNumber(profile: usize, whole: i32, scale: i32, to: usize): void {
  count(profile + PROFILE_NUMBERS);
  if (whole > load<i32>(profile, PROFILE_WHOLE)) store<i32>(profile, whole, PROFILE_WHOLE);
  if (scale > load<i32>(profile, PROFILE_SCALE)) store<i32>(profile, scale, PROFILE_SCALE);
  while (scale > 0 && load<u8>(to - 1) === DIGIT_0) {
    to--;
    scale--;
  }
  if (scale > load<i32>(profile, PROFILE_BARE_SCALE)) store<i32>(profile, scale, PROFILE_BARE_SCALE);
}
