import {
  BACKSLASH,
  CR,
  LF,
  LOWER_N,
  LOWER_R,
  LOWER_T,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  TAB,
} from './ascii.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { CellWriter } from './delimited-rows.ts';
import { writeResolved } from './json-strings.ts';
import { writeCompact } from './json-text.ts';

/**
 * Cells without quotes: tab, newline, carriage return and backslash are written `\t`, `\n`, `\r` and `\\`. Both `null` and the
 * empty string are an empty cell. Nested values are JSON text.
 */
export class TsvCells implements CellWriter {
  readonly #scratch = new ByteBuffer(256);

  write(out: ByteBuffer, text: DataView, from: number, to: number): void {
    const first = text.getUint8(from);
    if (first === LOWER_N) return;
    const isString = first === QUOTE;
    const isNested = first === OPEN_OBJECT || first === OPEN_ARRAY;
    if (!isNested && !hasBackslash(text, from, to)) {
      if (isString) out.copy(text, from + 1, to - 1);
      else out.copy(text, from, to);
      return;
    }
    const cell = this.#scratch;
    cell.clear();
    cell.reserve(to - from);
    if (isString) writeResolved(cell, text, from + 1, to - 1);
    else writeCompact(cell, text, from, to);
    writeEscaped(out, cell);
  }
}

function hasBackslash(text: DataView, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (text.getUint8(at) === BACKSLASH) return true;
  return false;
}

function writeEscaped(out: ByteBuffer, cell: ByteBuffer): void {
  for (let at = 0; at < cell.length; at++) {
    const byte = cell.view.getUint8(at);
    const letter = escapeLetter(byte);
    if (letter === 0) out.put(byte);
    else {
      out.put(BACKSLASH);
      out.put(letter);
    }
  }
}

/** What follows the backslash; 0 for a byte that stands for itself. */
function escapeLetter(byte: number): number {
  switch (byte) {
    case TAB:
      return LOWER_T;
    case LF:
      return LOWER_N;
    case CR:
      return LOWER_R;
    case BACKSLASH:
      return BACKSLASH;
    default:
      return 0;
  }
}
