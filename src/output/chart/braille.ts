import { type Canvas, type Dot, dotsBetween, paintedLine } from './canvas.ts';

/** The bit of each dot of a braille character, two across and four down. */
const BITS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];
const BLANK = 0x2800;
/** Of a light line every so many dots are left out. */
const LIGHT = 3;

/** Eight dots a character. Light series are dotted, so that they differ without colour. */
export class BrailleCanvas implements Canvas {
  readonly width: number;
  readonly height: number;
  readonly #columns: number;
  readonly #light: readonly boolean[];
  readonly #dots: Uint8Array;
  /** For each character, the first series that set a dot there, counted from 1. */
  readonly #owner: Uint8Array;

  constructor(columns: number, rows: number, light: readonly boolean[]) {
    this.#columns = columns;
    this.#light = light;
    this.width = columns * 2;
    this.height = rows * 4;
    this.#dots = new Uint8Array(columns * rows);
    this.#owner = new Uint8Array(columns * rows);
  }

  mark(series: number, { x, y }: Dot): void {
    if (!this.#light[series]) this.#set(series, x, y);
    else if (x % LIGHT === 0) this.#set(series, x, y);
  }

  connect(series: number, from: Dot, to: Dot): void {
    const light = this.#light[series];
    for (const { x, y } of dotsBetween(from, to))
      if (!light || (x + y) % LIGHT === 0) this.#set(series, x, y);
  }

  line(row: number, paints: readonly ((text: string) => string)[]): string {
    const cells = Array.from({ length: this.#columns }, (_, column) => {
      const at = row * this.#columns + column;
      const owner = this.#owner[at] ?? 0;
      const text = owner === 0 ? ' ' : String.fromCharCode(BLANK + (this.#dots[at] ?? 0));
      return { text, series: owner === 0 ? undefined : owner - 1 };
    });
    return paintedLine(cells, paints);
  }

  sample(series: number): string {
    return this.#light[series] ? '⠐⠐⠐' : '⠒⠒⠒';
  }

  #set(series: number, x: number, y: number): void {
    const at = (y >> 2) * this.#columns + (x >> 1);
    this.#dots[at] = (this.#dots[at] ?? 0) | (BITS[y & 3]?.[x & 1] ?? 0);
    if (this.#owner[at] === 0) this.#owner[at] = series + 1;
  }
}
