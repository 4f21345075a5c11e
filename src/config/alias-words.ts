/** A quoted part, an escaped or plain character, or blanks. On Windows a backslash separates folders and escapes nothing. */
const POSIX_PIECE = /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])|([^\s'"\\])|(\s+)/y;
const WINDOWS_PIECE = /'([^']*)'|"([^"]*)"|(?!)(.)|([^\s'"])|(\s+)/y;
const PLACEHOLDER = /\$([1-9]\d*)/g;
const REST = '$@';

/** Splits what an alias stands for into words, by a shell's quotes alone. Undefined when a quote is left open. */
export function aliasWords(expansion: string, platform: NodeJS.Platform): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  const isWindows = platform === 'win32';
  const piece = new RegExp(isWindows ? WINDOWS_PIECE : POSIX_PIECE);
  while (piece.lastIndex < expansion.length) {
    const match = piece.exec(expansion);
    if (match === null) return undefined;
    const [, single, double, escaped, plain, blank] = match;
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word =
        (word ?? '') +
        (single ?? (isWindows ? double : double?.replace(/\\(["\\])/g, '$1')) ?? escaped ?? plain ?? '');
    }
  }
  return word === undefined ? words : [...words, word];
}

/**
 * An alias' words with arguments in place: `$1` is the first one, `$@` as a word of its own all that no number takes; without
 * `$@` those follow at the end. A number is how many arguments the alias wants where there are fewer.
 */
export function withArguments(words: readonly string[], args: readonly string[]): readonly string[] | number {
  const numbers = words.flatMap(word => [...word.matchAll(PLACEHOLDER)].map(([, digits]) => Number(digits)));
  const wanted = Math.max(0, ...numbers);
  if (args.length < wanted) return wanted;
  const rest = args.slice(wanted);
  const placed = words.flatMap(word =>
    word === REST ? rest : [word.replace(PLACEHOLDER, (_, digits: string) => args[Number(digits) - 1] ?? '')],
  );
  return words.includes(REST) ? placed : [...placed, ...rest];
}
