import { isDoubleExact } from '../../export/parquet/decimal.ts';
import { isDigit, LOWER_N, MINUS, POINT, QUOTE } from '../../export/transcode/ascii.ts';
import type { Layout } from '../../export/transcode/columns.ts';
import type { Row } from '../../export/transcode/row.ts';
import { utf8Text } from '../../export/transcode/utf8.ts';
import { UnrepresentableValueError } from '../../export/unrepresentable-value.ts';
import { isNumberText } from '../../json/index.ts';
import type { CurrentDay } from './current-day.ts';
import { shownValue } from './invalid-rows.ts';
import type { Part } from './parts.ts';
import type { RowCounts } from './row-counts.ts';
import type { RowWriter } from './row-writer.ts';

/** Longer texts are not decoded: no number that a column can hold has as many digits. */
const MOST_NUMBER_BYTES = 100;
/** Doubles print as many digits exactly. */
const EXACT_DIGITS = 15;

interface RowTakerOptions {
  /** The name of the table, for messages. */
  readonly table: string;
  readonly columns: readonly string[];
  /** The columns from this one on are metrics. */
  readonly firstMetric: number;
  readonly day: CurrentDay;
  readonly writer: RowWriter;
}

/** Takes rows one by one, as the kernel takes most of them together: checks, examines and sums their values, and writes them. */
export class RowTaker {
  readonly #options: RowTakerOptions;

  constructor(options: RowTakerOptions) {
    this.#options = options;
  }

  /**
   * Adds a row of the current day to its partition. A metric in quotes becomes a number. Throws UnrepresentableValueError, for one
   * that is no number, too.
   */
  take(row: Row, layout: Layout, { file, page }: Part): void {
    const { columns, firstMetric, day, writer } = this.#options;
    const { text, valueFrom, valueTo } = row;
    const { fieldOf } = layout;
    const count = page.day(day.value);
    for (const [column, profile] of page.profiles.entries()) {
      const at = fieldOf[column] as number;
      if (at < 0) continue;
      let [from, to] = [valueFrom[at] as number, valueTo[at] as number];
      const metric = column - firstMetric;
      if (metric >= 0) {
        const isQuoted = text.getUint8(from) === QUOTE && to - from <= MOST_NUMBER_BYTES;
        if (isQuoted && isNumberText(utf8Text(text, from + 1, to - 1))) [from, to] = [from + 1, to - 1];
        else if (!isNumber(text, from)) throw this.#notANumber(column, shownValue(text, from, to));
        count.sums[metric]?.add(text, from, to);
      }
      profile.addValue(text, from, to);
      noteInexact(page, columns[column] ?? '', text, from, to);
    }
    writer.write(file.pending, row, layout, page);
    page.tests?.take(row, layout, day.value);
    page.longest = Math.max(page.longest, row.to - row.from);
    page.rows += 1;
    count.rows += 1;
  }

  #notANumber(column: number, value: string): Error {
    const { table, columns, day } = this.#options;
    return new UnrepresentableValueError(
      `${columns[column]} on ${day.value} is ${value} in a row of ${table}, which is not a number`,
      { path: table, code: 'unrepresentable_value' },
    );
  }
}

function noteInexact(page: RowCounts, column: string, text: DataView, from: number, to: number): void {
  const first = text.getUint8(from);
  if (!(isDigit(first) || first === MINUS) || isShortNumber(text, from, to)) return;
  if (page.inexact.has(column)) return;
  const number = utf8Text(text, from, to);
  if (!isDoubleExact(number)) page.inexact.set(column, number);
}

function isNumber(text: DataView, from: number): boolean {
  const first = text.getUint8(from);
  return isDigit(first) || first === MINUS || first === LOWER_N;
}

/** Whether a number has so few digits, and no exponent, that a double prints them again. */
function isShortNumber(text: DataView, from: number, to: number): boolean {
  if (to - from > EXACT_DIGITS) return false;
  for (let at = from; at < to; at++) {
    const byte = text.getUint8(at);
    if (!isDigit(byte) && byte !== POINT && byte !== MINUS) return false;
  }
  return true;
}
