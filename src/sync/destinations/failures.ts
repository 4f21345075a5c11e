import { DestinationError } from '../../errors/index.ts';

interface Facts {
  readonly cause?: unknown;
  readonly hints?: readonly string[];
  readonly isOfSites?: boolean;
}

/** The server rejected the user or the password. */
export function loginRejected(message: string, facts: Facts = {}): DestinationError {
  return new DestinationError(message, { ...facts, kind: 'auth', code: 'destination_login' });
}

/** The user lacks a right. */
export function rightMissing(message: string, facts: Facts = {}): DestinationError {
  return new DestinationError(message, { ...facts, kind: 'auth', code: 'destination_forbidden' });
}

/** No such database, a table of another program, a server that is too old: nothing was written. */
export function unusable(message: string, facts: Facts = {}): DestinationError {
  return new DestinationError(message, { ...facts, kind: 'usage', code: 'destination_unusable' });
}

/** No connection, or it was lost. */
export function unreachable(message: string, facts: Facts = {}): DestinationError {
  return new DestinationError(message, { ...facts, kind: 'network', code: 'destination_unreachable' });
}

/** The server failed to execute a statement. */
export function statementFailed(message: string, facts: Facts = {}): DestinationError {
  return new DestinationError(message, { ...facts, kind: 'network', code: 'destination_failed' });
}
