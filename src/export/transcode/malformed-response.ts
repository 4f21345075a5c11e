import { InvalidResponseError } from '../../errors/index.ts';

/** An answer that broke off, or that is not JSON, or whose rows can't be rows. Rows written before it are whole. */
export class MalformedResponseError extends InvalidResponseError {
  /** What is wrong, as half a sentence. */
  readonly reason: string;
  /** The byte of this answer's body, counted from 0, where it went wrong; the body's length when it is cut. */
  readonly offset: number;
  /** A few characters from there on, as the server sent them: not made printable. */
  readonly near: string;

  constructor(reason: string, offset: number, near = '') {
    super(`the response cannot be read as JSON rows: ${reason} (byte ${offset})`, { code: 'malformed_rows' });
    this.reason = reason;
    this.offset = offset;
    this.near = near;
  }
}
