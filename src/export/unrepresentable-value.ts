import { FileError } from '../errors/index.ts';

/** A value that the format cannot represent; neither a retry nor resuming helps. The message names the column. */
export class UnrepresentableValueError extends FileError {
  override readonly name = 'UnrepresentableValueError';
}
