import {
  APOSTROPHE,
  AT,
  BACKSLASH,
  COMMA,
  CR,
  EQUALS,
  LF,
  LOWER_N,
  MINUS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  PLUS,
  QUOTE,
  SPACE,
  TAB,
} from './ascii.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { CellWriter } from './delimited-rows.ts';
import { writeResolved } from './json-strings.ts';
import { writeCompact } from './json-text.ts';

/**
 * Cells by RFC 4180: quoted where they hold a comma, a quote, CR or LF, or where they begin or end with a blank. `null` is an
 * empty cell and the empty string is `""`, so that a reader that cares can tell them apart. Nested values are JSON text.
 */
export class CsvCells implements CellWriter {
  readonly #disarms: boolean;
  readonly #scratch = new ByteBuffer(256);

  /** `disarms`: text (not a JSON number) that a spreadsheet would run as a formula gets an apostrophe in front. */
  constructor(disarms: boolean) {
    this.#disarms = disarms;
  }

  write(out: ByteBuffer, text: DataView, from: number, to: number): void {
    switch (text.getUint8(from)) {
      case QUOTE:
        this.#writeString(out, text, from + 1, to - 1);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#scratch.clear();
        this.#scratch.reserve(to - from);
        writeCompact(this.#scratch, text, from, to);
        writeQuotedIfNeeded(out, this.#scratch);
        break;
      case LOWER_N:
        break;
      default:
        out.copy(text, from, to);
    }
  }

  /** `[from, to)` is the inside of the quotes. */
  #writeString(out: ByteBuffer, text: DataView, from: number, to: number): void {
    if (isPlain(text, from, to) && !(this.#disarms && isFormula(text, from, to))) {
      out.copy(text, from, to);
      return;
    }
    const cell = this.#scratch;
    cell.clear();
    cell.reserve(to - from + 1);
    writeResolved(cell, text, from, to);
    if (this.#disarms && isFormula(cell.view, 0, cell.length)) {
      cell.clear();
      cell.put(APOSTROPHE);
      writeResolved(cell, text, from, to);
    }
    writeQuotedIfNeeded(out, cell);
  }
}

/** True when the inside of a JSON string is a cell as it stands. Raw quotes, CR and LF can't be in there. */
function isPlain(text: DataView, from: number, to: number): boolean {
  if (from === to || text.getUint8(from) === SPACE || text.getUint8(to - 1) === SPACE) return false;
  for (let at = from; at < to; at++) {
    const byte = text.getUint8(at);
    if (byte === COMMA || byte === BACKSLASH) return false;
  }
  return true;
}

function writeQuotedIfNeeded(out: ByteBuffer, cell: ByteBuffer): void {
  const { view, length } = cell;
  if (!needsQuotes(view, length)) {
    out.copy(view, 0, length);
    return;
  }
  out.put(QUOTE);
  for (let at = 0; at < length; at++) {
    const byte = view.getUint8(at);
    if (byte === QUOTE) out.put(QUOTE);
    out.put(byte);
  }
  out.put(QUOTE);
}

function needsQuotes(cell: DataView, length: number): boolean {
  if (length === 0 || isEdgeBlank(cell.getUint8(0)) || isEdgeBlank(cell.getUint8(length - 1))) return true;
  for (let at = 0; at < length; at++) {
    const byte = cell.getUint8(at);
    if (byte === COMMA || byte === QUOTE || byte === CR || byte === LF) return true;
  }
  return false;
}

function isEdgeBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

/** True for text that a spreadsheet takes for a formula by its first character: = + - @, TAB, CR, LF, and = + - @ full-width. */
function isFormula(text: DataView, from: number, to: number): boolean {
  if (from === to) return false;
  const first = text.getUint8(from);
  if (first === 0xef && to - from >= 3 && text.getUint8(from + 1) === 0xbc)
    return isOperator(text.getUint8(from + 2) - 0x60);
  return isOperator(first) || first === TAB || first === CR || first === LF;
}

function isOperator(byte: number): boolean {
  return byte === EQUALS || byte === PLUS || byte === MINUS || byte === AT;
}
