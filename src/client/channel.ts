/** An unbuffered channel: items pass from one producer to one consumer, and `send` waits until its item is taken. */
export class Channel<Item> implements AsyncIterable<Item> {
  readonly #signal: AbortSignal;
  #waiting: { readonly item: Item; readonly taken: () => void } | undefined;
  #isClosed = false;
  #wake: () => void = () => {};

  /** `signal` aborts when the consumer has left. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  /** Resolves when the consumer asks for the item after this one. Rejects with the signal's reason when it aborts. */
  async send(item: Item): Promise<void> {
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

  /** Ends the iteration after the items sent so far. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for (;;) {
      const next = this.#waiting;
      if (next !== undefined) {
        this.#waiting = undefined;
        yield next.item;
        next.taken();
      } else if (this.#isClosed) return;
      else
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
    }
  }
}
