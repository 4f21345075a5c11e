import { ApiError, GatectlError, type RequestInfo, UsageError } from '../errors/index.ts';
import { stringifyJson } from '../json/index.ts';
import { fold } from '../terminal/fold.ts';
import { printable, printableBlock } from '../terminal/printable.ts';
import { exitCodeOf } from './exit-codes.ts';
import { type ErrorContext, hintsFor, NO_CONTEXT } from './hints.ts';

/** Wrong fields that are listed; -o json has all of them. */
const DETAILS_SHOWN = 20;

/** How an error is to be told. */
export interface FormatOptions {
  readonly json: boolean;
  /** Columns of the terminal that it goes to, if any. */
  readonly width: number | undefined;
  /** With the stack, for `--verbose`. */
  readonly verbose: boolean;
  readonly redact: (text: string) => string;
  readonly bold: (text: string) => string;
}

/** What stderr gets for an error: a few lines for people, or one JSON object for programs. Ends with a line break. */
export function formatError(
  thrown: unknown,
  situation: ErrorContext | undefined,
  telling: FormatOptions,
): string {
  const exit = exitCodeOf(thrown);
  const error = thrown instanceof GatectlError ? thrown : undefined;
  const message =
    error?.message ?? `gatectl itself failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  const shown = telling.redact(message);
  const advice =
    error === undefined
      ? ['this is a fault of gatectl; please report it with the output of the same command and --verbose']
      : hintsFor(error, situation ?? NO_CONTEXT);
  const hints = advice.map(sentence => telling.redact(sentence));
  if (telling.json) return telling.redact(`${errorJson(shown, exit, error, hints)}\n`);

  const lines = [`${telling.bold('error:')} ${printable(shown)}`];
  if (error?.request !== undefined) lines.push(`  in ${requestLine(error.request)}`);
  if (error instanceof ApiError || error instanceof UsageError) {
    for (const { field, origin, message: problem } of error.details.slice(0, DETAILS_SHOWN)) {
      const place = origin === undefined ? field : `${field} (${origin})`;
      lines.push(`  ${printable(telling.redact(`${place}: ${problem}`))}`);
    }
    const hidden = error.details.length - DETAILS_SHOWN;
    if (hidden > 0) lines.push(`  and ${hidden} more`);
  }
  for (const hint of hints) lines.push(`  ${printable(hint)}`);
  const told = lines.map(line => fold(line, telling.width));
  if (telling.verbose && thrown instanceof Error && error === undefined)
    told.push(printableBlock(telling.redact(thrown.stack ?? '')));
  return `${told.join('\n')}\n`;
}

/** `GET /path?query → 403, 3 attempts in 1.2 s`. */
function requestLine({ method, path, status, attempts, elapsedMs }: RequestInfo): string {
  const answer = status === undefined ? 'no answer' : `${status}`;
  const effort =
    attempts === undefined || attempts < 2 || elapsedMs === undefined
      ? ''
      : `, ${attempts} attempts in ${(elapsedMs / 1000).toFixed(1)} s`;
  return `${method} ${printable(path)}: ${answer}${effort}`;
}

function errorJson(
  message: string,
  exit: number,
  error: GatectlError | undefined,
  hints: readonly string[],
): string {
  const details = error instanceof ApiError || error instanceof UsageError ? error.details : [];
  const request = error?.request;
  return stringifyJson({
    error: {
      code: error?.code ?? 'internal',
      message,
      status: request?.status ?? null,
      details: details.map(detail => ({ ...detail })),
      exit,
      hints,
      ...(error?.apiCode !== undefined && { apiCode: error.apiCode }),
      ...(request && { request: `${request.method} ${request.path}` }),
    },
  });
}
