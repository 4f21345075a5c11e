import { BrokenPipeError, type ErrorKind, GatectlError, InterruptedError } from '../errors/index.ts';

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

/** What each code tells, for people and for the schema. */
export const EXIT_CODES: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done; for access, whatever the decision',
  fault: 'a fault of gatectl itself',
  usage: 'usage: wrong flags or input, or a confirmation refused, found before anything was sent',
  noAccess: 'access --exit-code: the decision is not allowed',
  auth: 'no key, a key that was refused, or not entitled',
  refused: 'the API refused the request',
  network: "network, time limit, service unavailable, or an answer that can't be used",
  partial: 'partly done: what failed is listed, and can be fed back in',
  limited: 'a rate or concurrency limit was still in force after the retries',
  file: 'a local file could not be read or written',
  interrupted: 'interrupted by Ctrl-C (SIGINT); what can be gone on with is kept',
  terminated: 'ended by SIGTERM; what can be gone on with is kept',
};

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
  if (error instanceof BrokenPipeError) return EXIT.done;
  if (error instanceof InterruptedError)
    return error.signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  if (error instanceof GatectlError && error.kind !== 'interrupted') return BY_KIND[error.kind];
  return EXIT.fault;
}
