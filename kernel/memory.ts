// The layout of the kernel's memory. The TypeScript code reads these addresses from the module, so that they are defined once.

/** Maximum number of known shapes. */
export const MAX_SHAPES: i32 = 8;
/** Maximum number of fields of a row of known shape, and of columns. */
export const MAX_FIELDS: i32 = 1024;
/** Maximum bytes of a shape's text, with each part padded to full vectors. */
export const MAX_STRETCHES_TEXT: i32 = 48 * 1024;
/** Maximum rows of one output. */
export const MAX_ROWS: i32 = 8 * 1024;
/** Maximum bytes of text. */
export const INPUT_BYTES: i32 = 256 * 1024;

/** Padding after a buffer, because up to thirty-two bytes are read or written at a time. */
export const BEHIND: i32 = 32;

// A shape: its number of fields and of columns, how it is written as JSON, the number of its rows in the output; then the lengths
// of its parts, the fields of the columns, and the text of its parts.
export const SHAPE_FIELDS: i32 = 0;
export const SHAPE_COLUMNS: i32 = 4;
export const SHAPE_WAY: i32 = 8;
export const SHAPE_ROWS: i32 = 12;
export const SHAPE_LENGTHS: i32 = 16;
export const SHAPE_FIELD_OF: i32 = SHAPE_LENGTHS + 4 * (MAX_FIELDS + 1);
export const SHAPE_TEXT: i32 = SHAPE_FIELD_OF + 4 * MAX_FIELDS;
export const SHAPE_BYTES: i32 = SHAPE_TEXT + MAX_STRETCHES_TEXT + BEHIND;

// For each field of the row that was read last: the start, the end and the kind of its value.
export const SPAN_BYTES: i32 = 12;

export const SHAPES: i32 = 1024;
export const SPANS: i32 = SHAPES + MAX_SHAPES * SHAPE_BYTES;
/** Eight bytes for each row of the last output. */
export const FINGERPRINTS: i32 = SPANS + MAX_FIELDS * SPAN_BYTES;
export const INPUT: i32 = FINGERPRINTS + 8 * MAX_ROWS;
export const OUTPUT: i32 = INPUT + INPUT_BYTES + BEHIND;
export const OUTPUT_BYTES: i32 = 2 * INPUT_BYTES;
/** For the text of one cell. */
export const SCRATCH: i32 = OUTPUT + OUTPUT_BYTES + BEHIND;
export const END: i32 = SCRATCH + INPUT_BYTES + BEHIND;

/** The addresses to export, see scripts/build/kernel.js. */
const MEMORY_BYTES: i32 = 32 * 64 * 1024;
if (END > MEMORY_BYTES) ERROR('the kernel needs more memory');
