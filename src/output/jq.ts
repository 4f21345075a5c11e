/** The expression failed: it does not compile, or it met data that it can't handle. The message is jq's own. */
export class JqError extends Error {
  override readonly name = 'JqError';
}

/**
 * Filters one JSON text with a jq expression. Each result is a line: strings bare, as `gh --jq` prints them, all else
 * as compact JSON with the digits of the input. Empty when there is no result, or else it ends with a line break.
 * Throws JqError, also when only a later result fails. It runs to its end once started: nothing can interrupt it.
 */
export async function runJq(jsonText: string, expression: string): Promise<string> {
  const { raw } = await import('jq-wasm');
  // A leading minus would make jq take the expression for an option.
  const query = expression.startsWith('-') ? ` ${expression}` : expression;
  const { stdout, stderr, exitCode } = await raw(withoutLoneSurrogates(jsonText), query, ['-c']);
  if (exitCode !== 0) throw new JqError(stderr.trim() || `jq ended with ${exitCode}`);
  if (stdout === '') return '';
  // Strings are unquoted here, and not by jq, because the library trims blanks off the ends of what jq prints.
  const results = stdout
    .split('\n')
    .map(line => (line.startsWith('"') ? (JSON.parse(line) as string) : line));
  return `${results.join('\n')}\n`;
}

/** jq refuses a whole document over half a surrogate pair; the replacement character is what any display makes of it. */
function withoutLoneSurrogates(jsonText: string): string {
  return jsonText.replace(
    /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\./g,
    found => (found.length === 6 && /^\\u[dD]/.test(found) ? '\\ufffd' : found),
  );
}
