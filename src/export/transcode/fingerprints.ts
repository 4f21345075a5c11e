const FIRST_CAPACITY = 1024;

/** The fingerprints of the first rows of a page, two numbers each. */
export class Fingerprints {
  readonly #most: number;
  #numbers = new Int32Array(2 * FIRST_CAPACITY);
  #length = 0;

  /** `most`: maximum number of rows. */
  constructor(most: number) {
    this.#most = 2 * most;
  }

  add(fingerprints: Int32Array): void {
    const kept = fingerprints.subarray(0, this.#most - this.#length);
    if (this.#length + kept.length > this.#numbers.length) this.#grow(this.#length + kept.length);
    this.#numbers.set(kept, this.#length);
    this.#length += kept.length;
  }

  /** Returns the fingerprints and resets the list. The result is valid until the next `add`. */
  take(): Int32Array {
    const taken = this.#numbers.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #grow(needed: number): void {
    const longer = new Int32Array(Math.min(this.#most, Math.max(needed, 2 * this.#numbers.length)));
    longer.set(this.#numbers.subarray(0, this.#length));
    this.#numbers = longer;
  }
}
