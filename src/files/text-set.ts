const FIRST_SLOTS = 1 << 12;
/** Three quarters of 8 Mi slots of 12 bytes: 96 MB at most. */
const MAX_SIZE = 6 * (1 << 20);

/**
 * A set of texts that are stored elsewhere, in 16 to 32 bytes for each. Hashes only find candidates: `isAt` then compares the
 * texts. After `maxSize` texts (6,291,456) no more are added, which limits memory; duplicates of later texts go undetected.
 */
export class TextSet {
  readonly #isAt: (position: number, text: string) => boolean;
  readonly #hash: (text: string) => number;
  readonly #maxSize: number;
  #hashes = new Uint32Array(FIRST_SLOTS);
  /** One more than the position; 0 is an empty slot. */
  #positions = new Float64Array(FIRST_SLOTS);
  #size = 0;

  /** `isAt` compares a text with the one stored at a position that was passed to `add`. */
  constructor(
    isAt: (position: number, text: string) => boolean,
    { hash = hashOf, maxSize = MAX_SIZE }: { hash?: (text: string) => number; maxSize?: number } = {},
  ) {
    this.#isAt = isAt;
    this.#hash = hash;
    this.#maxSize = maxSize;
  }

  /** Adds a text that is stored at `position`. Returns false if it is in the set already. */
  add(text: string, position: number): boolean {
    const hash = this.#hash(text);
    const mask = this.#hashes.length - 1;
    let slot = hash & mask;
    for (; this.#positions[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#hashes[slot] === hash && this.#isAt((this.#positions[slot] ?? 0) - 1, text)) return false;
    }
    if (this.#size === this.#maxSize) return true;
    this.#hashes[slot] = hash;
    this.#positions[slot] = position + 1;
    this.#size += 1;
    if (this.#size * 4 > this.#hashes.length * 3) this.#grow();
    return true;
  }

  /** The position of a text in the set; undefined if it is not in it. */
  find(text: string): number | undefined {
    const hash = this.#hash(text);
    const mask = this.#hashes.length - 1;
    for (let slot = hash & mask; this.#positions[slot] !== 0; slot = (slot + 1) & mask) {
      const position = (this.#positions[slot] ?? 0) - 1;
      if (this.#hashes[slot] === hash && this.#isAt(position, text)) return position;
    }
    return undefined;
  }

  #grow(): void {
    const [hashes, positions] = [this.#hashes, this.#positions];
    this.#hashes = new Uint32Array(hashes.length * 2);
    this.#positions = new Float64Array(hashes.length * 2);
    const mask = this.#hashes.length - 1;
    for (let from = 0; from < hashes.length; from += 1) {
      const position = positions[from] ?? 0;
      if (position === 0) continue;
      const hash = hashes[from] ?? 0;
      let slot = hash & mask;
      while (this.#positions[slot] !== 0) slot = (slot + 1) & mask;
      this.#hashes[slot] = hash;
      this.#positions[slot] = position;
    }
  }
}

/** FNV-1a with extra mixing, so that the low bits depend on all characters. */
function hashOf(text: string): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
    sum ^= sum >>> 15;
  }
  const half = Math.imul(sum ^ (sum >>> 16), 0x7feb352d);
  const mixed = Math.imul(half ^ (half >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
