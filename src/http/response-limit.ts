/** Maximum size of one JSON document. A larger response is an InvalidResponseError. */
export interface ResponseLimit {
  readonly bytes: number;
  /** Maximum number of values, including keys: the cost of parsing depends on them more than on bytes. */
  readonly values: number;
}

const MEBIBYTE = 1024 * 1024;

/** For a decision, a token or a confirmation: a few fields, with room for fields of later versions. */
export const SMALL_RESPONSE: ResponseLimit = { bytes: MEBIBYTE, values: 20_000 };

/** For a listing of an account: domains, columns, segments, purchases. */
export const LISTING_RESPONSE: ResponseLimit = { bytes: 16 * MEBIBYTE, values: 400_000 };

/** For rows that are needed all at once, and for any response to `gatectl api`. */
export const LARGE_RESPONSE: ResponseLimit = { bytes: 64 * MEBIBYTE, values: 2_000_000 };
