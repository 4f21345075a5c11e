/** The expression failed: it does not compile, or it met data that it can't handle. The message is jq's own, in one line. */
export class JqError extends Error {
  override readonly name = 'JqError';
}

/** Throws JqError for an expression that does not compile; nothing of it is run. */
export async function checkJq(expression: string): Promise<void> {
  const { exitCode } = await execute('null', `empty | (\n${expression}\n)`, ['-c']);
  // Once more as it was typed: the place in jq's message counts from there.
  if (exitCode !== 0) await runJq('null', expression);
}

/**
 * Filters one JSON text with a jq expression. Each result is a line: strings bare, as `gh --jq` prints them, all else
 * as compact JSON with the digits of the input. Empty when there is no result, or else it ends with a line break.
 * Throws JqError, also when only a later result fails. It runs to its end once started: nothing can interrupt it.
 */
export async function runJq(jsonText: string, expression: string): Promise<string> {
  // A leading minus would make jq take the expression for an option.
  const query = expression.startsWith('-') ? ` ${expression}` : expression;
  const { stdout, stderr, exitCode } = await execute(withoutLoneSurrogates(jsonText), query, ['-c']);
  if (exitCode !== 0) throw new JqError(reasonIn(stderr) || `jq ended with ${exitCode}`);
  if (stdout === '') return '';
  // Strings are unquoted here, and not by jq, because the library trims blanks off the ends of what jq prints.
  const results = stdout
    .split('\n')
    .map(line => (line.startsWith('"') ? (JSON.parse(line) as string) : line));
  return `${results.join('\n')}\n`;
}

/** Runs jq. Where its memory runs out it can't be run again in this process, and it says so by itself, in words of its compiler. */
async function execute(jsonText: string, query: string, flags: string[]) {
  const { raw } = await import('jq-wasm');
  const { error: printError } = console;
  console.error = () => {};
  try {
    return await raw(jsonText, query, flags);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    throw new JqError('it ran out of memory', { cause: error });
  } finally {
    console.error = printError;
  }
}

/** What jq says, without its name and the place in the data, which is always the whole. */
function reasonIn(stderr: string): string {
  const [first = ''] = stderr.trim().split('\n');
  return first.replace(/^jq: error(?: \(at [^)]*\))?: /, '').replace(/:$/, '');
}

/** jq refuses a whole document over half a surrogate pair; the replacement character is what any display makes of it. */
function withoutLoneSurrogates(jsonText: string): string {
  return jsonText.replace(
    /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\./g,
    found => (found.length === 6 && /^\\u[dD]/.test(found) ? '\\ufffd' : found),
  );
}
