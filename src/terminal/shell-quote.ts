/** Quotes one word for a POSIX shell; words of safe characters stay bare. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Quotes text in which `$NAME` references (given by `variables`) must still expand: double quotes, the rest escaped. */
export function shellQuoteExpanding(text: string, variables: readonly string[]): string {
  const escaped = text.replace(/[\\"`$]/g, '\\$&');
  const expanding = variables.reduce((t, name) => t.replaceAll(`\\$${name}`, `$${name}`), escaped);
  return `"${expanding}"`;
}
