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

/** Quotes one word for the shell that the user most likely types it into: on Windows PowerShell or cmd, elsewhere and in Git Bash a POSIX one. */
export function quoterFor({
  platform,
  env,
}: {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}): (word: string) => string {
  return platform === 'win32' && !env.MSYSTEM ? windowsQuote : shellQuote;
}

/** Double quotes mean the same to both shells as long as nothing expands in them; for all else PowerShell's single quotes. */
function windowsQuote(word: string): string {
  if (/^[\w+=:./\\-]+$/.test(word)) return word;
  return /^[^"$`%!]*[^"$`%!\\]$/.test(word) ? `"${word}"` : `'${word.replaceAll("'", "''")}'`;
}
