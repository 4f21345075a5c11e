import type { ContentEncoding } from './content-encoding.ts';

/** The bytes of one response's body so far. */
export class Transfer {
  /** Its compression; undefined if it is not compressed. */
  readonly encoding: ContentEncoding | undefined;
  /** Bytes as received. */
  wireBytes = 0;
  #decodedBytes = 0;

  constructor(encoding: ContentEncoding | undefined) {
    this.encoding = encoding;
  }

  /** Bytes after decoding. */
  get bytes(): number {
    return this.encoding === undefined ? this.wireBytes : this.#decodedBytes;
  }

  /** Decodes the body and counts its bytes before and after. Iterating throws DecodeError and the errors of the body. */
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

/** Loaded by the first compressed response, because short commands rarely need it. */
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
