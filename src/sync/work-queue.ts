/** Items of a source, and items that the work on others adds. */
export class WorkQueue<Item> implements AsyncIterable<Item> {
  readonly #source: Iterator<Item> | AsyncIterator<Item>;
  readonly #added: Item[] = [];
  #working = 0;
  #isSourceDone = false;
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(source: Iterable<Item> | AsyncIterable<Item>) {
    this.#source =
      Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  }

  /** Call it when an item is done, with the items that it adds; they precede the rest of the source. */
  done(added: readonly Item[]): void {
    this.#added.push(...added);
    this.#working -= 1;
    this.#wake();
  }

  /** Ends the iteration, because the work on an item failed. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Ends when the source is done and no item is worked on. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    while (!this.#isClosed) {
      const next = this.#added.shift() ?? (await this.#fromSource());
      if (next !== undefined) {
        this.#working += 1;
        yield next;
      } else if (this.#added.length === 0) {
        if (this.#working === 0) return;
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
      }
    }
  }

  async #fromSource(): Promise<Item | undefined> {
    if (this.#isSourceDone) return undefined;
    const step = await this.#source.next();
    if (!step.done) return step.value;
    this.#isSourceDone = true;
    return undefined;
  }
}
