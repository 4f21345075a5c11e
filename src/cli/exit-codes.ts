import { BrokenPipeError, type ErrorKind, GatectlError, InterruptedError } from '../errors/index.ts';

/** Exit codes that scripts rely on. */
export const EXIT = {
  success: 0,
  internal: 1,
  usage: 2,
  notGranted: 3,
  auth: 4,
  api: 5,
  network: 6,
  partial: 7,
  rateLimit: 8,
  file: 9,
  interrupted: 130,
  terminated: 143,
} as const;

/** What each exit code means, for help and the schema. */
export const EXIT_CODES: Readonly<Record<keyof typeof EXIT, string>> = {
  success: 'success; for access, any decision unless --exit-code is given',
  internal: 'a bug in gatectl',
  usage: 'invalid options or input, or a declined confirmation; nothing was sent',
  notGranted:
    'access --exit-code: access is not granted; access wait: time limit reached; token inspect --key: not valid; bda watch --exit-code: a metric has an alert',
  auth: 'no API key, a rejected key, or no permission',
  api: 'the API rejected the request',
  network: 'network error, timeout, service unavailable after retries, or an invalid response',
  partial: 'partial success: the failed items are listed in a form that can be retried',
  rateLimit: 'a rate or concurrency limit was still in force after retries',
  file: 'a local file could not be read or written, or a value cannot be stored',
  interrupted: 'interrupted by Ctrl-C (SIGINT); exports and purges can be resumed',
  terminated: 'terminated by SIGTERM; exports and purges can be resumed',
};

const BY_KIND: Record<Exclude<ErrorKind, 'interrupted'>, number> = {
  usage: EXIT.usage,
  auth: EXIT.auth,
  api: EXIT.api,
  network: EXIT.network,
  invalid_response: EXIT.network,
  partial: EXIT.partial,
  rate_limit: EXIT.rateLimit,
  file: EXIT.file,
};

/** The exit code of all errors of a kind. An interruption has that of its signal. */
export function exitCodeOfKind(kind: Exclude<ErrorKind, 'interrupted'>): number {
  return BY_KIND[kind];
}

/** The exit code of whatever was thrown. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof BrokenPipeError) return EXIT.success;
  if (error instanceof InterruptedError)
    return error.signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  if (error instanceof GatectlError && error.kind !== 'interrupted') return exitCodeOfKind(error.kind);
  return EXIT.internal;
}
