import { unscaledIn } from '../export/parquet/decimal.ts';
import { DIGIT_0, isDigit, LOWER_N, MINUS, POINT } from '../export/transcode/ascii.ts';

/** Longer numbers with an exponent could take any amount of memory. */
const MOST_BYTES = 60;
/** Sums of numbers below 10^15 stay exact in a double for a few additions; they are then added to the large sum. */
const SMALL_DIGITS = 15;
const SAFE_BITS = 52;
const SAFE = 2 ** SAFE_BITS;
/** Exact as doubles. */
const POWERS = Array.from({ length: SMALL_DIGITS + 1 }, (_, exponent) => Number(`1e${exponent}`));

/** The exact sum of JSON numbers, as digits. */
export class ExactSum {
  #unscaled = 0n;
  #scale = 0;
  /** A sum that is not part of `#unscaled` yet: an integer, in units of `10 ** -#smallScale`. */
  #small = 0;
  #smallScale = 0;
  #isSummable = true;

  /** Adds the JSON value `[from, to)` of a text; null adds nothing, and a value that is no number makes the sum null. */
  add(text: DataView, from: number, to: number): void {
    const first = text.getUint8(from);
    if (first === LOWER_N || !this.#isSummable) return;
    if (!isDigit(first) && first !== MINUS) {
      this.#isSummable = false;
      return;
    }
    let value = 0;
    let scale = 0;
    let isPlain = true;
    for (let at = first === MINUS ? from + 1 : from; at < to; at++) {
      const byte = text.getUint8(at);
      if (byte === POINT) scale = to - 1 - at;
      else if (isDigit(byte)) value = value * 10 + byte - DIGIT_0;
      else isPlain = false;
    }
    if (isPlain && to - from <= SMALL_DIGITS) this.#addSmall(first === MINUS ? -value : value, scale);
    else if (isPlain) this.#addScaled(unscaledIn(text, from, to, scale), scale);
    else this.#addWithExponent(text, from, to);
  }

  /** Adds an integer in units of `10 ** -scale`. */
  addUnscaled(unscaled: bigint, scale: number): void {
    if (scale <= SMALL_DIGITS && BigInt.asIntN(SAFE_BITS, unscaled) === unscaled)
      this.#addSmall(Number(unscaled), scale);
    else this.#addScaled(unscaled, scale);
  }

  /** Adds a sum that was printed by `toString`; null makes the sum null. */
  addText(digits: string | null): void {
    if (digits === null) {
      this.#isSummable = false;
      return;
    }
    const bytes = Buffer.from(digits);
    this.add(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, bytes.length);
  }

  /** The sum without trailing zeros; null if a value was no number that can be summed. */
  digits(): string | null {
    this.#flush();
    if (!this.#isSummable) return null;
    const isNegative = this.#unscaled < 0n;
    const digits = String(isNegative ? -this.#unscaled : this.#unscaled).padStart(this.#scale + 1, '0');
    const whole = digits.slice(0, digits.length - this.#scale);
    const fraction = digits.slice(digits.length - this.#scale).replace(/0+$/, '');
    return `${isNegative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
  }

  #addSmall(value: number, scale: number): void {
    if (scale > this.#smallScale) {
      const raised = this.#small * (POWERS[scale - this.#smallScale] as number);
      if (Math.abs(raised) > SAFE) this.#flush();
      else this.#small = raised;
      this.#smallScale = scale;
    }
    const raised = value * (POWERS[this.#smallScale - scale] as number);
    if (Math.abs(raised) > SAFE) {
      this.#flush();
      this.#smallScale = scale;
      this.#small = value;
    } else this.#small += raised;
    if (Math.abs(this.#small) > SAFE) this.#flush();
  }

  #addWithExponent(text: DataView, from: number, to: number): void {
    let number = '';
    for (let at = from; at < Math.min(to, from + MOST_BYTES); at++)
      number += String.fromCharCode(text.getUint8(at));
    const exponent = Number(/e([+-]?\d+)$/i.exec(number)?.[1] ?? Number.NaN);
    if (to - from > MOST_BYTES || !(Math.abs(exponent) <= MOST_BYTES)) {
      this.#isSummable = false;
      return;
    }
    const fraction = /\.(\d+)/.exec(number)?.[1]?.length ?? 0;
    const scale = Math.max(0, fraction - exponent);
    this.#addScaled(unscaledIn(text, from, to, scale), scale);
  }

  #addScaled(value: bigint, scale: number): void {
    if (scale > this.#scale) {
      this.#unscaled *= 10n ** BigInt(scale - this.#scale);
      this.#scale = scale;
    }
    this.#unscaled += scale === this.#scale ? value : value * 10n ** BigInt(this.#scale - scale);
  }

  #flush(): void {
    if (this.#small === 0) return;
    this.#addScaled(BigInt(this.#small), this.#smallScale);
    this.#small = 0;
  }
}

/** The exact sum of numbers as digits; null if one of them is null. */
export function sumOf(numbers: Iterable<string | null>): string | null {
  const sum = new ExactSum();
  for (const number of numbers) sum.addText(number);
  return sum.digits();
}
