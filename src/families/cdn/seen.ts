const EMPTY_SLOT = 0n;

/**
 * Remembers which texts were seen, eight bytes each, so that a million URLs fit in sixteen megabytes. Two different
 * texts are taken for one with a chance of about one in ten million among a million URLs.
 */
export class Seen {
  #slots = new BigUint64Array(1 << 12);
  #size = 0;

  /** True when the text was not seen before. */
  add(text: string): boolean {
    if (this.#size * 2 >= this.#slots.length) this.#grow();
    const isNew = insert(this.#slots, fingerprint(text));
    if (isNew) this.#size += 1;
    return isNew;
  }

  #grow(): void {
    const larger = new BigUint64Array(this.#slots.length * 2);
    for (const print of this.#slots) if (print !== EMPTY_SLOT) insert(larger, print);
    this.#slots = larger;
  }
}

function insert(slots: BigUint64Array, print: bigint): boolean {
  const mask = slots.length - 1;
  for (let at = Number(print & 0xffffffffn) & mask; ; at = (at + 1) & mask) {
    const held = slots[at];
    if (held === print) return false;
    if (held === EMPTY_SLOT) {
      slots[at] = print;
      return true;
    }
  }
}

/** Two independent 32-bit hashes of the text, side by side; never zero. */
function fingerprint(text: string): bigint {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
    b ^= b >>> 13;
  }
  a = Math.imul(a ^ (a >>> 16), 0x7feb352d);
  b = Math.imul(b ^ (b >>> 15), 0xc2b2ae35);
  return (BigInt(a >>> 0) << 32n) | BigInt(b >>> 0) || 1n;
}
