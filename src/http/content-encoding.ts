import { versions } from 'node:process';

/** How the bytes of a response are compressed on the way. */
export type ContentEncoding = 'gzip' | 'zstd';

/** Brotli is left out: its streams have no checksum, so a damaged page of rows could pass for a good one. */
const SUPPORTED: readonly ContentEncoding[] = versions.zstd === undefined ? ['gzip'] : ['zstd', 'gzip'];

/** Error codes: an encoding that can't be decoded, and one that went wrong on the way. */
export const UNSUPPORTED_ENCODING = 'unexpected_encoding';
export const BROKEN_ENCODING = 'broken_encoding';
/** A proxy may drop the header. */
export const HEADER_MISSING = 'the response is compressed, and its Content-Encoding header is missing';

/** Compressed data that is cut, damaged or compressed once more. The message says which. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** The value of Accept-Encoding. Without compression it says so: a request without the header accepts every encoding. */
export function acceptEncoding(compression: boolean): string {
  return compression ? SUPPORTED.join(', ') : 'identity';
}

/** What a Content-Encoding header means to a client that offered `compression`, or did not. */
export type Decoding =
  | { readonly kind: 'none' }
  | { readonly kind: 'supported'; readonly encoding: ContentEncoding }
  | { readonly kind: 'unsupported'; readonly reason: string };

/** Reads a Content-Encoding header. `reason` holds the header's own words: make them printable. */
export function decodingOf(header: string | undefined, compression: boolean): Decoding {
  const names = (header ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '' && name !== 'identity');
  const [name, second] = names;
  if (name === undefined) return { kind: 'none' };
  if (second !== undefined)
    return { kind: 'unsupported', reason: `compressed more than once (${names.join(', ')})` };
  // RFC 9110, 8.4.1.3: x-gzip is another name of gzip.
  const encoding = SUPPORTED.find(known => known === (name === 'x-gzip' ? 'gzip' : name));
  if (encoding === undefined || !compression)
    return { kind: 'unsupported', reason: `compressed (${name}), which was not asked for` };
  return { kind: 'supported', encoding };
}

/** Whether bytes that should be text begin as gzip or zstd data does: a proxy may drop the header that says so. */
export function looksCompressed(start: Uint8Array): boolean {
  const [a, b, c, d] = start;
  return (a === 0x1f && b === 0x8b) || (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd);
}
