import { createHmac } from 'node:crypto';

/** In characters. */
export const HASH_LENGTH = 22;

/** Recognises a reader in stored results without storing the address: a keyed hash, 128 bits as base64url. */
export type ReaderHash = (...identity: readonly string[]) => string;

/** Hashes under the key of this machine; `scope` separates what may be compared. */
export function readerHash(key: Buffer, scope: readonly string[]): ReaderHash {
  return (...identity) =>
    createHmac('sha256', key)
      .update(JSON.stringify([scope, identity]))
      .digest('base64url')
      .slice(0, HASH_LENGTH);
}
