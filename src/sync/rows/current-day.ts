import { type Day, type DayRange, isDay } from '../../apis/bda/days.ts';
import { DAY_COLUMN } from '../config.ts';
import { invalidRows, shownValue } from './invalid-rows.ts';

/** `"YYYY-MM-DD"` */
export const DAY_BYTES = 12;

/** The day of the latest row of a unit, whose rows are sorted by day. */
export class CurrentDay {
  /** As a JSON string; zeros before the first row, which match no day. */
  readonly bytes = new Uint8Array(DAY_BYTES);
  readonly #table: string;
  readonly #requested: DayRange;
  #value: Day | '' = '';

  /** `table` is its name for messages. */
  constructor(table: string, requested: DayRange) {
    this.#table = table;
    this.#requested = requested;
  }

  /** Empty before the first row. */
  get value(): Day | '' {
    return this.#value;
  }

  set(day: Day | ''): void {
    this.#value = day;
    if (day === '') this.bytes.fill(0);
    else this.bytes.set(Buffer.from(`"${day}"`));
  }

  /** Whether the JSON value `[from, to)` is this day. */
  matches(text: DataView, from: number, to: number): boolean {
    if (this.#value === '' || to - from !== DAY_BYTES) return false;
    // Days differ at the end first.
    for (let at = DAY_BYTES - 1; at >= 0; at--) if (text.getUint8(from + at) !== this.bytes[at]) return false;
    return true;
  }

  /** The day in the JSON value `[from, to)`. Throws InvalidResponseError for one that cannot follow this one. */
  next(text: DataView, from: number, to: number): Day {
    const value = shownValue(text, from, to);
    const day = value.slice(1, -1);
    if (!value.startsWith('"') || !isDay(day))
      throw invalidRows(`${DAY_COLUMN} is ${value} in a row of ${this.#table}, which is not a valid date`);
    if (day < this.#requested.from || day > this.#requested.to)
      throw invalidRows(`${this.#table} has rows of ${day}, which were not requested`);
    if (day < this.#value) throw invalidRows(`the rows of ${this.#table} are not sorted by ${DAY_COLUMN}`);
    return day;
  }
}
