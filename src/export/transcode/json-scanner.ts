import { InvalidResponseError } from '../../errors/index.ts';
import { printable } from '../../text/printable.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  hexValue,
  isBlank,
  isSimpleEscape,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  LOWER_U,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from './ascii.ts';
import { beginsNumber, END, INVALID, mayNumberEnd, nextInNumber, numberFault } from './json-number.ts';
import { continuationCount, secondByteMax, secondByteMin } from './utf8.ts';

/** Deeper than any legitimate response, and shallow enough to stop a nesting attack. */
export const MAX_DEPTH = 512;

// The states: what the next byte may be.
const START = 0;

// a byte order mark or a value
const BYTE_ORDER_MARK = 1;

const VALUE = 2;
const VALUE_OR_CLOSE = 3;

// after [
const NAME = 4;

const NAME_OR_CLOSE = 5;

// after {
const NAME_END = 6;

// a colon
const VALUE_END = 7;

// a comma or the closing bracket
const NOTHING = 8;

// white space after the root value
const IN_STRING = 9;

const IN_ESCAPE = 10;
const IN_HEX = 11;
const IN_CHARACTER = 12;

// the rest of a UTF-8 sequence
const IN_WORD = 13;

// the rest of true, false, null
const IN_NUMBER = 14;

/**
 * Validates one JSON text (RFC 8259, in UTF-8, optionally with a byte order mark) byte by byte. Stores only its position: the
 * state, the open brackets, and the number of bytes.
 */
export class JsonScanner {
  #state = START;
  #depth = 0;
  #offset = 0;
  readonly #maxDepth: number;
  /** For each open bracket, whether it is an object's. */
  readonly #open: boolean[] = [];
  #stringIsName = false;
  /** Remaining bytes of a UTF-8 sequence, of \uXXXX or of a byte order mark. */
  #left = 0;
  #min = 0x80;
  #max = 0xbf;
  #number = 0;
  #word = '';
  #wordAt = 0;

  constructor(maxDepth = MAX_DEPTH) {
    this.#maxDepth = maxDepth;
  }

  /** The number of open arrays and objects. */
  get depth(): number {
    return this.#depth;
  }

  /** The number of accepted bytes. */
  get offset(): number {
    return this.#offset;
  }

  /** Whether the root value is complete. */
  get isComplete(): boolean {
    return this.#state === NOTHING;
  }

  /** Whether a value may start here. */
  get expectsValue(): boolean {
    return this.#state === VALUE || this.#state === VALUE_OR_CLOSE;
  }

  /** Whether the name of a member may start here. */
  get expectsName(): boolean {
    return this.#state === NAME || this.#state === NAME_OR_CLOSE;
  }

