import { GatectlError, UsageError } from '../errors/index.ts';
import type { Json } from '../json/index.ts';
import type { RowsOptions } from './rows.ts';

/** Checks the options that requests depend on. Throws UsageError. */
export function checkRowsOptions({ numbers, pageSize, pagesInFlight }: RowsOptions, mostRows: number): void {
  if (numbers !== undefined && numbers !== 'string' && numbers !== 'bigint' && typeof numbers !== 'function')
    throw new UsageError("numbers must be 'string', 'bigint' or a function", { code: 'invalid_value' });
  checkCount('pageSize', pageSize, mostRows);
  checkCount('pagesInFlight', pagesInFlight, 64);
}

function checkCount(name: string, value: number | undefined, most: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= most)) return;
  throw new UsageError(`${name} must be an integer from 1 to ${most}`, { code: 'invalid_value' });
}

/** A request's value as JSON. Throws UsageError for one that JSON cannot express. */
export function requestOf<Request>(value: Request, convert: (value: Request) => Json): Json {
  try {
    return convert(value);
  } catch (error) {
    if (error instanceof GatectlError || !(error instanceof TypeError)) throw error;
    throw new UsageError(error.message, { code: 'invalid_request' });
  }
}
