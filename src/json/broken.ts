/**
 * - `empty`: nothing but blanks; `cut`: it ends in the middle; `syntax`: some other text than JSON
 * - `duplicate-key`: one object gives the same key two different values, so either could be meant
 * - `too-deep`: nested deeper than any answer has reason to be
 * - `too-many`: more values than the reader of the text has room for
 */
export type BrokenReason = 'empty' | 'cut' | 'syntax' | 'duplicate-key' | 'too-deep' | 'too-many';

/** Where in a text: `position` counts UTF-16 units from 0, `line` and `column` count from 1. */
export interface TextPlace {
  readonly position: number;
  readonly line: number;
  readonly column: number;
}

/** The text is not one JSON document. The message is one lower-case line without the place, safe to print. */
export class BrokenJson extends Error {
  override readonly name = 'BrokenJson';
  readonly reason: BrokenReason;
  readonly place: TextPlace;

  constructor(reason: BrokenReason, message: string, text: string, position: number) {
    super(message);
    this.reason = reason;
    this.place = placeIn(text, position);
  }
}

function placeIn(text: string, position: number): TextPlace {
  const before = text.slice(0, position);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let i = before.indexOf('\n'); i !== -1; i = before.indexOf('\n', i + 1)) line++;
  return { position, line, column: position - lineStart + 1 };
}
