import type { Row } from './row.ts';
import { utf8Bytes } from './utf8.ts';

/** Maps the fields of a row to columns. */
export interface Layout {
  /** For each column, the index of the row's field; -1 if the row has none. */
  readonly fieldOf: Int32Array;
  /** Columns that the row lacks. */
  readonly missing: readonly string[];
  /** Fields without a column. */
  readonly extra: readonly string[];
}

/** The columns of an export, in order. */
export class Columns {
  readonly names: readonly string[];
  readonly #indexOf: ReadonlyMap<string, number>;
  /** Each name as JSON text in its usual form. */
  readonly #usualNames: readonly DataView[];
  /** For each field of an object, its column in the previous row. */
  readonly #lastColumnOf: number[] = [];

  /** Throws RangeError for a duplicate name, because one of the two could never be filled. */
  constructor(names: readonly string[]) {
    this.names = [...names];
    this.#indexOf = new Map(names.map((name, column) => [name, column]));
    if (this.#indexOf.size !== names.length) throw new RangeError('a column is named twice');
    this.#usualNames = names.map(name => utf8Bytes(JSON.stringify(name).slice(1, -1)));
  }

  /** The columns of a row: the names of an object's fields, or the positions in an array. */
  static of(row: Row): Columns {
    const names = new Set<string>();
    for (let field = 0; field < row.fieldCount; field++) names.add(row.fieldName(field));
    return new Columns([...names]);
  }

  /** Maps the fields of a row, which has no duplicate names. */
  layout(row: Row): Layout {
    const fieldOf = new Int32Array(this.names.length).fill(-1);
    const extra = new Set<string>();
    for (let field = 0; field < row.fieldCount; field++) {
      const column = row.isArray ? field : this.#columnOf(row, field);
      if (column < fieldOf.length) fieldOf[column] = field;
      else extra.add(row.fieldName(field));
    }
    const missing = fieldOf.includes(-1) ? this.names.filter((_, column) => fieldOf[column] === -1) : [];
    return { fieldOf, missing, extra: [...extra] };
  }

  /** The column of an object's field; the number of columns if there is none. Creates no string if rows are alike. */
  #columnOf(row: Row, field: number): number {
    const last = this.#lastColumnOf[field] ?? field;
    const usualName = this.#usualNames[last];
    if (usualName !== undefined && row.isFieldNamed(field, usualName)) return last;
    const column = this.#indexOf.get(row.fieldName(field)) ?? this.names.length;
    this.#lastColumnOf[field] = column;
    return column;
  }
}
