import { InvalidResponseError } from '../../errors/index.ts';

/** A response that breaks off, is not JSON, or has invalid rows. Rows written before it are complete. */
export class MalformedResponseError extends InvalidResponseError {
  /** What is wrong, for a message. */
  readonly reason: string;
  /** The offset in the body of the first invalid byte; the length of the body if it breaks off. */
  readonly offset: number;
  /** A few characters from there on, not printable yet. */
  readonly near: string;

  constructor(reason: string, offset: number, near = '') {
    super(`the response cannot be read as JSON rows: ${reason} (byte ${offset})`, { code: 'malformed_rows' });
    this.reason = reason;
    this.offset = offset;
    this.near = near;
  }
}
