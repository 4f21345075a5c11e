const NUMBER = /^[+-]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?$/i;

/** The start of a formula in a spreadsheet, after optional blanks, including full-width forms. */
const FORMULA = /^(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/;

const COMMA = 0x2c;
const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;

/**
 * Whether a CSV cell, as UTF-8, requires quotes. This rule applies to every writer; kernel/text.ts repeats it for the fast path, and a
 * test compares them. Quotes are required for an empty text, which would read as null; for a comma, the delimiter of the dialect, a quote or line break; for a blank
 * or control character at either end, which some readers trim; for a byte order mark at the start; and for `\.`, which ends the data
 * of a PostgreSQL COPY.
 */
export function needsQuotes(cell: DataView, length: number, delimiter = COMMA): boolean {
  if (length === 0 || cell.getUint8(0) <= SPACE || cell.getUint8(length - 1) <= SPACE) return true;
  if (beginsWithMark(cell, length) || isEndOfData(cell, length)) return true;
  for (let at = 0; at < length; at++) {
    const byte = cell.getUint8(at);
    if (byte === COMMA || byte === delimiter || byte === QUOTE || byte === CR || byte === LF) return true;
  }
  return false;
}

function beginsWithMark(cell: DataView, length: number): boolean {
  return length >= 3 && cell.getUint8(0) === 0xef && cell.getUint8(1) === 0xbb && cell.getUint8(2) === 0xbf;
}

function isEndOfData(cell: DataView, length: number): boolean {
  return length === 2 && cell.getUint8(0) === 0x5c && cell.getUint8(1) === 0x2e;
}

/** Whether a spreadsheet would run a text as a formula; false for a signed number. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text) && !NUMBER.test(text);
}
