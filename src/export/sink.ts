import type { RowReceiver } from './transcode/row-receiver.ts';

/** What pages are written to. Every method may throw FileError or BrokenPipeError. */
interface PageSink {
  /** Whether `rollback` works; bytes in a pipe cannot be removed. */
  readonly canTruncate: boolean;
  /** Flushes everything written so far; resolves to the position of the sink, in its own bytes. */
  endPage(): Promise<number>;
  /** Removes everything written after a position that `endPage` returned. */
  rollback(position: number): Promise<void>;
}

/** A destination for encoded rows. */
export interface RowSink extends PageSink {
  /** Whether a chunk may be overwritten once `write` resolves. */
  readonly releasesChunks: boolean;
  write(chunk: Uint8Array): Promise<void>;
}

/** A destination that takes rows itself, as they are read. */
export interface ReceivingSink extends PageSink, RowReceiver {
  /** Writes what it took, where that is much. */
  drain(): Promise<void>;
}

export function receivesRows(sink: RowSink | ReceivingSink): sink is ReceivingSink {
  return 'takeKnown' in sink;
}

/** A sink that cannot be rolled back: stdout, a pipe, memory. */
export function streamSink(write: (chunk: Uint8Array) => Promise<void>): RowSink {
  let position = 0;
  return {
    canTruncate: false,
    releasesChunks: false,
    async write(chunk) {
      await write(chunk);
      position += chunk.length;
    },
    endPage: async () => position,
    rollback: async () => {
      throw new Error('a stream cannot be rolled back');
    },
  };
}

/** What a page's chunks go through. */
export type ChunkQueue = Pick<SinkQueue, 'add' | 'startWriting' | 'flush'>;

/** A queue without chunks, for a sink that takes rows. */
export function drainOf(sink: ReceivingSink): ChunkQueue {
  const drain = async () => await sink.drain();
  return { add: () => {}, startWriting: drain, flush: drain };
}

/** Writes chunks to a sink while the next one is prepared: one write is pending, and the caller waits for the one before. */
export class SinkQueue {
  readonly #sink: RowSink;
  readonly #onDone: (chunk: Uint8Array) => void;
  #queued: Uint8Array[] = [];
  #pending: Promise<void> = Promise.resolve();

  /** `onDone` receives each chunk that the sink no longer uses. */
  constructor(sink: RowSink, onDone: (chunk: Uint8Array) => void) {
    this.#sink = sink;
    this.#onDone = onDone;
  }

  /** Adds a chunk; the next `startWriting` or `flush` writes it. */
  readonly add = (chunk: Uint8Array): void => {
    this.#queued.push(chunk);
  };

  /** Starts writing what was added. Waits for the previous write, not for this one. */
  async startWriting(): Promise<void> {
    for (const chunk of this.#queued.splice(0)) {
      await this.#pending;
      this.#pending = this.#write(chunk);
      // The next step awaits it, which may be much later; until then, a failure must not count as unhandled.
      this.#pending.catch(() => {});
    }
  }

  async #write(chunk: Uint8Array): Promise<void> {
    await this.#sink.write(chunk);
    if (this.#sink.releasesChunks) this.#onDone(chunk);
  }

  /** Writes what was added, and waits until it is written. */
  async flush(): Promise<void> {
    await this.startWriting();
    await this.#pending;
  }
}
