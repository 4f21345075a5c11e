import type { NumberedUrl } from './url-list.ts';

/** URLs with their place in the list, so that what is done can be remembered. */
export interface Batch {
  /** Index of its first URL. */
  readonly from: number;
  readonly urls: readonly string[];
}

/** Groups URLs in their order: each is in exactly one batch of at most `size`, and a batch never spans a gap. */
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

/** Both halves of a batch, the first one longer where they can't be equal. */
export function halves({ from, urls }: Batch): readonly [Batch, Batch] {
  const middle = Math.ceil(urls.length / 2);
  return [
    { from, urls: urls.slice(0, middle) },
    { from: from + middle, urls: urls.slice(middle) },
  ];
}
