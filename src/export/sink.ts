/** Where encoded rows go. Every method may throw FileError or OutputClosed. */
export interface RowSink {
  /** Whether `takeBack` works: what went into a pipe is out. */
  readonly canTakeBack: boolean;
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
    canTakeBack: false,
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
  #made: Uint8Array[] = [];
  #onItsWay: Promise<void> = Promise.resolve();

  constructor(sink: RowSink) {
    this.#sink = sink;
  }

  /** Takes a chunk; it goes out with the next `pass` or `settle`. */
  readonly add = (chunk: Uint8Array): void => {
    this.#made.push(chunk);
  };

  /** Sends what was added. Waits for what was sent before, not for this. */
  async pass(): Promise<void> {
    for (const chunk of this.#made.splice(0)) {
      await this.#onItsWay;
      this.#onItsWay = this.#sink.write(chunk);
      // It is awaited by the next step, which may be far: until then it must not count as unhandled.
      this.#onItsWay.catch(() => {});
    }
  }

  /** Sends what was added and waits until the sink took it. */
  async settle(): Promise<void> {
    await this.pass();
    await this.#onItsWay;
  }
}
