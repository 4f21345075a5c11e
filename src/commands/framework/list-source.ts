/** The source that an argument names where a list is accepted: `-` for stdin, the path of `@FILE`; undefined for anything else. */
export function listSource(word: string): string | undefined {
  if (word === '-') return word;
  return word.startsWith('@') && word.length > 1 ? word.slice(1) : undefined;
}
