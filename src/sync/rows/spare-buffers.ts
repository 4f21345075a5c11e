import { ByteBuffer } from '../../export/transcode/byte-buffer.ts';

/** Room for rows at first: a unit may have a thousand partitions with a few rows each. */
const FIRST_BYTES = 16 * 1024;
const MOST_SPARE = 2;

const spare: ByteBuffer[] = [];

/** An empty buffer for the rows of a partition. Memory that is used again does not let V8 collect garbage. */
export function takeBuffer(): ByteBuffer {
  return spare.pop() ?? new ByteBuffer(FIRST_BYTES);
}

/** Accepts a buffer that is no longer used. */
export function giveBuffer(buffer: ByteBuffer): void {
  if (spare.length === MOST_SPARE) return;
  buffer.clear();
  spare.push(buffer);
}
