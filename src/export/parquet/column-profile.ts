import {
  DIGIT_0,
  isDigit,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  MINUS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  POINT,
  QUOTE,
} from '../transcode/ascii.ts';
import { utf8Text } from '../transcode/utf8.ts';
import { hasEscape, KnownDays, textOf } from './cells.ts';
import { type ColumnType, MAX_PRECISION } from './column-type.ts';
import { type Decimal, decimalOf, unscaled, wholeDigits, withoutEndZeros } from './decimal.ts';
import type { ValueCounts } from './value-counts.ts';

const LEAST_LONG = -(2n ** 63n);
const GREATEST_LONG = 2n ** 63n - 1n;
/** Integers with fewer digits always fit into 64 bits. */
const SAFE_LONG_DIGITS = 18;
/** Maximum digits of a 64-bit integer. */
const LONGEST_LONG = 19;

/** The type for a column's values, or why there is none. */
type TypeFound =
  | { readonly type: ColumnType; readonly isMixed?: boolean }
  /** Too many digits for a decimal: a double holds them only if each value is written the same again. */
  | { readonly type: undefined; readonly widest: string };

/** Examines all values of a column, to find the narrowest type that preserves every digit. */
export class ColumnProfile {
  #texts = 0;
  #days = 0;
  #firstDay = Number.POSITIVE_INFINITY;
  #lastDay = Number.NEGATIVE_INFINITY;
  #flags = 0;
  #nested = 0;
  #numbers = 0;
  /** Maximum digits of the numbers before and after the decimal point, the latter also without trailing zeros. */
  #whole = 0;
  #scale = 0;
  #bareScale = 0;
  #fitsLong = true;
  #widest = '';
  #widestDigits = 0;
  /** A text with half a surrogate pair, which UTF-8 cannot represent. */
  #brokenText: string | undefined;
  #knownDays: KnownDays | undefined;

  /** A text that cannot be stored; undefined if all can. */
  get brokenText(): string | undefined {
    return this.#brokenText;
  }

  /** Whether there are texts, and all of them are days. */
  get isDays(): boolean {
    return this.#texts > 0 && this.#days === this.#texts;
  }

  /** The first and the last day among the texts, in days since 1970; undefined without days. */
  get dayRange(): readonly [first: number, last: number] | undefined {
    return this.#days === 0 ? undefined : [this.#firstDay, this.#lastDay];
  }

  /** Values that are not null. */
  get values(): number {
    return this.#texts + this.#flags + this.#nested + this.#numbers;
  }

  get hasNumbers(): boolean {
    return this.#numbers > 0;
  }

  /** Maximum digits of a number before the decimal point. */
  get wholeDigits(): number {
    return this.#whole;
  }

  /** Maximum digits of a number after the decimal point. */
  get decimals(): number {
    return this.#scale;
  }

  /** Maximum digits of a number after the decimal point, trailing zeros not counted. */
  get significantDecimals(): number {
    return this.#bareScale;
  }

  /** Whether the numbers are integers of 64 bits: 5.0 and 1e3 are. */
  get areLong(): boolean {
    return this.#bareScale === 0 && this.#fitsLong;
  }

  /** Examines the JSON value `[from, to)` of `text`. */
  addValue(text: DataView, from: number, to: number): void {
    switch (text.getUint8(from)) {
      case LOWER_N:
        return;
      case QUOTE:
        this.#addText(text, from, to);
        return;
      case LOWER_T:
      case LOWER_F:
        this.#flags++;
        return;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#nested++;
        return;
      default:
        this.#numbers++;
        this.#addNumber(text, from, to);
    }
  }

  /** Adds the kernel's counts of other values of the same column. */
  addCounts(counts: ValueCounts): void {
    const { texts, days, flags, nested, numbers } = counts;
    if (days > 0) this.#addDays(days, counts.firstDay, counts.lastDay);
    this.#texts += texts;
    this.#flags += flags;
    this.#nested += nested;
    this.#numbers += numbers;
    this.#widen(counts.whole, counts.scale, counts.bareScale);
  }

