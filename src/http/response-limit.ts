/** How large one JSON document may be. A response beyond either limit is an InvalidResponse, whatever it holds. */
export interface ResponseLimit {
  readonly bytes: number;
  /** Arrays, objects, strings, numbers and words together: what parsing costs depends on them more than on bytes. */
  readonly values: number;
}

const MEBIBYTE = 1024 * 1024;

/** A decision, a token, a confirmation: a few fields, with room for fields that a later version adds. */
export const SMALL_RESPONSE: ResponseLimit = { bytes: MEBIBYTE, values: 20_000 };

/** Everything that an account has of one kind: domains, columns, segments, purchases. */
export const LISTING_RESPONSE: ResponseLimit = { bytes: 16 * MEBIBYTE, values: 400_000 };

/** Rows that are needed all at once, and calls of `gatectl api`, whose response may be anything. */
export const LARGE_RESPONSE: ResponseLimit = { bytes: 64 * MEBIBYTE, values: 2_000_000 };
