/** ASCII digits, written into bytes without numbers and strings in between. */

const ZERO = 48;
const NINE = 57;

/** A decimal counter of fixed width that steps in place. */
export class DigitCounter {
  readonly bytes: Buffer;

  /** @throws RangeError when the start needs more digits than the width. */
  constructor(start: number, width: number) {
    const text = String(start).padStart(width, '0');
    if (text.length > width) throw new RangeError(`${start} has more than ${width} digits`);
    this.bytes = Buffer.from(text, 'latin1');
  }

  /** Adds one. */
  step(): void {
    const { bytes } = this;
    let at = bytes.length - 1;
    while (bytes[at] === NINE) {
      bytes[at] = ZERO;
      at -= 1;
    }
    bytes[at] = (bytes[at] ?? ZERO) + 1;
  }
}

/** `size` digits that look random, the same for the same seed. */
export function digitRing(size: number, seed: number): Buffer {
  const bytes = Buffer.alloc(size);
  let state = (seed ^ 0x2545f491) >>> 0;
  for (let index = 0; index < size; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = ZERO + ((state >>> 16) % 10);
  }
  return bytes;
}
