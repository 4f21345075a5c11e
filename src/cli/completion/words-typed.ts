/** The value that some words of a command line give an option, in either form; undefined where none does. */
export function optionIn(words: readonly string[], names: readonly string[]): string | undefined {
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const word = words[at] ?? '';
    if (names.includes(word)) return words[at + 1];
    const name = names.find(name => name.startsWith('--') && word.startsWith(`${name}=`));
    if (name !== undefined) return word.slice(name.length + 1);
  }
  return undefined;
}
