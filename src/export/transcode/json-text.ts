import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  isBlank,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from './ascii.ts';
import type { ByteBuffer } from './byte-buffer.ts';

// Functions for JSON text that was validated before; they do not check it again.

/** The index of the first byte from `at` on that is not white space. */
export function skipBlanks(text: DataView, at: number): number {
  while (isBlank(text.getUint8(at))) at++;
  return at;
}

/** The index after the string that starts at `at`. */
export function stringEnd(text: DataView, at: number): number {
  for (at++; ; at++) {
    const byte = text.getUint8(at);
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
}

/** The index after the value that starts at `at`: a member or an element, not a root number. */
export function valueEnd(text: DataView, at: number): number {
  let depth = 0;
  for (;;) {
    switch (text.getUint8(at)) {
      case QUOTE:
        at = stringEnd(text, at);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        depth++;
        at++;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth--;
        at++;
        break;
      default:
        at = depth > 0 ? at + 1 : wordEnd(text, at);
    }
    if (depth === 0) return at;
  }
}

/** The index after the number or word that starts at `at`. */
function wordEnd(text: DataView, at: number): number {
  for (;;) {
    const byte = text.getUint8(at);
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || isBlank(byte)) return at;
    at++;
  }
}

/** Appends the JSON text `[from, to)` without insignificant white space; at most as many bytes. */
export function writeCompact(out: ByteBuffer, text: DataView, from: number, to: number): void {
  let copied = from;
  for (let at = from; at < to; ) {
    const byte = text.getUint8(at);
    if (byte === QUOTE) at = stringEnd(text, at);
    else if (isBlank(byte)) {
      out.copy(text, copied, at);
      at = skipBlanks(text, at);
      copied = at;
    } else at++;
  }
  out.copy(text, copied, to);
}
