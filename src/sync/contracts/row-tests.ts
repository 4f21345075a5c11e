import { exactFigure } from '../../analysis/exact-change.ts';
import type { Day } from '../../apis/bda/days.ts';
import type { Layout } from '../../export/transcode/columns.ts';
import type { Row } from '../../export/transcode/row.ts';
import { utf8Text } from '../../export/transcode/utf8.ts';
import { isNumberText } from '../../json/index.ts';
import { shortened } from '../../text/shortened.ts';
import { columnsOfRows, DAY_COLUMN, type SyncTable } from '../config.ts';
import type { Bounds } from './test-settings.ts';

/** Longer values are shortened in messages. */
const MOST_SHOWN = 50;

/** Whether a table has tests of each row. */
export function hasRowTests({ tests }: SyncTable): boolean {
  return tests !== undefined && tests.range.length + tests.unique.length > 0;
}

/** Looks at rows one by one for the tests of a table that no count of them decides: `range` and `unique`. */
export class RowTests {
  readonly #ranges: readonly { readonly name: string; readonly column: number; readonly bounds: Bounds }[];
  readonly #unique: readonly number[];
  readonly #firstMetric: number;
  readonly #names: readonly string[];
  /** The first value outside of each range, its day, and what is wrong with it. */
  readonly #outside = new Map<string, string>();
  /** The values of `unique` with the day of a row that has them, by day if that is among them. */
  readonly #keys = new Map<Day, Map<string, Day>>();
  readonly #isByDay: boolean;
  /** The first values that occur again, and the day of the second row. */
  #repeated: { readonly key: string; readonly day: Day } | undefined;

  constructor(table: SyncTable) {
    const columns = columnsOfRows(table);
    const { range = [], unique = [] } = table.tests ?? {};
    this.#ranges = range.map(([name, bounds]) => ({ name, column: columns.indexOf(name), bounds }));
    this.#unique = unique.map(name => columns.indexOf(name));
    this.#firstMetric = columns.length - table.metrics.length;
    this.#names = unique;
    this.#isByDay = unique.includes(DAY_COLUMN);
  }

  /** Looks at a row of a day. */
  take(row: Row, layout: Layout, day: Day): void {
    for (const { name, column, bounds } of this.#ranges) {
      const value = valueText(row, layout, column);
      if (value !== 'null' && !this.#outside.has(name) && !isWithin(value, bounds))
        this.#outside.set(name, `${shown(value)} on ${day}, ${problemOf(value, bounds)}`);
    }
    if (this.#unique.length === 0) return;
    const keys = this.#keysOf(this.#isByDay ? day : '');
    const key = this.#unique
      .map(column => keyOf(valueText(row, layout, column), column >= this.#firstMetric))
      .join();
    if (keys.has(key)) this.#repeated ??= { key, day };
    keys.set(key, day);
  }

  /** Adds what rows that follow have. */
  add(other: RowTests): void {
    for (const [name, value] of other.#outside) if (!this.#outside.has(name)) this.#outside.set(name, value);
    this.#repeated ??= other.#repeated;
    for (const [day, keys] of other.#keys) {
      // The rows are sorted by day.
      for (const before of this.#keys.keys()) if (before !== day) this.#keys.delete(before);
      const all = this.#keysOf(day);
      for (const [key, on] of keys) {
        if (all.has(key)) this.#repeated ??= { key, day: on };
        all.set(key, on);
      }
    }
  }

  /** Which tests fail, and why. */
  problems(): readonly string[] {
    const ranges = this.#ranges.flatMap(({ name }) => {
      const value = this.#outside.get(name);
      return value === undefined ? [] : [`range: ${name} is ${value}`];
    });
    const repeated = this.#repeated;
    if (repeated === undefined) return ranges;
    const { key, day } = repeated;
    const on = this.#isByDay ? '' : `, one of them on ${day}`;
    return [...ranges, `unique: several rows have ${this.#names.join(', ')} = ${shown(key)}${on}`];
  }

  #keysOf(day: Day): Map<string, Day> {
    const known = this.#keys.get(day);
    if (known !== undefined) return known;
    const keys = new Map<string, Day>();
    this.#keys.set(day, keys);
    return keys;
  }
}

/** Bounds for messages: `not from 0 to 100`. */
export function boundsText({ min, max }: Bounds): string {
  if (max === undefined) return `less than ${min}`;
  return min === undefined ? `more than ${max}` : `not from ${min} to ${max}`;
}

/** A value for messages, shortened. */
export function shown(value: string): string {
  return shortened(value, MOST_SHOWN);
}

/** The JSON text of the value of a row in a column of a layout; `null` for none. */
export function valueText({ text, valueFrom, valueTo }: Row, { fieldOf }: Layout, column: number): string {
  const field = fieldOf[column] as number;
  return field < 0 ? 'null' : utf8Text(text, valueFrom[field] as number, valueTo[field] as number);
}

/** The same text for values that are equal. A metric may be in quotes. */
function keyOf(value: string, isMetric: boolean): string {
  const isText = value.startsWith('"');
  if (isText && !isMetric) return value.includes('\\') ? JSON.stringify(JSON.parse(value)) : value;
  const digits = isText ? value.slice(1, -1) : value;
  const isUsual = !/[.eE]|^-0$/.test(digits) || !isNumberText(digits);
  return isUsual ? digits : (exactFigure(digits)?.plus(0).toFixed() ?? digits);
}

/** The digits of a number, in quotes or not; any other JSON value as it is. */
function digitsOf(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1) : value;
}

/** What is wrong with a value outside of a range. */
function problemOf(value: string, bounds: Bounds): string {
  return isNumberText(digitsOf(value)) ? boundsText(bounds) : 'which is not a number';
}

/** Whether a JSON value is a number within bounds, by all of its digits, in quotes or not. */
function isWithin(value: string, { min, max }: Bounds): boolean {
  const digits = digitsOf(value);
  if (!isNumberText(digits)) return false;
  return (min === undefined || compare(digits, min) >= 0) && (max === undefined || compare(digits, max) <= 0);
}

/** Less than, equal to or greater than zero. */
function compare(digits: string, bound: string): number {
  const [value, limit] = [Number(digits), Number(bound)];
  // The nearest doubles of two numbers have their order, or are equal.
  if (value !== limit) return value - limit;
  return exactFigure(digits)?.comparedTo(bound) ?? 0;
}
