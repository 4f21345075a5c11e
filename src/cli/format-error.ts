import { ApiError, GatectlError, type RequestInfo, UsageError } from '../errors/index.ts';
import { type JsonRecord, stringifyJson } from '../json/index.ts';
import { fold } from '../terminal/fold.ts';
import { printable, printableBlock } from '../text/printable.ts';
import { exitCodeOf } from './exit-codes.ts';
import { type ErrorContext, hintsFor, NO_CONTEXT } from './hints.ts';

/** The most details to print; -o json contains all of them. */
const DETAILS_SHOWN = 20;

/** How to format an error. */
interface FormatOptions {
  readonly json: boolean;
  /** Columns of the terminal; undefined without one. */
  readonly width: number | undefined;
  /** Whether to print the stack of a bug, for `--verbose`. */
  readonly verbose: boolean;
  readonly redact: (text: string) => string;
  readonly bold: (text: string) => string;
}

/** Formats an error for stderr: a few lines for people, or one JSON object for programs. Ends with a line break. */
export function formatError(
  thrown: unknown,
  context: ErrorContext | undefined,
  options: FormatOptions,
): string {
  const { error, shown, hints } = wordsOf(thrown, context, options.redact);
  if (options.json)
    return options.redact(`${stringifyJson({ error: errorData(thrown, context, options.redact) })}\n`);

  const lines = [`${options.bold('error:')} ${printable(shown)}`];
  if (error?.request !== undefined) lines.push(`  in ${requestLine(error.request)}`);
  if (error instanceof ApiError || error instanceof UsageError) {
    for (const { field, origin, message: problem } of error.details.slice(0, DETAILS_SHOWN)) {
      const place = origin === undefined ? field : `${field} (${origin})`;
      lines.push(`  ${printable(options.redact(`${place}: ${problem}`))}`);
    }
    const hidden = error.details.length - DETAILS_SHOWN;
    if (hidden > 0) lines.push(`  and ${hidden} more`);
  }
  const hintLines = hints.map(hint => `  ${printable(hint)}`);
  const excerpt = error instanceof UsageError ? error.excerpt : undefined;
  const folded = [
    ...lines.map(line => fold(line, options.width)),
    // A mark stands below its place only in lines that are not folded.
    ...(excerpt === undefined ? [] : [printableBlock(options.redact(excerpt)).trimEnd()]),
    ...hintLines.map(line => fold(line, options.width)),
  ];
  if (options.verbose && thrown instanceof Error && error === undefined)
    folded.push(printableBlock(options.redact(thrown.stack ?? '')));
  return `${folded.join('\n')}\n`;
}

/** `GET /path?query: 403, 3 attempts in 1.2 s`. */
function requestLine({ method, path, status, attempts, elapsedMs }: RequestInfo): string {
  const outcome = status === undefined ? 'no response' : `${status}`;
  const retries =
    attempts === undefined || attempts < 2 || elapsedMs === undefined
      ? ''
      : `, ${attempts} attempts in ${(elapsedMs / 1000).toFixed(1)} s`;
  return `${method} ${printable(path)}: ${outcome}${retries}`;
}

/** The message and the hints of an error, redacted. */
function wordsOf(thrown: unknown, context: ErrorContext | undefined, redact: (text: string) => string) {
  const error = thrown instanceof GatectlError ? thrown : undefined;
  const message =
    error?.message ?? `gatectl itself failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  const hints =
    error === undefined
      ? ['this is a bug in gatectl; please report it with the output of the same command and --verbose']
      : hintsFor(error, context ?? NO_CONTEXT);
  return { error, shown: redact(message), hints: hints.map(redact) };
}

/** An error for programs, redacted. */
export function errorData(
  thrown: unknown,
  context: ErrorContext | undefined,
  redact: (text: string) => string,
): JsonRecord {
  const { error, shown: message, hints } = wordsOf(thrown, context, redact);
  const details = error instanceof ApiError || error instanceof UsageError ? error.details : [];
  const request = error?.request;
  const redactAll = (texts: object) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, redact(String(text))]));
  return {
    code: error?.code ?? 'internal',
    message,
    status: request?.status ?? null,
    details: details.map(redactAll),
    exit: exitCodeOf(thrown),
    hints,
    ...(error instanceof UsageError && error.excerpt !== undefined && { excerpt: redact(error.excerpt) }),
    ...(error?.apiCode !== undefined && { apiCode: redact(error.apiCode) }),
    ...(request && { request: redact(`${request.method} ${request.path}`) }),
  };
}
