import { CLOSE_ARRAY, isBlank, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './ascii.ts';
import { ByteBuffer } from './byte-buffer.ts';
import { JsonScanner } from './json-scanner.ts';
import { resolvedText } from './json-strings.ts';
import { stringEnd } from './json-text.ts';
import { Row } from './row.ts';
import { utf8Text } from './utf8.ts';

/** Maximum size of a response without its rows. */
const MAX_ENVELOPE_BYTES = 1024 * 1024;

/** Maximum size of one row's JSON text. */
const MAX_ROW_BYTES = 4 * 1024 * 1024;

/** Maximum number of white space bytes between two rows. */
const MAX_BLANK_BYTES = 64 * 1024;

/** Maximum part of a row that may be left for the next chunk. */
export const MAX_UNREAD_BYTES = 2 * 1024;

/** Receives the rows of a response, complete and validated, in order. */
interface RowVisitor {
  /** A row: `text[from, to)`. The text is valid only during the call. */
  row(text: DataView, from: number, to: number): void;
  /**
   * A row starts at `at` of the current chunk; it is not validated and may be incomplete. A visitor that can validate it and the
   * following rows, separated by commas, reads them and returns the end of the last one. Otherwise it returns -1, and the row is
   * validated and passed to `row`.
   */
  knownRows(at: number): number;
}

/** Names of lists of objects that describe errors. */
const NO_ROWS = /^(error|validation)?[_-]?(errors?|details?|messages?|warnings?|violations)$/i;

// The position of the next byte.
const ENVELOPE = 0;

const ARRAY_BEGINNING = 1;

// after the [ of an array that may hold the rows
const ROWS = 2;

/**
 * Finds the rows in one response, chunk by chunk: with `rowsName`, the array of that name in the root object; otherwise the root
 * array, or the only array of objects or arrays in the root object. Everything else is the envelope: the text of the response
 * with an empty array in place of the rows.
 */
export class ResponseReader {
  readonly #visitor: RowVisitor;
  readonly #rowsName: string | undefined;
  readonly #scanner = new JsonScanner();
  readonly #envelope = new ByteBuffer(1024);
  /** The beginning of a row that ends in a later chunk. */
  readonly #unfinished = new ByteBuffer(1024);
  #place = ENVELOPE;
  /** From here on, an unknown row is left for the next chunk, because it may only be incomplete. */
  #leavesFrom = Number.POSITIVE_INFINITY;
  #rootIsObject = false;
  /** The offset in the envelope of the latest name of a root member. */
  #nameAt = 0;
  #arrayName: string | undefined;
  #rowsDepth = 0;
  /** White space bytes since the last row. */
  #blanks = 0;
  #foundRows = false;
  #foundEmptyArray = false;

  constructor(visitor: RowVisitor, rowsName: string | undefined) {
    this.#visitor = visitor;
    this.#rowsName = rowsName;
  }

  /** The number of bytes read. */
  get offset(): number {
    return this.#scanner.offset;
  }

  /** Whether the root value is complete. */
  get isComplete(): boolean {
    return this.#scanner.isComplete;
  }

  /** The response without its rows. */
  get envelope(): ByteBuffer {
    return this.#envelope;
  }

  /** The name of the array that contains the rows; undefined for a root array, and before it was found. */
  get arrayName(): string | undefined {
    return this.#arrayName;
  }

  /**
   * Reads the next chunk. Returns the number of bytes read: with `mayLeave`, up to {@link MAX_UNREAD_BYTES} after known rows may be
   * left, which the next chunk must start with. Throws MalformedResponseError at the first invalid byte.
   */
  write(chunk: DataView, mayLeave: boolean): number {
    this.#leavesFrom = Number.POSITIVE_INFINITY;
    let at = 0;
    while (at < chunk.byteLength) {
      if (this.#place === ARRAY_BEGINNING) this.#checkFirstElement(chunk.getUint8(at));
      if (this.#place === ROWS) {
        const next = this.#readRows(chunk, at, mayLeave);
        if (next === at) break;
        at = next;
      } else this.#readEnvelope(chunk.getUint8(at++));
    }
    return at;
  }

  /** Ends the response; returns false if it had no array of rows. Throws MalformedResponseError if it is incomplete. */
  end(): boolean {
    this.#scanner.end();
    return this.#foundRows || this.#foundEmptyArray;
  }

  #readEnvelope(byte: number): void {
    const scanner = this.#scanner;
    const depth = scanner.depth;
    if (byte === QUOTE && depth === 1 && scanner.expectsName) this.#nameAt = this.#envelope.length;
    scanner.step(byte);
    this.#keep(byte);
    if (scanner.depth > depth) this.#bracketOpened(byte);
  }

  #keep(byte: number): void {
    if (this.#envelope.length === MAX_ENVELOPE_BYTES)
      this.#scanner.fail(`more than ${MAX_ENVELOPE_BYTES} bytes outside of the rows`);
    this.#envelope.reserve(1);
    this.#envelope.put(byte);
  }

  #bracketOpened(byte: number): void {
    const depth = this.#scanner.depth;
    if (depth === 1) this.#rootIsObject = byte === OPEN_OBJECT;
    if (byte !== OPEN_ARRAY) return;
    if (this.#rowsName === undefined) {
      if (depth === 1 || (depth === 2 && this.#rootIsObject && !NO_ROWS.test(this.#memberName())))
        this.#place = ARRAY_BEGINNING;
    } else if (depth === 2 && this.#rootIsObject && this.#memberName() === this.#rowsName) this.#enterRows();
  }

  #checkFirstElement(byte: number): void {
    if (isBlank(byte)) return;
    this.#place = ENVELOPE;
    if (byte === CLOSE_ARRAY) this.#foundEmptyArray = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#enterRows();
  }

  #enterRows(): void {
    if (this.#foundRows) this.#scanner.fail('a second array of rows');
    this.#foundRows = true;
    this.#place = ROWS;
    this.#rowsDepth = this.#scanner.depth;
    if (this.#rootIsObject) this.#arrayName = this.#memberName();
  }

  /** The name of the root member whose value is being read. */
  #memberName(): string {
    const text = this.#envelope.view;
    return resolvedText(text, this.#nameAt + 1, stringEnd(text, this.#nameAt) - 1);
  }

  /** Reads one row of the array, or all known ones; returns the index after them. */
  #readRows(chunk: DataView, at: number, mayLeave: boolean): number {
    const scanner = this.#scanner;
    if (scanner.depth > this.#rowsDepth) return this.#readRow(chunk, at);
    const byte = chunk.getUint8(at);
    if (scanner.expectsValue && (byte === OPEN_OBJECT || byte === OPEN_ARRAY)) {
      const end = this.#visitor.knownRows(at);
      this.#blanks = 0;
      if (end === -1) return at < this.#leavesFrom ? this.#readRow(chunk, at) : at;
      if (mayLeave) this.#leavesFrom = chunk.byteLength - MAX_UNREAD_BYTES;
      scanner.passElements(end - at);
      return end;
    }
    if (scanner.expectsValue && !isBlank(byte) && byte !== CLOSE_ARRAY)
      scanner.fail('a row has to be an object or an array');
    if (isBlank(byte) && ++this.#blanks > MAX_BLANK_BYTES)
      scanner.fail(`more than ${MAX_BLANK_BYTES} blanks between two rows`);
    scanner.step(byte);
    if (scanner.depth < this.#rowsDepth) {
      this.#keep(byte);
      this.#place = ENVELOPE;
    }
    return at + 1;
  }

  /** Validates a row up to its end, or the end of the chunk. */
  #readRow(chunk: DataView, from: number): number {
    const scanner = this.#scanner;
    let at = from;
    do scanner.step(chunk.getUint8(at++));
    while (scanner.depth > this.#rowsDepth && at < chunk.byteLength);
    const isWhole = scanner.depth === this.#rowsDepth;
    const unfinished = this.#unfinished;
    if (isWhole && unfinished.length === 0) this.#visitor.row(chunk, from, at);
    else {
      if (unfinished.length + at - from > MAX_ROW_BYTES)
        scanner.fail(`a row of more than ${MAX_ROW_BYTES} bytes`);
      unfinished.reserve(at - from);
      unfinished.copy(chunk, from, at);
      if (isWhole) {
        this.#visitor.row(unfinished.view, 0, unfinished.length);
        unfinished.clear();
      }
    }
    return at;
  }
}

/** The JSON text of each member of a complete envelope except the rows; of a duplicate name, the last one. */
export function envelopeMembers(envelope: ByteBuffer, arrayName: string | undefined): Map<string, string> {
  const members = new Map<string, string>();
  const text = envelope.view;
  let from = 0;
  while (from < envelope.length && text.getUint8(from) !== OPEN_OBJECT) from++;
  if (from === envelope.length) return members;
  const root = new Row();
  root.split(text, from, envelope.length);
  for (let field = 0; field < root.fieldCount; field++) {
    const value = utf8Text(text, root.valueFrom[field] as number, root.valueTo[field] as number);
    members.set(root.fieldName(field), value);
  }
  if (arrayName !== undefined) members.delete(arrayName);
  return members;
}

/** The envelope as text, without a byte order mark. */
export function envelopeText(envelope: ByteBuffer): string {
  return utf8Text(envelope.view, 0, envelope.length).replace(/^\ufeff/, '');
}
