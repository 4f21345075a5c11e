/** Hands items from one producer to one consumer. The producer waits until its item is taken, so that at most one waits. */
export class Handoff<Item> implements AsyncIterable<Item> {
  readonly #signal: AbortSignal;
  #waiting: { readonly item: Item; readonly taken: () => void } | undefined;
  #isOver = false;
  #wake: () => void = () => {};

  /** `signal` aborts when the consumer has left. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  /** Resolves when the consumer asks for the item after this one. Rejects with the signal's reason when it aborts. */
  async put(item: Item): Promise<void> {
    this.#signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = () => reject(this.#signal.reason);
      this.#signal.addEventListener('abort', leave, { once: true });
      const taken = () => {
        this.#signal.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting = { item, taken };
      this.#wake();
    });
  }

  /** No further item comes. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for (;;) {
      const next = this.#waiting;
      if (next !== undefined) {
        this.#waiting = undefined;
        yield next.item;
        next.taken();
      } else if (this.#isOver) return;
      else
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
    }
  }
}
