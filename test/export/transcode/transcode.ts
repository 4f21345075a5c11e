import type { PageEnd, TranscoderOptions } from '../../../src/export/transcode/transcoder.ts';
import { RowTranscoder } from '../../../src/export/transcode/transcoder.ts';

export interface Transcoded {
  readonly text: string;
  readonly pages: readonly PageEnd[];
}

/** The bytes of a body in chunks of `size` bytes. */
export function* inChunks(body: string | Uint8Array, size: number): Generator<Uint8Array> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Runs whole bodies, one page each, through one transcoder. */
export function transcode(
  bodies: string | Uint8Array | readonly (string | Uint8Array)[],
  options: Partial<Omit<TranscoderOptions, 'sink'>> = {},
  chunkSize = Number.POSITIVE_INFINITY,
): Transcoded {
  const chunks: Uint8Array[] = [];
  const transcoder = new RowTranscoder({
    format: 'csv',
    columns: [],
    ...options,
    sink: chunk => chunks.push(chunk),
  });
  const pages: PageEnd[] = [];
  for (const body of Array.isArray(bodies) ? bodies : [bodies]) {
    for (const chunk of inChunks(body, chunkSize)) transcoder.write(chunk);
    pages.push(transcoder.endPage());
  }
  transcoder.end();
  return { text: Buffer.concat(chunks).toString('utf8'), pages };
}
