import { InvalidResponseError } from '../../errors/index.ts';
import { utf8Text } from '../../export/transcode/utf8.ts';
import { printable } from '../../terminal/printable.ts';

/** Longer values are shortened in messages. */
const MOST_SHOWN_BYTES = 50;

/** The JSON value `[from, to)` for a message, shortened. */
export function shownValue(text: DataView, from: number, to: number): string {
  return printable(utf8Text(text, from, Math.min(to, from + MOST_SHOWN_BYTES)));
}

/** The error for rows that do not fit. */
export function invalidRows(message: string): InvalidResponseError {
  return new InvalidResponseError(message, { code: 'unexpected_shape' });
}
