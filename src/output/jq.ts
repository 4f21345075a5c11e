import type { Jq } from 'jq-wasm';

/** What ended an expression: jq itself, the memory or the time that it may take, or those before it that took too long. */
export type JqEnd = 'rejected' | 'memory' | 'time' | 'queue';

/** A jq expression that is invalid, or that failed on the data. The message is that of jq, in one line. */
export class JqError extends Error {
  override readonly name = 'JqError';
  readonly end: JqEnd;

  constructor(message: string, { end = 'rejected', cause }: { end?: JqEnd; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.end = end;
  }
}

/** Runs jq; by default the one of this thread. */
type Run = (...args: Parameters<Jq['raw']>) => ReturnType<Jq['raw']> | Promise<ReturnType<Jq['raw']>>;

const runHere: Run = async (...args) => {
  const { raw } = await import('jq-wasm');
  return await raw(...args);
};

/** Throws JqError for an invalid expression, without running it. */
export async function checkJq(expression: string): Promise<void> {
  const { exitCode } = await execute('null', `empty | (\n${expression}\n)`, ['-c']);
  // Run it again as typed, for correct positions in the message.
  if (exitCode !== 0) await runJq('null', expression);
}

/**
 * Filters a JSON text with a jq expression. Each result is one line: strings unquoted, as `gh --jq` prints them, other values as
 * compact JSON with all digits. Empty for no results, else it ends with a line break. Throws JqError if any result fails. Cannot be
 * interrupted, see JqThread.
 */
export async function runJq(jsonText: string, expression: string, run = runHere): Promise<string> {
  // jq would parse an expression with a leading minus as an option.
  const query = expression.startsWith('-') ? ` ${expression}` : expression;
  const { stdout, stderr, exitCode } = await execute(withoutLoneSurrogates(jsonText), query, ['-c'], run);
  if (exitCode !== 0) throw new JqError(reasonIn(stderr) || `jq ended with ${exitCode}`);
  if (stdout === '') return '';
  // Strings are unquoted here instead of by jq, because the library trims blanks at the ends of the output.
  const results = stdout
    .split('\n')
    .map(line => (line.startsWith('"') ? (JSON.parse(line) as string) : line));
  return `${results.join('\n')}\n`;
}

/** Runs jq. When it runs out of memory, it prints an internal error, which is suppressed, and cannot run again in this process. */
async function execute(jsonText: string, query: string, flags: string[], run = runHere) {
  const { error: printError } = console;
  console.error = () => {};
  try {
    return await run(jsonText, query, flags);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    throw new JqError('it ran out of memory', { end: 'memory', cause: error });
  } finally {
    console.error = printError;
  }
}

/** The message of jq, without its name and the position in the data, which is meaningless here. */
function reasonIn(stderr: string): string {
  const [first = ''] = stderr.trim().split('\n');
  return first.replace(/^jq: error(?: \(at [^)]*\))?: /, '').replace(/:$/, '');
}

/** jq rejects documents with a lone surrogate; displays show the replacement character for it anyway. */
function withoutLoneSurrogates(jsonText: string): string {
  return jsonText.replace(
    /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\./g,
    found => (found.length === 6 && /^\\u[dD]/.test(found) ? '\\ufffd' : found),
  );
}
