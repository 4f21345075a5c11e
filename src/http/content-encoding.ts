/** The compression of a response. */
export type ContentEncoding = 'gzip' | 'zstd';

/**
 * Brotli is not offered: its streams have no checksum, so a damaged page of rows could be accepted. The checksum of zstd is
 * optional, and verified where the server sends it.
 */
const SUPPORTED: readonly ContentEncoding[] =
  globalThis.process?.versions.zstd === undefined ? ['gzip'] : ['zstd', 'gzip'];

/** Error codes: an unsupported encoding, and compressed data that is damaged. */
export const UNSUPPORTED_ENCODING = 'unexpected_encoding';
export const BROKEN_ENCODING = 'broken_encoding';
/** A proxy may remove the header. */
export const HEADER_MISSING = 'the response is compressed, and its Content-Encoding header is missing';

/** Compressed data that is truncated, damaged or compressed twice; the message says which. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/**
 * The value of Accept-Encoding. Without compression it is `identity`, because a request without the header accepts every
 * encoding.
 */
export function acceptEncoding(compression: boolean): string {
  return compression ? SUPPORTED.join(', ') : 'identity';
}

/** The meaning of a Content-Encoding header for a client that offered `compression` or not. */
type Decoding =
  | { readonly kind: 'none' }
  | { readonly kind: 'supported'; readonly encoding: ContentEncoding }
  | { readonly kind: 'unsupported'; readonly reason: string };

/** Parses a Content-Encoding header. `reason` quotes the header and is not printable yet. */
export function decodingOf(header: string | undefined, compression: boolean): Decoding {
  const names = (header ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '' && name !== 'identity');
  const [name, second] = names;
  if (name === undefined) return { kind: 'none' };
  if (second !== undefined)
    return { kind: 'unsupported', reason: `compressed more than once (${names.join(', ')})` };
  // RFC 9110, 8.4.1.3: x-gzip is an alias of gzip.
  const encoding = SUPPORTED.find(known => known === (name === 'x-gzip' ? 'gzip' : name));
  if (encoding === undefined || !compression)
    return { kind: 'unsupported', reason: `compressed (${name}), which was not requested` };
  return { kind: 'supported', encoding };
}

/** Whether bytes that should be text start like gzip or zstd data: a proxy may remove the header. */
export function looksCompressed(start: Uint8Array): boolean {
  const [a, b, c, d] = start;
  return (a === 0x1f && b === 0x8b) || (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd);
}
