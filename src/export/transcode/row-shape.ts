import { OPEN_ARRAY, OPEN_OBJECT } from './ascii.ts';
import { AHEAD, checkedValueEnd } from './json-values.ts';
import type { Row } from './row.ts';

/**
 * What is the same in rows that are alike: all text of a row but its values. A row that has this text around any values is as
 * valid as the one that the shape was taken from, has the same names and needs no further check. White space, key order, unknown
 * and repeated names are whatever they were in that row.
 */
export class RowShape {
  /** The stretches of text before, between and behind the values, four bytes a word, each filled up to whole words. */
  readonly #words: Int32Array;
  /** For each word, which of its bits count. */
  readonly #masks: Int32Array;
  /** For each stretch, the index behind its last word. */
  readonly #wordsEnd: Int32Array;
  /** For each stretch, its length in bytes. */
  readonly #lengths: Int32Array;
  readonly #isArray: boolean;
  readonly #isCompact: boolean;

  /** Takes the shape of a row that was split. */
  constructor(row: Row) {
    const stretches = row.fieldCount + 1;
    this.#isArray = row.isArray;
    this.#isCompact = row.isCompact;
    this.#lengths = new Int32Array(stretches);
    this.#wordsEnd = new Int32Array(stretches);
    const words: number[] = [];
    const masks: number[] = [];
    for (let stretch = 0; stretch < stretches; stretch++) {
      const from = stretch === 0 ? row.from : (row.valueTo[stretch - 1] as number);
      const to = stretch === row.fieldCount ? row.to : (row.valueFrom[stretch] as number);
      for (let at = from; at < to; at += 4) {
        const count = Math.min(4, to - at);
        let word = 0;
        for (let byte = 0; byte < count; byte++) word |= row.text.getUint8(at + byte) << (8 * byte);
        words.push(word);
        masks.push(count === 4 ? -1 : (1 << (8 * count)) - 1);
      }
      this.#lengths[stretch] = to - from;
      this.#wordsEnd[stretch] = words.length;
    }
    this.#words = Int32Array.from(words);
    this.#masks = Int32Array.from(masks);
  }

  equals(other: RowShape): boolean {
    return areSame(this.#lengths, other.#lengths) && areSame(this.#words, other.#words);
  }

  /**
   * Reads the row that begins at `at` into `row`, if it has this shape and is well within the text. Otherwise returns false, with
   * `row` of no meaning.
   */
  read(text: DataView, at: number, row: Row): boolean {
    const { valueFrom, valueTo } = row;
    const words = this.#words;
    const masks = this.#masks;
    const wordsEnd = this.#wordsEnd;
    const lengths = this.#lengths;
    const values = lengths.length - 1;
    const limit = text.byteLength - AHEAD;
    let end = at;
    let word = 0;
    let isCompact = this.#isCompact;
    for (let stretch = 0; ; stretch++) {
      const length = lengths[stretch] as number;
      const lastWord = wordsEnd[stretch] as number;
      if (end + length > limit) return false;
      for (let from = end; word < lastWord; word++, from += 4) {
        if (((text.getInt32(from, true) ^ (words[word] as number)) & (masks[word] as number)) !== 0)
          return false;
      }
      end += length;
      if (stretch === values) break;
      const first = text.getUint8(end);
      if (first === OPEN_OBJECT || first === OPEN_ARRAY) isCompact = false;
      valueFrom[stretch] = end;
      end = checkedValueEnd(text, end, limit);
      if (end === -1) return false;
      valueTo[stretch] = end;
    }
    row.text = text;
    row.from = at;
    row.to = end;
    row.isArray = this.#isArray;
    row.isCompact = isCompact;
    row.fieldCount = values;
    return true;
  }
}

function areSame(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((number, index) => number === b[index]);
}
