/** Quotes one word for a POSIX shell, if it needs quotes. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Quotes text in double quotes, so that references to `variables` (`$NAME`) expand and everything else is literal. */
export function shellQuoteExpanding(text: string, variables: readonly string[]): string {
  const escaped = text.replace(/[\\"`$]/g, '\\$&');
  const expanding = variables.reduce((t, name) => t.replaceAll(`\\$${name}`, `$${name}`), escaped);
  return `"${expanding}"`;
}

/** The quoting function for the user's shell: for PowerShell and cmd on Windows, except in Git Bash; elsewhere for a POSIX shell. */
export function quoterFor({
  platform,
  env,
}: {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}): (word: string) => string {
  return platform === 'win32' && !env.MSYSTEM ? windowsQuote : shellQuote;
}

/** In double quotes both shells agree if nothing expands; other words get PowerShell's single quotes. */
function windowsQuote(word: string): string {
  if (/^[\w+=:./\\-]+$/.test(word)) return word;
  return /^[^"$`%!]*[^"$`%!\\]$/.test(word) ? `"${word}"` : `'${word.replaceAll("'", "''")}'`;
}

/** A quoted part, an escaped or unquoted character, or blanks. */
const POSIX_PIECE = /'([^']*)'|"((?:\\.|[^"\\])*)"|(\\.|[^\s'"\\])|(\s+)/sy;
const WINDOWS_PIECE = /'([^']*)'|"((?:\\"|[^"])*)"|([^\s'"])|(\s+)/sy;

/** The words of a text; see `splitShellWords`. */
interface ShellWords {
  readonly words: readonly string[];
  /** The rest of the text from a quote or backslash without its end. */
  readonly unclosed?: string;
  /** The first character that a shell would interpret, such as `|` outside quotes or `$` in double quotes. */
  readonly special?: string;
}

/**
 * Splits a text into words by a shell's quoting rules, without running a shell: single quotes are literal; in double quotes a
 * backslash escapes `"`, `\`, `$` and a backtick, outside quotes any character. On Windows, where a backslash separates
 * folders, it only escapes `"` in double quotes. Nothing is expanded.
 */
export function splitShellWords(text: string, platform: NodeJS.Platform): ShellWords {
  const isWindows = platform === 'win32';
  const piece = new RegExp(isWindows ? WINDOWS_PIECE : POSIX_PIECE);
  const words: string[] = [];
  let word: string | undefined;
  let special: string | undefined;
  while (piece.lastIndex < text.length) {
    const at = piece.lastIndex;
    const match = piece.exec(text);
    if (match === null) return { words, unclosed: text.slice(at), ...(special && { special }) };
    const [, single, double, bare, blank] = match;
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    special ??= /^[|&;<>`$]$/.exec(bare ?? '')?.[0] ?? /[`$]/.exec(double?.replace(/\\./gs, '') ?? '')?.[0];
    word =
      (word ?? '') +
      (single ?? double?.replace(isWindows ? /\\(")/g : /\\(["\\$`])/g, '$1') ?? bareText(bare));
  }
  if (word !== undefined) words.push(word);
  return { words, ...(special && { special }) };
}

function bareText(bare = ''): string {
  return bare.length === 2 && bare.startsWith('\\') ? bare.slice(1) : bare;
}
