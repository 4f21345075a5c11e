/**
 * - `empty`: only white space; `truncated`: the text ends inside a value; `syntax`: any other syntax error
 * - `duplicate-key`: an object has the same key twice, with different values
 * - `too-deep`: nested deeper than `MAX_DEPTH`
 * - `too-many`: more values than the caller's limit
 */
export type InvalidJsonReason = 'empty' | 'truncated' | 'syntax' | 'duplicate-key' | 'too-deep' | 'too-many';

/** A place in a text: `offset` counts UTF-16 units from 0, `line` and `column` count from 1. */
export interface TextPosition {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** The text is not one valid JSON document. The message is one line, without the position and safe to print. */
export class InvalidJsonError extends Error {
  override readonly name = 'InvalidJsonError';
  readonly reason: InvalidJsonReason;
  readonly position: TextPosition;

  constructor(reason: InvalidJsonReason, message: string, text: string, position: number) {
    super(message);
    this.reason = reason;
    this.position = positionIn(text, position);
  }
}

function positionIn(text: string, position: number): TextPosition {
  const before = text.slice(0, position);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let i = before.indexOf('\n'); i !== -1; i = before.indexOf('\n', i + 1)) line++;
  return { offset: position, line, column: position - lineStart + 1 };
}
