import { PartialError } from '../errors/index.ts';
import { groupDigits } from '../terminal/numbers.ts';
import type { Page } from './plan.ts';

/** A server that ignores the offset returns the same rows for every page. Nothing is kept, because resuming would repeat them. */
export class RepeatedPageError extends PartialError {
  constructor({ offset, limit }: Page) {
    super(
      `the page of ${groupDigits(limit)} rows from offset ${groupDigits(offset)} repeats the page before it: the server ignores the offset`,
      { code: 'page_repeated' },
    );
  }
}
