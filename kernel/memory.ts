// What stands where in the kernel's memory. The TypeScript around it reads these from the module, so that they are said once.

/** How many shapes are known at a time. */
export const MAX_SHAPES: i32 = 8;
/** How many fields a row of a known shape has at most, and how many columns there may be. */
export const MAX_FIELDS: i32 = 1024;
/** How many bytes of text all stretches of a shape may have, each filled up to whole vectors. */
export const MAX_STRETCHES_TEXT: i32 = 48 * 1024;
/** How many rows are written at a time. */
export const MAX_ROWS: i32 = 8 * 1024;
/** How much text is taken at a time. */
export const INPUT_BYTES: i32 = 256 * 1024;

/** What may be read or written behind a place, since text is taken up to thirty-two bytes at a time. */
export const BEHIND: i32 = 32;

// A shape: how many fields it has, how many columns are made of it, how they become JSON, how many of its rows
// were written; then the stretches' lengths, the columns' fields and the stretches' text.
export const SHAPE_FIELDS: i32 = 0;
export const SHAPE_COLUMNS: i32 = 4;
export const SHAPE_WAY: i32 = 8;
export const SHAPE_ROWS: i32 = 12;
export const SHAPE_LENGTHS: i32 = 16;
export const SHAPE_FIELD_OF: i32 = SHAPE_LENGTHS + 4 * (MAX_FIELDS + 1);
export const SHAPE_TEXT: i32 = SHAPE_FIELD_OF + 4 * MAX_FIELDS;
export const SHAPE_BYTES: i32 = SHAPE_TEXT + MAX_STRETCHES_TEXT + BEHIND;

// Of each field of the row that was read last: where its value begins, where it ends, what it is.
export const SPAN_BYTES: i32 = 12;

export const SHAPES: i32 = 1024;
export const SPANS: i32 = SHAPES + MAX_SHAPES * SHAPE_BYTES;
/** Eight bytes for each row that was written last. */
export const FINGERPRINTS: i32 = SPANS + MAX_FIELDS * SPAN_BYTES;
export const INPUT: i32 = FINGERPRINTS + 8 * MAX_ROWS;
export const OUTPUT: i32 = INPUT + INPUT_BYTES + BEHIND;
export const OUTPUT_BYTES: i32 = 2 * INPUT_BYTES;
/** For the text of one cell. */
export const SCRATCH: i32 = OUTPUT + OUTPUT_BYTES + BEHIND;
export const END: i32 = SCRATCH + INPUT_BYTES + BEHIND;

/** What the compiler is told to give, see scripts/build/kernel.js. */
const MEMORY_BYTES: i32 = 32 * 64 * 1024;
if (END > MEMORY_BYTES) ERROR('the kernel needs more memory');
