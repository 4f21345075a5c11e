import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT } from './ascii.ts';
import { resolvedText } from './json-strings.ts';
import { skipBlanks, stringEnd, valueEnd } from './json-text.ts';

const FIRST_CAPACITY = 64;

/**
 * One row of a response: its JSON text `[from, to)` in `text`, an object or an array, and the positions of its fields. One instance is
 * reused for all rows.
 */
export class Row {
  text: DataView = new DataView(new ArrayBuffer(0));
  from = 0;
  to = 0;
  isArray = false;
  /** True without white space around names and values, and without nested values, which may contain some. */
  isCompact = true;
  fieldCount = 0;
  /** The start and end of each field's value. */
  valueFrom = new Int32Array(FIRST_CAPACITY);
  valueTo = new Int32Array(FIRST_CAPACITY);
  /** The start and end of each field's name, without quotes. */
  #nameFrom = new Int32Array(FIRST_CAPACITY);
  #nameTo = new Int32Array(FIRST_CAPACITY);

  /** Finds the fields of the object or array `[from, to)` of `text`, which must be valid JSON. */
  split(text: DataView, from: number, to: number): void {
    this.text = text;
    this.from = from;
    this.to = to;
    this.isArray = text.getUint8(from) === OPEN_ARRAY;
    this.isCompact = true;
    this.fieldCount = 0;
    const closing = this.isArray ? CLOSE_ARRAY : CLOSE_OBJECT;
    let at = this.#skipBlanks(from + 1);
    while (text.getUint8(at) !== closing) {
      at = this.#skipBlanks(this.#takeField(at));
      if (text.getUint8(at) === COMMA) at = this.#skipBlanks(at + 1);
    }
  }

  /** Makes room for this number of fields, whose positions the caller sets. */
  begin(fields: number): void {
    while (this.valueFrom.length < fields) this.#grow();
    this.fieldCount = fields;
  }

  /** The name of a field; in an array, its position counted from 1. */
  fieldName(field: number): string {
    if (this.isArray) return String(field + 1);
    return resolvedText(this.text, this.#nameFrom[field] as number, this.#nameTo[field] as number);
  }

  /** A name that occurs twice in an object, if any. */
  repeatedName(): string | undefined {
    if (this.isArray) return undefined;
    const names = new Set<string>();
    for (let field = 0; field < this.fieldCount; field++) {
      const name = this.fieldName(field);
      if (names.has(name)) return name;
      names.add(name);
    }
    return undefined;
  }

  /** Whether a field's name has the same bytes as `name`, the inside of a JSON string. */
  isFieldNamed(field: number, name: DataView): boolean {
    const from = this.#nameFrom[field] as number;
    if ((this.#nameTo[field] as number) - from !== name.byteLength) return false;
    for (let at = 0; at < name.byteLength; at++)
      if (name.getUint8(at) !== this.text.getUint8(from + at)) return false;
    return true;
  }

  /** Reads the field at `at` and returns its end. */
  #takeField(at: number): number {
    const field = this.fieldCount++;
    if (field === this.valueFrom.length) this.#grow();
    if (!this.isArray) {
      this.#nameFrom[field] = at + 1;
      at = stringEnd(this.text, at);
      this.#nameTo[field] = at - 1;
      const colon = this.#skipBlanks(at);
      at = this.#skipBlanks(colon + 1);
    }
    const first = this.text.getUint8(at);
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) this.isCompact = false;
    const end = valueEnd(this.text, at);
    this.valueFrom[field] = at;
    this.valueTo[field] = end;
    return end;
  }

  #skipBlanks(at: number): number {
    const next = skipBlanks(this.text, at);
    if (next !== at) this.isCompact = false;
    return next;
  }

  #grow(): void {
    this.valueFrom = twiceAsLong(this.valueFrom);
    this.valueTo = twiceAsLong(this.valueTo);
    this.#nameFrom = twiceAsLong(this.#nameFrom);
    this.#nameTo = twiceAsLong(this.#nameTo);
  }
}

function twiceAsLong(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(numbers.length * 2);
  longer.set(numbers);
  return longer;
}
