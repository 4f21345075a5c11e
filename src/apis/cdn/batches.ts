import type { NumberedUrl } from './url-list.ts';

/** Consecutive URLs of a list, with their position, for the journal. */
export interface Batch {
  /** Index of its first URL. */
  readonly from: number;
  readonly urls: readonly string[];
}

/** Groups URLs into batches of at most `size` with consecutive indices. */
export async function* contiguousBatches(
  urls: AsyncIterable<readonly NumberedUrl[]>,
  size: number,
): AsyncGenerator<Batch> {
  let from = 0;
  let batch: string[] = [];
  for await (const block of urls) {
    for (const { index, url } of block) {
      if (batch.length === size || (batch.length > 0 && index !== from + batch.length)) {
        yield { from, urls: batch };
        batch = [];
      }
      if (batch.length === 0) from = index;
      batch.push(url);
    }
  }
  if (batch.length > 0) yield { from, urls: batch };
}

/** Splits a batch in half. */
export function halves({ from, urls }: Batch): readonly [Batch, Batch] {
  const middle = Math.ceil(urls.length / 2);
  return [
    { from, urls: urls.slice(0, middle) },
    { from: from + middle, urls: urls.slice(middle) },
  ];
}
