/**
 * Remembers which texts were seen, eight bytes each, so that a million URLs fit in sixteen megabytes. Two different
 * texts are taken for one with a chance of about one in ten million among a million URLs.
 */
export class Seen {
  /** Two 32-bit hashes side by side for each text; two zeros are an empty slot. */
  #slots = new Uint32Array(1 << 13);
  #size = 0;

  /** True when the text was not seen before. */
  add(text: string): boolean {
    if (this.#size * 4 >= this.#slots.length) this.#grow();
    // FNV-1a twice in one go, each with a multiplier of its own, and a shift.
    let first = 0x811c9dc5;
    let second = 0x9e3779b9;
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      first = Math.imul(first ^ code, 0x01000193);
      first ^= first >>> 15;
      second = Math.imul(second ^ code, 0x85ebca6b);
      second ^= second >>> 15;
    }
    const isNew = insert(this.#slots, mixed(first) || 1, mixed(second));
    if (isNew) this.#size += 1;
    return isNew;
  }

  #grow(): void {
    const smaller = this.#slots;
    this.#slots = new Uint32Array(smaller.length * 2);
    for (let at = 0; at < smaller.length; at += 2) {
      const first = smaller[at] ?? 0;
      if (first !== 0) insert(this.#slots, first, smaller[at + 1] ?? 0);
    }
  }
}

function insert(slots: Uint32Array, first: number, second: number): boolean {
  const mask = slots.length / 2 - 1;
  for (let slot = second & mask; ; slot = (slot + 1) & mask) {
    const at = slot * 2;
    if (slots[at] === first && slots[at + 1] === second) return false;
    if (slots[at] === 0) {
      slots[at] = first;
      slots[at + 1] = second;
      return true;
    }
  }
}

/** All bits of a sum in all others. */
function mixed(sum: number): number {
  const half = Math.imul(sum ^ (sum >>> 16), 0x7feb352d);
  const whole = Math.imul(half ^ (half >>> 15), 0x846ca68b);
  return (whole ^ (whole >>> 16)) >>> 0;
}