  /** Adds what was found in other values of the same column. */
  add(other: ColumnProfile): void {
    if (other.#days > 0) this.#addDays(other.#days, other.#firstDay, other.#lastDay);
    this.#texts += other.#texts;
    this.#flags += other.#flags;
    this.#nested += other.#nested;
    this.#numbers += other.#numbers;
    this.#widen(other.#whole, other.#scale, other.#bareScale);
    this.#fitsLong &&= other.#fitsLong;
    this.#brokenText ??= other.#brokenText;
    if (other.#widestDigits <= this.#widestDigits) return;
    this.#widest = other.#widest;
    this.#widestDigits = other.#widestDigits;
  }

  /** `isFigure`: whether an empty column counts as numeric. */
  typeFound(isFigure: boolean): TypeFound {
    const kinds = [this.#texts, this.#flags, this.#nested, this.#numbers].filter(count => count > 0).length;
    if (kinds === 0) return { type: isFigure ? { kind: 'integer' } : { kind: 'text' } };
    if (kinds > 1) return { type: { kind: 'text' }, isMixed: true };
    if (this.#nested > 0) return { type: { kind: 'text' } };
    if (this.#flags > 0) return { type: { kind: 'flag' } };
    if (this.#texts > 0) return { type: { kind: this.#days === this.#texts ? 'day' : 'text' } };
    return this.#numberType();
  }

  #numberType(): TypeFound {
    if (this.#scale === 0 && this.#fitsLong) return { type: { kind: 'integer' } };
    for (const scale of [this.#scale, this.#bareScale]) {
      const precision = Math.max(1, this.#whole + scale);
      if (precision <= MAX_PRECISION) return { type: { kind: 'decimal', precision, scale } };
    }
    return { type: undefined, widest: this.#widest };
  }

  #addDays(days: number, first: number, last: number): void {
    this.#days += days;
    this.#firstDay = Math.min(this.#firstDay, first);
    this.#lastDay = Math.max(this.#lastDay, last);
  }

  #addText(text: DataView, from: number, to: number): void {
    this.#texts++;
    this.#knownDays ??= new KnownDays();
    const day = this.#days === this.#texts - 1 ? this.#knownDays.since1970(text, from, to) : undefined;
    if (day !== undefined) this.#addDays(1, day, day);
    // Without an escape there is no half of a pair: no UTF-8 holds one.
    else if (this.#brokenText === undefined && hasEscape(text, from, to)) {
      const value = textOf(text, from, to);
      if (!value.isWellFormed()) this.#brokenText = value;
    }
  }

  /** Most numbers have no exponent, so that counting digits is enough. */
  #addNumber(text: DataView, from: number, to: number): void {
    const first = text.getUint8(from) === MINUS ? from + 1 : from;
    let at = first;
    while (at < to && isDigit(text.getUint8(at))) at++;
    const whole = text.getUint8(first) === DIGIT_0 ? 0 : at - first;
    let scale = 0;
    if (at < to && text.getUint8(at) === POINT) {
      const point = at++;
      while (at < to && isDigit(text.getUint8(at))) at++;
      scale = at - point - 1;
    }
    if (at < to || whole === LONGEST_LONG) this.#addLongNumber(utf8Text(text, from, to));
    else this.#addDigits(text, from, to, whole, scale);
  }

  /** Adds a number without an exponent. */
  #addDigits(text: DataView, from: number, to: number, whole: number, scale: number): void {
    let bareScale = scale;
    while (bareScale > 0 && text.getUint8(to - 1 - (scale - bareScale)) === DIGIT_0) bareScale--;
    this.#widen(whole, scale, bareScale);
    if (whole > LONGEST_LONG) this.#fitsLong = false;
    if (whole <= SAFE_LONG_DIGITS && whole + scale <= MAX_PRECISION - SAFE_LONG_DIGITS) return;
    if (whole + scale <= this.#widestDigits) return;
    this.#widest = utf8Text(text, from, to);
    this.#widestDigits = whole + scale;
  }

  #addLongNumber(text: string): void {
    const decimal = decimalOf(text);
    const bare = withoutEndZeros(decimal);
    const whole = wholeDigits(decimal);
    const scale = Math.max(0, decimal.scale);
    if (whole + scale > this.#widestDigits) {
      this.#widest = text;
      this.#widestDigits = whole + scale;
    }
    this.#widen(whole, scale, Math.max(0, bare.scale));
    if (whole > SAFE_LONG_DIGITS && bare.scale <= 0) this.#fitsLong &&= isLong(bare, whole);
  }

  #widen(whole: number, scale: number, bareScale: number): void {
    if (whole > this.#whole) this.#whole = whole;
    if (scale > this.#scale) this.#scale = scale;
    if (bareScale > this.#bareScale) this.#bareScale = bareScale;
  }
}

function isLong(integer: Decimal, whole: number): boolean {
  if (whole > SAFE_LONG_DIGITS + 1) return false;
  const value = unscaled(integer, 0);
  return value >= LEAST_LONG && value <= GREATEST_LONG;
}
