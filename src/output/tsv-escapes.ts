/** The letter after the backslash of an escape, by the escaped byte. */
const LETTERS: Readonly<Record<number, number>> = { 9: 0x74, 10: 0x6e, 13: 0x72, 92: 0x5c };

/**
 * The letter of a TSV escape (`\t`, `\n`, `\r`, `\\`), as read by PostgreSQL's COPY, MySQL's LOAD DATA and ClickHouse's TabSeparated;
 * 0 for a byte that is not escaped. This rule applies to every writer; kernel/text.ts repeats it for the fast path.
 */
export function escapeLetter(byte: number): number {
  return LETTERS[byte] ?? 0;
}

/** The text as a TSV cell: on one line, without a tab. */
export function escapeTsv(text: string): string {
  return text.replace(/[\\\t\n\r]/g, char => `\\${String.fromCharCode(escapeLetter(char.charCodeAt(0)))}`);
}
