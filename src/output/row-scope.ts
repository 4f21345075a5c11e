import { counted, type Sentence, sentence } from './sentence.ts';

/** Some of the rows that a query matches. */
export interface RowScope {
  /** How many matching rows come before them. */
  readonly start: number;
  readonly count: number;
  /** How many rows match, where it is known. */
  readonly total: number | undefined;
}

/** What a table or a chart without rows says. */
export const NO_ROWS = 'no rows match';

/** `the first 10 of 28 rows`, and after an offset `rows 2 to 11 of 28`. */
export function someRows(scope: RowScope): Sentence {
  const { start, count, total } = scope;
  const of = total === undefined || total < start + count ? '' : sentence` of ${total}`;
  if (start === 0) return sentence`the first ${count}${of} rows`;
  if (count === 0) return noRows(scope);
  return count === 1 ? sentence`row ${start + 1}${of}` : sentence`rows ${start + 1} to ${start + count}${of}`;
}

/** The same as a line of its own. */
export function someRowsLine(scope: RowScope): Sentence {
  const text = someRows(scope);
  if (typeof text === 'string') return text;
  const [first, ...others] = text.parts;
  const begin = String(first).replace(/^the /, '');
  return { parts: [begin.charAt(0).toUpperCase() + begin.slice(1), ...others] };
}

/** Why there are no rows: none match, or the offset skips all that do. */
export function noRows({ start, total }: Pick<RowScope, 'start' | 'total'>): Sentence {
  if (start === 0 || total === 0) return NO_ROWS;
  if (total === undefined || total > start) return sentence`no rows match after the first ${start}`;
  const skipped = total === 1 ? 'the only row' : sentence`all ${counted(total, 'row')}`;
  return sentence`the offset of ${start} skips ${skipped}`;
}
