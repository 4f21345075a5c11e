/** What the user should know about how a list was read. */
export type OpenedNote =
  | {
      /** It is read as Windows-1252, which nothing names. */
      readonly kind: 'windows';
      /** Undefined for a list that is no file. */
      readonly name: string | undefined;
      /** Whether a flag names another encoding. */
      readonly hasFlag: boolean;
    }
  | { readonly kind: 'sheet'; readonly name: string; readonly count: number };

/** The note in English. */
export function openedText(note: OpenedNote): string {
  if (note.kind === 'sheet') return `reading the sheet ${note.name}, one of ${note.count}`;
  const other = note.hasFlag ? '; --encoding names another' : '';
  return `${note.name ?? 'the list'} is not UTF-8 text and is read as Windows-1252, as Excel saves CSV${other}`;
}
