/** The global variable that counts what was reached. */
export const COVERAGE = '__coverage__';
/** Bytes of an input. */
export const MAX_INPUT = 2048;
/** Maximum bytes of an input in the corpus. */
export const MAX_KEPT = 256;