  /** Reads the next byte. Throws {@link MalformedResponseError} for an invalid one. */
  step(byte: number): void {
    switch (this.#state) {
      case IN_STRING:
        if (byte === QUOTE) this.#endString();
        else if (byte === BACKSLASH) this.#state = IN_ESCAPE;
        else if (byte < SPACE) this.fail('a control character within a string');
        else if (byte >= 0x80) this.#beginCharacter(byte);
        break;
      case IN_CHARACTER:
        if (byte < this.#min || byte > this.#max) this.fail('a string is not valid UTF-8');
        this.#min = 0x80;
        this.#max = 0xbf;
        if (--this.#left === 0) this.#state = IN_STRING;
        break;
      case IN_ESCAPE:
        this.#escape(byte);
        break;
      case IN_HEX:
        if (hexValue(byte) === -1) this.fail('\\u without four hexadecimal digits');
        if (--this.#left === 0) this.#state = IN_STRING;
        break;
      case NAME_END:
        if (byte === COLON) this.#state = VALUE;
        else if (!isBlank(byte)) this.fail('a colon was expected');
        break;
      case VALUE:
        if (!isBlank(byte)) this.#beginValue(byte);
        break;
      case VALUE_END:
        this.#afterValue(byte);
        break;
      case NAME:
        this.#beginName(byte);
        break;
      case NAME_OR_CLOSE:
        if (byte === CLOSE_OBJECT) this.#close();
        else this.#beginName(byte);
        break;
      case VALUE_OR_CLOSE:
        if (byte === CLOSE_ARRAY) this.#close();
        else if (!isBlank(byte)) this.#beginValue(byte);
        break;
      case IN_WORD:
        if (byte !== this.#word.charCodeAt(this.#wordAt)) this.fail('a word other than true, false and null');
        if (++this.#wordAt === this.#word.length) this.#endValue();
        break;
      case START:
        if (byte === 0xef && this.#offset === 0) this.#state = BYTE_ORDER_MARK;
        else if (!isBlank(byte)) this.#beginValue(byte);
        break;
      case BYTE_ORDER_MARK:
        if (byte !== (this.#offset === 1 ? 0xbb : 0xbf)) this.fail('a value was expected');
        if (this.#offset === 2) this.#state = VALUE;
        break;
      case NOTHING:
        if (!isBlank(byte)) this.fail('unexpected data after the end of the response');
        break;
      case IN_NUMBER:
        this.#inNumber(byte);
        break;
    }
    this.#offset++;
  }

  /** Skips `length` bytes that the caller has validated: elements of an array. Call it only where an element may start. */
  passElements(length: number): void {
    this.#offset += length;
    this.#endValue();
  }

  /** Ends the text. Throws {@link MalformedResponseError} if it is incomplete. */
  end(): void {
    if (this.#state === NOTHING) return;
    if (this.#depth === 0 && this.#state === IN_NUMBER && mayNumberEnd(this.#number)) return;
    this.fail(this.#state === START ? 'it is empty' : 'it is cut before its end');
  }

  /** Throws {@link MalformedResponseError} for the next byte. */
  fail(reason: string): never {
    throw new MalformedResponseError(reason, this.#offset);
  }

  #beginValue(byte: number): void {
    if (byte === QUOTE) this.#beginString(false);
    else if (byte === OPEN_OBJECT) this.#openBracket(true);
    else if (byte === OPEN_ARRAY) this.#openBracket(false);
    else if (byte === LOWER_N) this.#beginWord('null');
    else if (byte === LOWER_T) this.#beginWord('true');
    else if (byte === LOWER_F) this.#beginWord('false');
    else this.#beginNumber(byte);
  }

  #endValue(): void {
    this.#state = this.#depth === 0 ? NOTHING : VALUE_END;
  }

  #afterValue(byte: number): void {
    const inObject = this.#open[this.#depth - 1];
    if (byte === COMMA) this.#state = inObject ? NAME : VALUE;
    else if (byte === (inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) this.#close();
    else if (!isBlank(byte)) this.fail(`a comma or ${inObject ? '}' : ']'} was expected`);
  }

  #openBracket(isObject: boolean): void {
    if (this.#depth === this.#maxDepth) this.fail(`nested more than ${this.#maxDepth} levels deep`);
    this.#open[this.#depth++] = isObject;
    this.#state = isObject ? NAME_OR_CLOSE : VALUE_OR_CLOSE;
  }

  #close(): void {
    this.#depth--;
    this.#endValue();
  }

  #beginName(byte: number): void {
    if (byte === QUOTE) this.#beginString(true);
    else if (!isBlank(byte)) this.fail('a name in quotes was expected');
  }

  #beginString(isName: boolean): void {
    this.#stringIsName = isName;
    this.#state = IN_STRING;
  }

  #endString(): void {
    if (this.#stringIsName) this.#state = NAME_END;
    else this.#endValue();
  }

  #escape(byte: number): void {
    if (byte === LOWER_U) {
      this.#state = IN_HEX;
      this.#left = 4;
    } else if (isSimpleEscape(byte)) this.#state = IN_STRING;
    else this.fail('an escape that JSON does not have');
  }

  #beginCharacter(lead: number): void {
    this.#left = continuationCount(lead);
    if (this.#left === 0) this.fail('a string is not valid UTF-8');
    this.#min = secondByteMin(lead);
    this.#max = secondByteMax(lead);
    this.#state = IN_CHARACTER;
  }

  #beginWord(word: string): void {
    this.#word = word;
    this.#wordAt = 1;
    this.#state = IN_WORD;
  }

  #beginNumber(byte: number): void {
    this.#number = beginsNumber(byte);
    if (this.#number === INVALID) this.fail('a value was expected');
    this.#state = IN_NUMBER;
  }

  #inNumber(byte: number): void {
    const next = nextInNumber(this.#number, byte);
    if (next === INVALID) this.fail(numberFault(this.#number));
    if (next === END) this.#endNumber(byte);
    else this.#number = next;
  }

  /** The end of a number shows only at the byte after it. */
  #endNumber(byte: number): void {
    this.#endValue();
    if (this.#state === VALUE_END) this.#afterValue(byte);
    else if (!isBlank(byte)) this.fail('unexpected data after the end of the response');
  }
}

/** A response that breaks off, is not JSON, or has invalid rows. Rows written before it are complete. */
export class MalformedResponseError extends InvalidResponseError {
  override readonly name = 'MalformedResponseError';
  /** What is wrong, for a message. */
  readonly problem: string;
  /** The offset in the body of the first invalid byte; the length of the body if it breaks off. */
  readonly offset: number;
  /** A few characters from there on. */
  readonly near: string;

  constructor(problem: string, offset: number, near = '') {
    super(`the response cannot be read as JSON rows: ${problem} (byte ${offset})`, {
      code: 'malformed_rows',
    });
    this.problem = problem;
    this.offset = offset;
    this.near = printable(near.trimStart());
  }
}
