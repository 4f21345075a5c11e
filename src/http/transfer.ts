import type { ContentEncoding } from './content-encoding.ts';

/** The bytes of one response's body so far. */
export class Transfer {
  /** How they are compressed on the way; undefined where they are not. */
  readonly encoding: ContentEncoding | undefined;
  /** As they came over the network. */
  wireBytes = 0;
  #decodedBytes = 0;

  constructor(encoding: ContentEncoding | undefined) {
    this.encoding = encoding;
  }

  /** After decoding. */
  get bytes(): number {
    return this.encoding === undefined ? this.wireBytes : this.#decodedBytes;
  }

  /** The body decoded, and counted on both sides. Iterating throws DecodeError and what the body throws. */
  decoded(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const wire = counted(body, bytes => {
      this.wireBytes += bytes;
    });
    if (this.encoding === undefined) return wire;
    return counted(late(wire, this.encoding), bytes => {
      this.#decodedBytes += bytes;
    });
  }
}

/** Loaded by the first compressed response: a short command does without. */
async function* late(body: AsyncIterable<Uint8Array>, encoding: ContentEncoding): AsyncGenerator<Uint8Array> {
  const { decompressed } = await import('./decompress.ts');
  yield* decompressed(body, encoding);
}

async function* counted(
  body: AsyncIterable<Uint8Array>,
  add: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    add(chunk.length);
    yield chunk;
  }
}
