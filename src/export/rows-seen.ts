/** Most exports of a sync have a few hundred rows. */
const FIRST_SLOTS = 2 ** 10;
/** 2 MB fit into a processor's cache; with more, a look-up takes twice as long. */
const MOST_SLOTS = 2 ** 18;
/** The share of the slots that is used. */
const FILLED = 0.85;

/**
 * Detects duplicate rows by fingerprints of 64 bits, in constant memory. Up to about 220,000 rows, all are compared; beyond that,
 * each with at least those of its own page and the previous one, because pages that overlap do so with their neighbour.
 */
export class RowsSeen {
  /** Two numbers per slot; zeros mark a free slot. */
  #slots = new Int32Array(2 * FIRST_SLOTS);
  #filled = 0;
  #pageBefore = new Int32Array(0);
  #isWhole = true;

  /** Whether each row was compared with all rows before it. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Whether a page of several rows consists of the first rows of the previous page, in the same order. */
  repeatsPage(fingerprints: Int32Array): boolean {
    const before = this.#pageBefore;
    if (fingerprints.length < 4 || fingerprints.length > before.length) return false;
    return fingerprints.every((number, index) => number === before[index]);
  }

  /** Adds the fingerprints of a page's rows, two numbers each. Returns the number of duplicates. */
  add(fingerprints: Int32Array): number {
    const rows = fingerprints.length / 2;
    this.#makeRoom(this.#filled + rows);
    this.#pageBefore = fingerprints.slice();
    return rows - this.#put(fingerprints);
  }

  /** Takes more slots; beyond the most, removes all fingerprints but those of the previous page. */
  #makeRoom(rows: number): void {
    let slots = this.#slots.length / 2;
    if (rows <= FILLED * slots) return;
    while (rows > FILLED * slots && slots < MOST_SLOTS) slots *= 2;
    const before = this.#slots;
    this.#slots = new Int32Array(2 * slots);
    this.#filled = 0;
    if (rows <= FILLED * slots) {
      // A free slot would become a fingerprint of its own.
      this.#put(before.filter((_, index) => before[index] !== 0 || before[index ^ 1] !== 0));
      return;
    }
    this.#put(this.#pageBefore);
    this.#isWhole = false;
  }

  /** Returns how many were new. */
  #put(fingerprints: Int32Array): number {
    const slots = this.#slots;
    const lastIndex = slots.length - 1;
    const lastSlot = slots.length / 2 - 1;
    const filled = this.#filled;
    for (let index = 0; index < fingerprints.length; index += 2) {
      const high = fingerprints[index + 1] as number;
      const given = fingerprints[index] as number;
      // Zeros would mark the slot as free.
      const low = given === 0 && high === 0 ? 1 : given;
      for (let at = 2 * (low & lastSlot); ; at = (at + 2) & lastIndex) {
        const held = slots[at];
        const heldHigh = slots[at + 1];
        if (held === low && heldHigh === high) break;
        if (held !== 0 || heldHigh !== 0) continue;
        slots[at] = low;
        slots[at + 1] = high;
        this.#filled += 1;
        break;
      }
    }
    return this.#filled - filled;
  }
}
