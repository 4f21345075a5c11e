import { open } from '../../../files/disk.ts';

/** Reads files in chunks into two buffers in turn, so that the memory is the same for all of them. */
export class FileChunks {
  readonly #buffers: readonly [Uint8Array, Uint8Array];

  constructor(bytes: number) {
    this.#buffers = [new Uint8Array(bytes), new Uint8Array(bytes)];
  }

  /** The chunks of a file; all but the last are full. A chunk is valid until the next but one. */
  async *of(path: string): AsyncGenerator<Uint8Array, void> {
    const handle = await open(path, 'r');
    try {
      for (let turn = 0; ; turn = 1 - turn) {
        const buffer = this.#buffers[turn as 0 | 1];
        let length = 0;
        for (let read = -1; read !== 0 && length < buffer.length; length += read)
          ({ bytesRead: read } = await handle.read(buffer, length, buffer.length - length));
        if (length > 0) yield buffer.subarray(0, length);
        if (length < buffer.length) return;
      }
    } finally {
      await handle.close();
    }
  }
}
