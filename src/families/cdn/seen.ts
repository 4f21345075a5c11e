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
    const isNew = insert(
      this.#slots,
      hash(text, 0x811c9dc5, 0x01000193) || 1,
      hash(text, 0x9e3779b9, 0x85ebca6b),
    );
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

/** FNV-1a with a multiplier of one's own, and its bits mixed once more at the end. */
function hash(text: string, start: number, multiplier: number): number {
  let sum = start;
  for (let i = 0; i < text.length; i += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(i), multiplier);
    sum ^= sum >>> 15;
  }
  sum = Math.imul(sum ^ (sum >>> 16), 0x7feb352d);
  sum = Math.imul(sum ^ (sum >>> 15), 0x846ca68b);
  return (sum ^ (sum >>> 16)) >>> 0;
}
