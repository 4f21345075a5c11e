import { type ErrorKind, GatectlError, InterruptedError, OutputClosed } from '../errors/index.ts';

/** Exit codes that scripts rely on. */
export const EXIT = {
  done: 0,
  fault: 1,
  usage: 2,
  noAccess: 3,
  auth: 4,
  refused: 5,
  network: 6,
  partial: 7,
  limited: 8,
  file: 9,
  interrupted: 130,
  terminated: 143,
} as const;

const BY_KIND: Record<Exclude<ErrorKind, 'interrupted'>, number> = {
  usage: EXIT.usage,
  auth: EXIT.auth,
  refused: EXIT.refused,
  network: EXIT.network,
  unusable: EXIT.network,
  partial: EXIT.partial,
  limited: EXIT.limited,
  file: EXIT.file,
};

/** The exit code of whatever was thrown. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof OutputClosed) return EXIT.done;
  if (error instanceof InterruptedError)
    return error.signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  if (error instanceof GatectlError && error.kind !== 'interrupted') return BY_KIND[error.kind];
  return EXIT.fault;
}
