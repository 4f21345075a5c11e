import { roundDecimals } from '../../output/number.ts';
import { workbookText } from '../../text/markup.ts';
import { KnownDays, textOf } from '../parquet/cells.ts';
import { isDoubleExact } from '../parquet/decimal.ts';
import {
  BACKSLASH,
  DIGIT_0,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from '../transcode/ascii.ts';
import { ByteBuffer } from '../transcode/byte-buffer.ts';
import { writeCompact } from '../transcode/json-text.ts';
import { utf8Text } from '../transcode/utf8.ts';
import { MAX_CELL_TEXT, partialFormat, type SheetColumn, scaled } from './sheet-column.ts';

/** The styles of a workbook: places in the list of cell formats. Those of numbers follow the last. */
export const STYLES = {
  plain: 0,
  header: 1,
  text: 2,
  /** Of a column of numbers. */
  rightHeader: 3,
  paragraph: 4,
  heading: 5,
  title: 6,
  day: 7,
  /** In place of a number. */
  dash: 8,
  firstNumber: 9,
} as const;

/** Days from 1899-12-30, from which spreadsheets count, to 1970-01-01. */
const DAYS_TO_1970 = 25_569;
/** Spreadsheets count a 29 February 1900; days before it would be one off. */
const FIRST_DAY = 61;

/** All numbers with at most this many digits are exact in a double. */
export const EXACT_DIGITS = 15;

const encoder = new TextEncoder();
const bytesOf = (text: string): Uint8Array => encoder.encode(text);

const SPACE = 0x20;
const AMPERSAND = 0x26;
const LESS = 0x3c;
const GREATER = 0x3e;
const UNDERSCORE = 0x5f;
const LOWER_X = 0x78;
const DELETE = 0x7f;
/** The lead byte of U+FFFE and U+FFFF. */
const LEAD_OF_UNWRITABLE = 0xef;

const TEXT_END = bytesOf('</t></is></c>');
const VALUE_END = bytesOf('</v></c>');
/** Room for everything in a cell but its value. */
const MARKUP_BYTES = 128;

/** Thrown for a text that no cell holds; the caller names the column. */
export class TextTooLong extends Error {
  readonly length: number;

  constructor(length: number) {
    super(`a text of ${length} characters`);
    this.length = length;
  }
}

/** Writes the cells of one column. */
export class CellWriter {
  readonly #column: SheetColumn;
  readonly #days = new KnownDays();
  /** `<c r="B`, to which the number of the row is added. */
  readonly #open: Uint8Array;
  readonly #asText: Uint8Array;
  readonly #asSpacedText: Uint8Array;
  readonly #asNumber: Uint8Array;
  readonly #asDay: Uint8Array;
  readonly #styleOf: (format: string) => number;
  /** What precedes the labels of partial periods; undefined for other labels. */
  readonly #partial = new Map<
    string,
    { readonly asDay: Uint8Array; readonly asText: Uint8Array } | undefined
  >();
  readonly #asTrue = bytesOf('" t="b"><v>1</v></c>');
  readonly #asFalse = bytesOf('" t="b"><v>0</v></c>');
  readonly #nested = new ByteBuffer(256);

  /** `letters` names the column in the sheet; `styleOf` is the place of a format. */
  constructor(column: SheetColumn, letters: string, styleOf: (format: string) => number) {
    this.#column = column;
    this.#open = bytesOf(`<c r="${letters}`);
    const style = column.numbers === 'text' ? ` s="${STYLES.text}"` : '';
    this.#asText = bytesOf(`"${style} t="inlineStr"><is><t>`);
    this.#asSpacedText = bytesOf(`"${style} t="inlineStr"><is><t xml:space="preserve">`);
    this.#asNumber = bytesOf(`" s="${styleOf(column.format)}"><v>`);
    this.#asDay = bytesOf(
      `" s="${column.dates === undefined ? STYLES.day : styleOf(column.dates.format)}"><v>`,
    );
    this.#styleOf = styleOf;
  }

  /** Appends the cell of a row that has no value. */
  writeNone(out: ByteBuffer, row: number): void {
    const { dash, hasNumbers } = this.#column;
    if (dash === undefined) return;
    out.reserve(MARKUP_BYTES);
    put(out, this.#open);
    putInteger(out, row);
    put(out, bytesOf(`" s="${hasNumbers ? STYLES.dash : STYLES.plain}" t="inlineStr"><is><t>${dash}`));
    put(out, TEXT_END);
  }

  /** Appends the JSON value `[from, to)` as a cell of row `row`. Throws TextTooLong. */
  write(out: ByteBuffer, row: number, text: DataView, from: number, to: number): void {
    const first = text.getUint8(from);
    if (first === LOWER_N) {
      this.writeNone(out, row);
      return;
    }
    out.reserve(to - from + MARKUP_BYTES);
    put(out, this.#open);
    putInteger(out, row);
    switch (first) {
      case QUOTE: {
        const day = this.#dayOf(text, from, to);
        const partial =
          this.#column.partOf === undefined ? undefined : this.#partialOf(utf8Text(text, from + 1, to - 1));
        if (day !== undefined && day + DAYS_TO_1970 >= FIRST_DAY) {
          put(out, partial?.asDay ?? this.#asDay);
          putInteger(out, day + DAYS_TO_1970);
          put(out, VALUE_END);
        } else if (isPlain(text, from + 1, to - 1)) {
          put(out, partial?.asText ?? this.#asText);
          out.copy(text, from + 1, to - 1);
          put(out, TEXT_END);
        } else this.#writeText(out, textOf(text, from, to));
        return;
      }
      case LOWER_T:
        put(out, this.#asTrue);
        return;
      case LOWER_F:
        put(out, this.#asFalse);
        return;
      case OPEN_OBJECT:
      case OPEN_ARRAY: {
        this.#nested.clear();
        this.#nested.reserve(to - from);
        writeCompact(this.#nested, text, from, to);
        this.#writeText(out, utf8Text(this.#nested.view, 0, this.#nested.length));
        return;
      }
      default:
        this.#writeNumber(out, text, from, to);
    }
  }

  #dayOf(text: DataView, from: number, to: number): number | undefined {
    const { hasDays, dates } = this.#column;
    if (hasDays) return this.#days.since1970(text, from, to);
    return dates?.areMonths ? firstDaySince1970(utf8Text(text, from + 1, to - 1)) : undefined;
  }

  #partialOf(label: string) {
    if (!this.#partial.has(label)) {
      const part = this.#column.partOf?.(label);
      const style = part && this.#styleOf(partialFormat(part, this.#column.dates?.format));
      this.#partial.set(
        label,
        style === undefined
          ? undefined
          : { asDay: bytesOf(`" s="${style}"><v>`), asText: bytesOf(`" s="${style}" t="inlineStr"><is><t>`) },
      );
    }
    return this.#partial.get(label);
  }

  #writeNumber(out: ByteBuffer, text: DataView, from: number, to: number): void {
    const { numbers, decimals } = this.#column;
    const { scale: own } = this.#column;
    const scale = numbers === 'text' && own === 'days' ? undefined : own;
    if (decimals !== undefined || scale !== undefined) {
      const round = (digits: string) => (decimals === undefined ? digits : roundDecimals(digits, decimals));
      const digits = utf8Text(text, from, to);
      const rounded = scale === 'days' ? scaled(round(digits), scale) : round(scaled(digits, scale));
      const isExact = numbers === 'exact' || (numbers === 'unknown' && isDoubleExact(rounded));
      out.reserve(rounded.length + MARKUP_BYTES);
      put(out, isExact ? this.#asNumber : this.#asText);
      put(out, bytesOf(rounded));
      put(out, isExact ? VALUE_END : TEXT_END);
      return;
    }
    const isText =
      numbers === 'text' ||
      (numbers === 'unknown' && to - from > EXACT_DIGITS && !isDoubleExact(utf8Text(text, from, to)));
    put(out, isText ? this.#asText : this.#asNumber);
    out.copy(text, from, to);
    put(out, isText ? TEXT_END : VALUE_END);
  }

  #writeText(out: ByteBuffer, value: string): void {
    if (value.length > MAX_CELL_TEXT) throw new TextTooLong(value.length);
    const bytes = bytesOf(workbookText(value));
    out.reserve(bytes.length + MARKUP_BYTES);
    put(out, this.#asSpacedText);
    put(out, bytes);
    put(out, TEXT_END);
  }
}

/** Days from 1970 to the first one of a month `YYYY-MM`; undefined for another text. */
function firstDaySince1970(month: string): number | undefined {
  const time = /^\d{4}-\d\d$/.test(month) ? Date.parse(`${month}-01T00:00:00Z`) : Number.NaN;
  return Number.isNaN(time) ? undefined : time / 86_400_000;
}

/** Whether the inside of a JSON string can be copied into XML as it is. */
function isPlain(text: DataView, from: number, to: number): boolean {
  if (to - from > MAX_CELL_TEXT) return false;
  if (to > from && (text.getUint8(from) === SPACE || text.getUint8(to - 1) === SPACE)) return false;
  for (let at = from; at < to; at++) {
    const byte = text.getUint8(at);
    if (byte === BACKSLASH || byte === AMPERSAND || byte === LESS || byte === GREATER || byte === DELETE)
      return false;
    if (byte === UNDERSCORE && at + 1 < to && text.getUint8(at + 1) === LOWER_X) return false;
    if (byte === LEAD_OF_UNWRITABLE) return false;
  }
  return true;
}

function put(out: ByteBuffer, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at++) out.put(bytes[at] as number);
}

/** Appends a positive integer; room for it is there. */
export function putInteger(out: ByteBuffer, value: number): void {
  let power = 1;
  while (value / power >= 10) power *= 10;
  for (; power >= 1; power /= 10) out.put(DIGIT_0 + (Math.floor(value / power) % 10));
}

/** `A`, `Z`, `AA`: the name of a column by its place, counted from 0. */
export function columnLetters(place: number): string {
  let letters = '';
  for (let left = place + 1; left > 0; left = Math.floor((left - 1) / 26))
    letters = String.fromCharCode(0x41 + ((left - 1) % 26)) + letters;
  return letters;
}
