/** 8 MB, for rows without end. */
const SLOTS = 2 ** 20;
const LAST_SLOT = SLOTS - 1;
const LAST_INDEX = 2 * SLOTS - 1;
const MOST_FILLED = 0.85 * SLOTS;

/**
 * Tells which rows were there before, by fingerprints of 64 bits, in constant memory: all of them up to some 900,000 rows; beyond
 * that half of them, a quarter and so on, always the same rows.
 */
export class RowsSeen {
  /** Two numbers a slot; a free one has zeros. */
  #slots = new Int32Array(0);
  #filled = 0;
  /** Of a fingerprint that is looked at, these bits are zero. */
  #leftOut = 0;

  /** Whether all rows are looked at. */
  get isWhole(): boolean {
    return this.#leftOut === 0;
  }

  /** Takes the fingerprints of rows, two numbers each. Returns how many of those that are looked at were there before. */
  add(fingerprints: Int32Array): number {
    if (this.#slots.length === 0) this.#slots = new Int32Array(2 * SLOTS);
    let before = 0;
    for (let at = 0; at < fingerprints.length; at += 2) {
      const high = fingerprints[at + 1] as number;
      if ((high & this.#leftOut) !== 0) continue;
      if (!this.#put(fingerprints[at] as number, high)) before += 1;
      else if (this.#filled > MOST_FILLED) this.#halve();
    }
    return before;
  }

  /** Returns false for what was there before. */
  #put(low: number, high: number): boolean {
    const slots = this.#slots;
    // A slot with nothing but zeros is free.
    const first = low === 0 && high === 0 ? 1 : low;
    for (let at = 2 * (first & LAST_SLOT); ; at = (at + 2) & LAST_INDEX) {
      const held = slots[at];
      const heldHigh = slots[at + 1];
      if (held === first && heldHigh === high) return false;
      if (held === 0 && heldHigh === 0) {
        slots[at] = first;
        slots[at + 1] = high;
        this.#filled += 1;
        return true;
      }
    }
  }

  #halve(): void {
    this.#leftOut = this.#leftOut * 2 + 1;
    const left = this.#slots;
    this.#slots = new Int32Array(2 * SLOTS);
    this.#filled = 0;
    for (let at = 0; at < left.length; at += 2) {
      const [low, high] = [left[at] as number, left[at + 1] as number];
      if ((low !== 0 || high !== 0) && (high & this.#leftOut) === 0) this.#put(low, high);
    }
  }
}
