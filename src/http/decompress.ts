import type { Transform } from 'node:stream';
import { type ContentEncoding, DecodeError, looksCompressed } from './content-encoding.ts';

/** Bytes decoded at a time: each piece is a round trip to the thread pool. */
const PIECE_BYTES = 128 * 1024;

/** RFC 9659: the maximum window of a zstd response, as a power of two. */
const ZSTD_WINDOW_LOG = 23;

/**
 * Decodes a body as it arrives, off the main thread, with a few pieces read ahead. Iterating throws DecodeError and the errors of
 * the body; leaving the loop ends the body too.
 */
export async function* decompressed(
  body: AsyncIterable<Uint8Array>,
  encoding: ContentEncoding,
): AsyncGenerator<Uint8Array> {
  const [{ pipeline }, decoder] = await Promise.all([import('node:stream/promises'), openDecoder(encoding)]);
  const feeding = pipeline(body, decoder);
  // Its error is thrown by the loop below.
  feeding.catch(() => {});
  let isFirst = true;
  try {
    for await (const piece of decoder as AsyncIterable<Uint8Array>) {
      if (isFirst && looksCompressed(piece))
        throw new DecodeError(`the response is compressed more than once`);
      isFirst = false;
      yield piece;
    }
  } catch (error) {
    throw isDecoderError(error)
      ? new DecodeError(`the compressed response is ${isCut(error) ? 'cut' : 'damaged'} (${encoding})`, {
          cause: error,
        })
      : error;
  }
}

async function openDecoder(encoding: ContentEncoding): Promise<Transform> {
  const zlib = await import('node:zlib');
  const options = { chunkSize: PIECE_BYTES, highWaterMark: PIECE_BYTES };
  if (encoding === 'gzip') return zlib.createGunzip(options);
  // Only newer versions of Node have it; older ones do not offer zstd.
  const { createZstdDecompress, constants } = zlib as unknown as {
    readonly createZstdDecompress: (given: object) => Transform;
    readonly constants: { readonly ZSTD_d_windowLogMax: number };
  };
  return createZstdDecompress({ ...options, params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } });
}

function isDecoderError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && /^(?:Z_|ZSTD_|ERR_ZSTD)/.test((error as NodeJS.ErrnoException).code ?? '');
}

function isCut({ code }: NodeJS.ErrnoException): boolean {
  return code === 'Z_BUF_ERROR' || code === 'ZSTD_error_srcSize_wrong';
}
