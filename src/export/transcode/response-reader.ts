import { CLOSE_ARRAY, isBlank, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './ascii.ts';
import { ByteBuffer } from './byte-buffer.ts';
import { JsonScanner } from './json-scanner.ts';
import { resolvedText } from './json-strings.ts';
import { stringEnd } from './json-text.ts';

/** What an answer may hold besides its rows. */
export const MAX_ENVELOPE_BYTES = 1024 * 1024;
/** How long the JSON text of one row may be. */
export const MAX_ROW_BYTES = 4 * 1024 * 1024;
/** How many blanks may follow one another between two rows. */
export const MAX_BLANK_BYTES = 64 * 1024;
/** How much of a row may be left for the next chunk. */
export const MAX_LEFT_BYTES = 2 * 1024;

/** Gets the rows of an answer, whole and checked, in order. */
export interface RowVisitor {
  /** A row: `text[from, to)`. The text is valid only during the call. */
  row(text: DataView, from: number, to: number): void;
  /**
   * A row begins at `at` of the chunk that is being read, perhaps not whole and not checked. A visitor that can check rows by
   * itself takes this one, and those that follow with a comma between, and returns where the last of them ends. Otherwise it
   * returns -1, and the row comes again by `row`, if it is one.
   */
  knownRows(at: number): number;
}

/** Lists of objects that tell what went wrong. */
const NO_ROWS = /^(error|validation)?[_-]?(errors?|details?|messages?|warnings?|violations)$/i;

// Where the next byte stands.
const ENVELOPE = 0;
const ARRAY_BEGINNING = 1; // after the [ of an array that may hold the rows
const ROWS = 2;

/**
 * Finds the rows in one answer, which comes in chunks. With `rowsName` they are the array of that name in the root object;
 * without, they are the root array or the one array in the root object that holds objects or arrays. Everything outside of the
 * rows is kept as the envelope: the answer's own text with an empty array in place of the rows.
 */
export class ResponseReader {
  readonly #visitor: RowVisitor;
  readonly #rowsName: string | undefined;
  readonly #scanner = new JsonScanner();
  readonly #envelope = new ByteBuffer(1024);
  /** The beginning of a row whose end is in a chunk to come. */
  readonly #unfinished = new ByteBuffer(1024);
  #place = ENVELOPE;
  /** Where a row that is not known is left for the next chunk: it may only be cut. */
  #leavesFrom = Number.POSITIVE_INFINITY;
  #rootIsObject = false;
  /** Where in the envelope the latest name of a root member begins. */
  #nameAt = 0;
  #arrayName: string | undefined;
  #rowsDepth = 0;
  /** Blanks since the last row. */
  #blanks = 0;
  #foundRows = false;
  #foundEmptyArray = false;

  constructor(visitor: RowVisitor, rowsName: string | undefined) {
    this.#visitor = visitor;
    this.#rowsName = rowsName;
  }

  /** How many bytes of the answer were read. */
  get offset(): number {
    return this.#scanner.offset;
  }

  /** Everything outside of the rows. */
  get envelope(): ByteBuffer {
    return this.#envelope;
  }

  /** The name of the array that holds the rows; undefined for a root array, and as long as there is none. */
  get arrayName(): string | undefined {
    return this.#arrayName;
  }

  /**
   * Reads the next chunk. Returns how far it came: with `mayLeave`, up to {@link MAX_LEFT_BYTES} that follow known rows may be left,
   * to come again at the beginning of the next chunk. Throws MalformedResponse at the first byte that can't be.
   */
  write(chunk: DataView, mayLeave: boolean): number {
    this.#leavesFrom = Number.POSITIVE_INFINITY;
    let at = 0;
    while (at < chunk.byteLength) {
      if (this.#place === ARRAY_BEGINNING) this.#lookAtFirstElement(chunk.getUint8(at));
      if (this.#place === ROWS) {
        const next = this.#readRows(chunk, at, mayLeave);
        if (next === at) break;
        at = next;
      } else this.#readEnvelope(chunk.getUint8(at++));
    }
    return at;
  }

  /** Ends the answer; false when it held no rows array. Throws MalformedResponse when it is cut. */
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

  #lookAtFirstElement(byte: number): void {
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

  /** Reads on within the rows array, one row at most or all that are known; returns the index after what it read. */
  #readRows(chunk: DataView, at: number, mayLeave: boolean): number {
    const scanner = this.#scanner;
    if (scanner.depth > this.#rowsDepth) return this.#readRow(chunk, at);
    const byte = chunk.getUint8(at);
    if (scanner.expectsValue && (byte === OPEN_OBJECT || byte === OPEN_ARRAY)) {
      const end = this.#visitor.knownRows(at);
      this.#blanks = 0;
      if (end === -1) return at < this.#leavesFrom ? this.#readRow(chunk, at) : at;
      if (mayLeave) this.#leavesFrom = chunk.byteLength - MAX_LEFT_BYTES;
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

  /** Checks a row to its end, or to the end of the chunk. */
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
