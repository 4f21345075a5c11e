import { ERROR_CODES } from '../errors/codes.ts';
import type { ErrorKind } from '../errors/index.ts';
import { EXIT, exitCodeOfKind } from './exit-codes.ts';

interface ErrorCodeEntry {
  readonly code: string;
  /** The exit code of the command. */
  readonly exit: number;
  readonly means: string;
}

/** Every error code, by exit code. Only help pages and the schema load it. */
export function errorCodes(): ErrorCodeEntry[] {
  const kinds = Object.entries(ERROR_CODES);
  const entries = kinds.flatMap(([kind, codes]) =>
    Object.entries(codes).map(([code, means]) => ({ code, exit: exitOf(kind, code), means })),
  );
  return entries.toSorted((one, other) => one.exit - other.exit);
}

function exitOf(kind: string, code: string): number {
  if (kind === 'internal') return EXIT.internal;
  if (kind === 'interrupted') return code === 'terminated' ? EXIT.terminated : EXIT.interrupted;
  return exitCodeOfKind(kind as Exclude<ErrorKind, 'interrupted'>);
}
