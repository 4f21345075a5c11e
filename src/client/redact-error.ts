import { GatectlError } from '../errors/index.ts';
import { printable, printableBlock } from '../text/printable.ts';
import type { Redactor } from '../text/redactor.ts';

/** How far a chain of causes is followed. */
const MAX_CAUSES = 5;

/**
 * Removes secrets that the server repeated from an error, in place: from message, stack, details and request. Its causes become plain
 * errors with name, code and message, because those of libraries may contain requests and responses. Others are returned unchanged.
 */
export function redactError<Thrown>(error: Thrown, redactor: Redactor): Thrown {
  if (!(error instanceof GatectlError)) return error;
  const redact = (text: string) => printable(redactor.redact(text));
  const { request } = error;
  error.message = redact(error.message);
  if (error.stack !== undefined) error.stack = printableBlock(redactor.redact(error.stack));
  if (request !== undefined) error.request = { ...request, path: redact(request.path) };
  if (error.cause !== undefined) error.cause = plainCause(error.cause, redact, MAX_CAUSES);
  const own = error as {
    apiCode?: string | undefined;
    details?: Readonly<Record<string, string>>[];
    hints: string[];
  };
  if (own.apiCode !== undefined) own.apiCode = redact(own.apiCode);
  own.hints = own.hints.map(redact);
  own.details = own.details?.map(detail =>
    Object.fromEntries(Object.entries(detail).map(([name, text]) => [name, redact(text)])),
  );
  return error;
}

function plainCause(cause: unknown, redact: (text: string) => string, depth: number): Error | undefined {
  if (!(cause instanceof Error) || depth === 0) return undefined;
  const { name, message, code } = cause as NodeJS.ErrnoException;
  const inner = plainCause(cause.cause, redact, depth - 1);
  const plain = new Error(redact(message), inner && { cause: inner });
  plain.stack = `${name}: ${plain.message}`;
  return Object.assign(plain, { name }, code !== undefined && { code });
}
