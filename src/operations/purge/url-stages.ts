import type { NumberedUrl } from '../../apis/cdn/url-list.ts';

/** Splits a list of URLs into consecutive stages without reading all of it. */
export class UrlStages {
  readonly #blocks: AsyncIterator<readonly NumberedUrl[]>;
  #buffered: NumberedUrl[] = [];

  constructor(urls: AsyncIterable<readonly NumberedUrl[]>) {
    this.#blocks = urls[Symbol.asyncIterator]();
  }

  /** The next URLs, which `take` returns again. */
  async peek(count: number): Promise<readonly NumberedUrl[]> {
    while (this.#buffered.length < count) {
      const next = await this.#blocks.next();
      if (next.done) break;
      this.#buffered.push(...next.value);
    }
    return this.#buffered.slice(0, count);
  }

  /** Stops reading the list. */
  async close(): Promise<void> {
    await this.#blocks.return?.();
  }

  /** The next `count` URLs, in blocks. */
  async *take(count: number): AsyncGenerator<readonly NumberedUrl[]> {
    for (let left = count; left > 0; ) {
      if (this.#buffered.length === 0 && (await this.peek(1)).length === 0) return;
      const block = this.#buffered.slice(0, left);
      this.#buffered = this.#buffered.slice(left);
      left -= block.length;
      yield block;
    }
  }
}

/** The sizes of the stages of `total` URLs, for ascending shares from 0 to 1. */
export function stageSizes(total: number, shares: readonly number[]): number[] {
  const ends = shares.map(share => Math.min(total, Math.ceil(total * share)));
  return ends.map((end, index) => end - (ends[index - 1] ?? 0));
}
