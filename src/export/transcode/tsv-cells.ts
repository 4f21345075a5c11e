import { escapeLetter } from '../../output/tsv-escapes.ts';
import { BACKSLASH, LOWER_N, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './ascii.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { CellWriter } from './delimited-rows.ts';
import { writeResolved } from './json-strings.ts';
import { writeCompact } from './json-text.ts';

/**
 * Cells without quotes: tab, newline, carriage return and backslash are written `\t`, `\n`, `\r` and `\\`. Both `null` and the
 * empty string are an empty cell. Nested values are JSON text.
 */
export class TsvCells implements CellWriter {
  /** The cell before escaping. */
  readonly #cell = new ByteBuffer(256);

  write(out: ByteBuffer, text: DataView, from: number, to: number): void {
    switch (text.getUint8(from)) {
      case QUOTE:
        this.#startOver(to - from);
        writeResolved(this.#cell, text, from + 1, to - 1);
        writeEscaped(out, this.#cell);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#startOver(to - from);
        writeCompact(this.#cell, text, from, to);
        writeEscaped(out, this.#cell);
        break;
      case LOWER_N:
        break;
      default:
        out.copy(text, from, to);
    }
  }

  #startOver(capacity: number): void {
    this.#cell.clear();
    this.#cell.reserve(capacity);
  }
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
