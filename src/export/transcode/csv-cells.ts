import { isFormula, needsQuotes } from '../../output/csv-quoting.ts';
import { APOSTROPHE, COMMA, isDigit, LOWER_N, OPEN_ARRAY, OPEN_OBJECT, POINT, QUOTE } from './ascii.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { CellWriter } from './delimited-rows.ts';
import { resolvedText, writeResolved } from './json-strings.ts';
import { writeCompact } from './json-text.ts';

/**
 * Cells by RFC 4180, quoted by the rule in csv-quoting.ts. `null` is an empty cell, the empty string is `""`. Nested values are
 * JSON text.
 */
export class CsvCells implements CellWriter {
  readonly #disarms: boolean;
  /** Set where numbers have a decimal comma. */
  readonly #delimiter: number | undefined;
  /** The cell before quoting. */
  readonly #cell = new ByteBuffer(256);

  /**
   * `disarms`: adds an apostrophe before text (not numbers) that a spreadsheet would run as a formula. `local`: writes numbers with a
   * decimal comma, and separates cells by another delimiter.
   */
  constructor(disarms: boolean, local?: { readonly delimiter: number }) {
    this.#disarms = disarms;
    this.#delimiter = local?.delimiter;
  }

  write(out: ByteBuffer, text: DataView, from: number, to: number): void {
    switch (text.getUint8(from)) {
      case QUOTE:
        this.#writeString(out, text, from + 1, to - 1);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#startOver(to - from);
        writeCompact(this.#cell, text, from, to);
        writeQuotedIfNeeded(out, this.#cell, this.#delimiter);
        break;
      case LOWER_N:
        break;
      default:
        if (this.#delimiter === undefined) out.copy(text, from, to);
        else
          for (let at = from; at < to; at++) {
            const byte = text.getUint8(at);
            out.put(byte === POINT ? COMMA : byte);
          }
    }
  }

  /** `[from, to)` excludes the quotes. */
  #writeString(out: ByteBuffer, text: DataView, from: number, to: number): void {
    const disarmed =
      this.#disarms && mayBeFormula(text.getUint8(from)) && isFormula(resolvedText(text, from, to));
    this.#startOver(to - from + 1);
    if (disarmed) this.#cell.put(APOSTROPHE);
    writeResolved(this.#cell, text, from, to);
    writeQuotedIfNeeded(out, this.#cell, this.#delimiter);
  }

  #startOver(capacity: number): void {
    this.#cell.clear();
    this.#cell.reserve(capacity);
  }
}

function writeQuotedIfNeeded(out: ByteBuffer, cell: ByteBuffer, delimiter: number | undefined): void {
  const { view, length } = cell;
  if (!needsQuotes(view, length, delimiter)) {
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

/** A quick check that excludes most texts: no formula starts with a letter or a digit. */
function mayBeFormula(first: number): boolean {
  return !isDigit(first) && !isLetter(first);
}

function isLetter(byte: number): boolean {
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x7a;
}
