import { DestinationError } from '../../errors/index.ts';

type Options = ConstructorParameters<typeof DestinationError>[1];

const failure =
  (code: Options['code']) =>
  (message: string, facts: Omit<Options, 'code'> = {}): DestinationError =>
    new DestinationError(message, { ...facts, code });

/** The server rejected the user or the password. */
export const loginRejected = failure('destination_login');

/** The user lacks a right. */
export const rightMissing = failure('destination_forbidden');

/** No such database, a table of another program, a server that is too old: nothing was written. */
export const unusable = failure('destination_unusable');

/** No connection, or it was lost. */
export const unreachable = failure('destination_unreachable');

/** The server failed to execute a statement. */
export const statementFailed = failure('destination_failed');
