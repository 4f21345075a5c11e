/**
 * The well-formed sequences of UTF-8 (RFC 3629, section 4), by their first byte. Only the second byte has narrower bounds, which
 * exclude overlong forms, surrogates and code points above U+10FFFF.
 */

/** The number of bytes after `lead` (1 to 3); 0 if no sequence starts with it. */
export function continuationCount(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) return 1;
  return lead < 0xf0 ? 2 : 3;
}

/** The minimum of the byte after `lead`. */
export function secondByteMin(lead: number): number {
  if (lead === 0xe0) return 0xa0;
  return lead === 0xf0 ? 0x90 : 0x80;
}

/** The maximum of the byte after `lead`. */
export function secondByteMax(lead: number): number {
  if (lead === 0xed) return 0x9f;
  return lead === 0xf4 ? 0x8f : 0xbf;
}

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
const ENCODER = new TextEncoder();

/** Decodes the bytes `[from, to)`. */
export function utf8Text(bytes: DataView, from: number, to: number): string {
  return DECODER.decode(new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from));
}

/** Encodes a text; a lone surrogate becomes U+FFFD. */
export function utf8Bytes(text: string): DataView {
  const bytes = ENCODER.encode(text);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
