/** Where encoded rows go. Every method may throw FileError or BrokenPipeError. */
export interface RowSink {
  /** Whether `takeBack` works: what went into a pipe is out. */
  readonly canTruncate: boolean;
  /** Whether a chunk is out of its hands once `write` resolves, so that its memory may be written over. */
  readonly keepsNothing: boolean;
  write(chunk: Uint8Array): Promise<void>;
  /** Brings all that was written to where it belongs; resolves to the sink's position, in bytes of its own. */
  endPage(): Promise<number>;
  /** Takes back what was written after a position that `endPage` gave. */
  takeBack(position: number): Promise<void>;
}

/** A sink for what can't be taken back: standard output, a pipe, memory. */
export function streamSink(write: (chunk: Uint8Array) => Promise<void>): RowSink {
  let position = 0;
  return {
    canTruncate: false,
    keepsNothing: false,
    async write(chunk) {
      await write(chunk);
      position += chunk.length;
    },
    endPage: async () => position,
    takeBack: async () => {
      throw new Error('what was written to a stream is out');
    },
  };
}

/** Hands chunks to a sink while the next one is made: one is on its way, and the caller waits for the one before. */
export class SinkQueue {
  readonly #sink: RowSink;
  readonly #onDone: (chunk: Uint8Array) => void;
  #made: Uint8Array[] = [];
  #onItsWay: Promise<void> = Promise.resolve();

  /** `onDone` gets each chunk that the sink is done with. */
  constructor(sink: RowSink, onDone: (chunk: Uint8Array) => void) {
    this.#sink = sink;
    this.#onDone = onDone;
  }

  /** Takes a chunk; it goes out with the next `pass` or `settle`. */
  readonly add = (chunk: Uint8Array): void => {
    this.#made.push(chunk);
  };

  /** Sends what was added. Waits for what was sent before, not for this. */
  async pass(): Promise<void> {
    for (const chunk of this.#made.splice(0)) {
      await this.#onItsWay;
      this.#onItsWay = this.#write(chunk);
      // It is awaited by the next step, which may be far: until then it must not count as unhandled.
      this.#onItsWay.catch(() => {});
    }
  }

  async #write(chunk: Uint8Array): Promise<void> {
    await this.#sink.write(chunk);
    if (this.#sink.keepsNothing) this.#onDone(chunk);
  }

  /** Sends what was added and waits until the sink took it. */
  async settle(): Promise<void> {
    await this.pass();
    await this.#onItsWay;
  }
}
