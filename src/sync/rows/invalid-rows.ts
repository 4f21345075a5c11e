import { InvalidResponseError } from '../../errors/index.ts';
import { utf8Text } from '../../export/transcode/utf8.ts';
import { shortened } from '../../text/shortened.ts';

/** Longer values are shortened in messages. */
const MOST_SHOWN = 50;
const MOST_READ_BYTES = 4 * MOST_SHOWN;

/** The JSON value `[from, to)` for a message, shortened. */
export function shownValue(text: DataView, from: number, to: number): string {
  return shortened(utf8Text(text, from, Math.min(to, from + MOST_READ_BYTES)), MOST_SHOWN);
}

/** The error for rows that do not fit. */
export function invalidRows(message: string): InvalidResponseError {
  return new InvalidResponseError(message, { code: 'unexpected_shape' });
}
