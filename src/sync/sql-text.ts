/** A name in SQL, in double quotes. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text in SQL, in single quotes. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
