import { hasEscape } from '../../export/parquet/cells.ts';
import { decimalOf } from '../../export/parquet/decimal.ts';
import { unrepresentable } from '../../export/parquet/found-types.ts';
import {
  BACKSLASH,
  COMMA,
  isDigit,
  LF,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  MINUS,
  POINT,
  QUOTE,
  TAB,
} from '../../export/transcode/ascii.ts';
import { ByteBuffer } from '../../export/transcode/byte-buffer.ts';
import type { Layout } from '../../export/transcode/columns.ts';
import { CsvCells } from '../../export/transcode/csv-cells.ts';
import type { Row } from '../../export/transcode/row.ts';
import { TsvCells } from '../../export/transcode/tsv-cells.ts';
import { utf8Bytes, utf8Text } from '../../export/transcode/utf8.ts';
import type { SyncDomain } from '../plan.ts';
import type { RowCounts, WrittenAs } from './row-counts.ts';
import type { RowForm, RowWriter, RowWriterOptions } from './row-writer.ts';

/** Room for a null and a delimiter, or the end of the line, for each column. */
const MARGIN = 4;
const UPPER_N = 0x4e;
const DIGIT_1 = 0x31;
const DIGIT_0 = 0x30;

/** Longer numbers are in no column; PostgreSQL stores up to 16,383 digits after the decimal point. */
const MOST_DIGITS = 10_000;

/** A value that no destination stores; the message says why. */
class UnwritableError extends Error {}

/** The digits of a JSON number without an exponent: `1.5e3` as `1500`, `1e-3` as `0.001`. Throws UnwritableError. */
function plainDigits(text: string): string {
  const { isNegative, digits, scale } = decimalOf(text);
  if (digits.length > MOST_DIGITS || Math.abs(scale) > MOST_DIGITS)
    throw new UnwritableError(`a number of more than ${MOST_DIGITS} digits`);
  const sign = isNegative ? '-' : '';
  if (digits === '0') return `${sign}0`;
  if (scale <= 0) return sign + digits + '0'.repeat(-scale);
  const padded = digits.padStart(scale + 1, '0');
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

interface Column {
  readonly name: string;
  readonly isMetric: boolean;
}

/** A line that is being written. */
interface Line {
  readonly out: ByteBuffer;
  readonly text: DataView;
  readonly counts: RowCounts;
}

/**
 * Writes rows as lines: csv, where null is an empty cell and an empty text has quotes, as DuckDB reads it; or tsv, with `\N` for null,
 * tabs, line ends and backslashes escaped, and flags as 1 and 0, as ClickHouse and PostgreSQL read it. Numbers are plain digits.
 */
export class LineWriter implements RowWriter {
  readonly site: Uint8Array;
  readonly #options: RowWriterOptions;
  readonly #columns: readonly Column[];
  readonly #isCsv: boolean;
  readonly #delimiter: number;
  readonly #cells: CsvCells | TsvCells;

  constructor(form: Exclude<RowForm, 'json'>, options: RowWriterOptions) {
    this.#options = options;
    const { metrics } = options.table;
    this.#columns = options.columns.map(name => ({ name, isMetric: metrics.includes(name) }));
    this.#isCsv = form === 'csv';
    this.#delimiter = this.#isCsv ? COMMA : TAB;
    this.#cells = this.#isCsv ? new CsvCells(false) : new TsvCells();
    this.site = options.omitsSite ? new Uint8Array() : this.#siteCells(options.domain);
  }

  write(out: ByteBuffer, { text, valueFrom, valueTo }: Row, { fieldOf }: Layout, counts: RowCounts): void {
    const line = { out, text, counts };
    out.append(this.site);
    for (const [index, column] of this.#columns.entries()) {
      const field = fieldOf[index] as number;
      const from = field < 0 ? 0 : (valueFrom[field] as number);
      const to = field < 0 ? 0 : (valueTo[field] as number);
      out.reserve(2 * (to - from) + MARGIN);
      if (index > 0) out.put(this.#delimiter);
      if (field >= 0 && text.getUint8(from) !== LOWER_N) this.#writeValue(line, column, from, to);
      else if (!this.#isCsv) {
        out.put(BACKSLASH);
        out.put(UPPER_N);
      }
    }
    out.reserve(MARGIN);
    out.put(LF);
  }

  #writeValue(line: Line, column: Column, from: number, to: number): void {
    const { out, text } = line;
    const first = text.getUint8(from);
    if (first === QUOTE && column.isMetric) this.#writeNumber(line, column, from + 1, to - 1);
    else if (isDigit(first) || first === MINUS) this.#writeNumber(line, column, from, to);
    else if (first === LOWER_T || first === LOWER_F) {
      if (!this.#isCsv && this.#as('flag', column, line) === 'flag')
        out.put(first === LOWER_T ? DIGIT_1 : DIGIT_0);
      else out.copy(text, from, to);
    } else if (first === QUOTE && !this.#isCsv && !hasEscape(text, from, to))
      // Without an escape, JSON text contains none of the characters that are escaped here.
      out.copy(text, from + 1, to - 1);
    else {
      const start = out.length;
      this.#cells.write(out, text, from, to);
      if (this.#options.rejectsNul && hasNul(out, start))
        throw this.#unwritable(column, 'a text with the character NUL');
    }
  }

  /** Copies the digits; with an exponent, writes the same number without it. */
  #writeNumber(line: Line, column: Column, from: number, to: number): void {
    const { out, text } = line;
    for (let at = from; at < to; at++) {
      const byte = text.getUint8(at);
      if (isDigit(byte) || byte === POINT || byte === MINUS) continue;
      if (this.#as('number', column, line) === 'text') break;
      try {
        out.append(Buffer.from(plainDigits(utf8Text(text, from, to))));
      } catch (error) {
        throw error instanceof UnwritableError ? this.#unwritable(column, error.message) : error;
      }
      return;
    }
    out.copy(text, from, to);
  }

  /** How to write a value whose form depends on the type of its column. Which type that is shows only after the last row. */
  #as(natural: WrittenAs, { name, isMetric }: Column, { counts }: Line): WrittenAs {
    const known = isMetric ? natural : (this.#options.kinds.get(name) ?? natural);
    const as = known === natural ? natural : 'text';
    counts.noteWritten(name, as);
    return as;
  }

  #unwritable({ name }: Column, why: string): Error {
    return unrepresentable(this.#options.target, name, why, { isFile: false });
  }

  /** The cells of the site, each with a delimiter. */
  #siteCells({ id, name }: SyncDomain): Uint8Array {
    const out = new ByteBuffer(64);
    const text = utf8Bytes(JSON.stringify(name));
    out.append(Buffer.from(String(id)));
    out.reserve(2 * text.byteLength + MARGIN);
    out.put(this.#delimiter);
    this.#cells.write(out, text, 0, text.byteLength);
    out.put(this.#delimiter);
    return Buffer.from(utf8Text(out.view, 0, out.length));
  }
}

function hasNul(out: ByteBuffer, from: number): boolean {
  for (let at = from; at < out.length; at++) if (out.view.getUint8(at) === 0) return true;
  return false;
}
