// Days of the calendar.
import { DIGIT_0, isDigit, MINUS } from './ascii';

/** The result of `daysAt` for a text that is not a day. */
export const NO_DAY: i64 = i64.MIN_VALUE;
/** Days from 1 March of the year 0 to 1 January 1970. */
const DAYS_TO_1970: i32 = 719468;

/** The days since 1970 of `YYYY-MM-DD`; NO_DAY for a day that does not exist. */
export function daysAt(at: usize): i64 {
  if (load<u8>(at + 4) !== MINUS || load<u8>(at + 7) !== MINUS) return NO_DAY;
  const year = digitsAt(at, 2) * 100 + digitsAt(at + 2, 2);
  const month = digitsAt(at + 5, 2);
  const day = digitsAt(at + 8, 2);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return NO_DAY;
  // In years that start in March, the leap day is the last one.
  const marchYear = month > 2 ? year : year - 1;
  const marchMonth = (month + 9) % 12;
  const era = marchYear / 400;
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = (153 * marchMonth + 2) / 5 + day - 1;
  return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - DAYS_TO_1970;
}

function daysIn(year: i32, month: i32): i32 {
  if (month !== 2) return 30 + ((month + (month >> 3)) & 1);
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** The value of decimal digits; very negative for any other bytes. */
function digitsAt(at: usize, count: i32): i32 {
  let number = 0;
  for (let place = 0; place < count; place++) {
    const byte = load<u8>(at + place);
    if (!isDigit(byte)) return -100_000;
    number = 10 * number + (byte - DIGIT_0);
  }
  return number;
}
