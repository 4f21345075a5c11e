import { FileError } from '../errors/index.ts';

/** The rows hold what a format can't: trying again helps as little as going on. The message names the column. */
export class UnrepresentableValueError extends FileError {}
