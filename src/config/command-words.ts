import type { Checked } from './values.ts';

/** A quoted part, an unquoted character, or blanks. */
const POSIX_PIECE = /'([^']*)'|"((?:\\.|[^"\\])*)"|(\\.|[^\s'"\\])|(\s+)/s.source;
const WINDOWS_PIECE = /'([^']*)'|"((?:\\"|[^"])*)"|([^\s'"])|(\s+)/s.source;

/**
 * Splits a command typed as one text into its words, with a shell's quotes but no shell: single quotes take all literally,
 * in double quotes a backslash escapes `"`, `\`, `$` and a back quote, and outside quotes the next character. On Windows, where it
 * separates folders, a backslash only escapes `"` in double quotes. What only a shell could do is refused, not passed on.
 */
export function commandWords(
  text: string,
  platform: NodeJS.Platform,
): Checked<readonly [string, ...string[]]> {
  const piece = new RegExp(platform === 'win32' ? WINDOWS_PIECE : POSIX_PIECE, 'sy');
  const words: string[] = [];
  let word: string | undefined;
  while (piece.lastIndex < text.length) {
    const at = piece.lastIndex;
    const match = piece.exec(text);
    if (match === null)
      return {
        problem: `has a quote or backslash without its end: ${text.slice(at)}`,
        hint: 'close the quote',
      };
    const [, single, double, bare, blank] = match;
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    if (bare !== undefined && /^[|&;<>`$]$/.test(bare)) return needsShell(bare);
    const expanded = /[`$]/.exec(double?.replace(/\\./gs, '') ?? '');
    if (expanded !== null) return needsShell(expanded[0]);
    word = (word ?? '') + (single ?? unescaped(double, platform) ?? unescapedBare(bare, platform));
  }
  if (word !== undefined) words.push(word);
  const [program, ...rest] = words;
  if (!program) return { problem: 'is empty', hint: "type a command, such as 'pass show gateway'" };
  if (program.startsWith('~'))
    return { problem: 'starts with ~, which only a shell understands', hint: 'type the whole path' };
  return { value: [program, ...rest] };
}

function needsShell(sign: string): { problem: string; hint: string } {
  return {
    problem: `has ${sign} in it, which only a shell understands`,
    hint: `quote it with single quotes if it is meant literally, or put the command into a script`,
  };
}

function unescaped(double: string | undefined, platform: NodeJS.Platform): string | undefined {
  return double?.replace(platform === 'win32' ? /\\(")/g : /\\(["\\$`])/g, '$1');
}

function unescapedBare(bare: string | undefined, platform: NodeJS.Platform): string {
  return bare === undefined ? '' : platform === 'win32' || bare.length < 2 ? bare : bare.slice(1);
}
