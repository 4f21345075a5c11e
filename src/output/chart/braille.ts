import { type Canvas, type Dot, dotsBetween, paintedLine } from './canvas.ts';

/** The bit of each dot of a braille character, two across and four down. */
const BITS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];
const BLANK = 0x2800;
/** A light line has one of so many dots. */
const LIGHT = 3;

interface BrailleSeries {
  /** Dotted, as an earlier period is. */
  readonly isLight: boolean;
  /** A character that identifies the series at some of its points; undefined where lines differ anyway. */
  readonly mark: string | undefined;
}

/** Eight dots for each character. */
export class BrailleCanvas implements Canvas {
  readonly width: number;
  readonly height: number;
  readonly #columns: number;
  readonly #series: readonly BrailleSeries[];
  readonly #dots: Uint8Array;
  /** For each character, the first series that set a dot there, counted from 1. */
  readonly #owner: Uint8Array;
  /** For each character, the number of the series whose mark is there, counted from 1. */
  readonly #marked: Uint8Array;

  constructor(columns: number, rows: number, series: readonly BrailleSeries[]) {
    this.#columns = columns;
    this.#series = series;
    this.width = columns * 2;
    this.height = rows * 4;
    this.#dots = new Uint8Array(columns * rows);
    this.#owner = new Uint8Array(columns * rows);
    this.#marked = new Uint8Array(columns * rows);
  }

  mark(series: number, { x, y }: Dot, isMarked: boolean): void {
    if (!this.#series[series]?.isLight || x % LIGHT === 0) this.#set(series, x, y);
    if (!isMarked || this.#series[series]?.mark === undefined) return;
    const at = this.#cell(x, y);
    if (this.#marked[at] === 0) this.#marked[at] = series + 1;
  }

  connect(series: number, from: Dot, to: Dot): void {
    const isLight = this.#series[series]?.isLight;
    for (const { x, y } of dotsBetween(from, to))
      if (!isLight || (x + y) % LIGHT === 0) this.#set(series, x, y);
  }

  line(row: number, paints: readonly ((text: string) => string)[]): string {
    const cells = Array.from({ length: this.#columns }, (_, column) => {
      const at = row * this.#columns + column;
      const owner = this.#marked[at] || this.#owner[at] || 0;
      if (owner === 0) return { text: ' ', series: undefined };
      const dots = String.fromCharCode(BLANK + (this.#dots[at] ?? 0));
      const mark = this.#marked[at] === 0 ? undefined : this.#series[owner - 1]?.mark;
      return { text: mark ?? dots, series: owner - 1 };
    });
    return paintedLine(cells, paints);
  }

  sample(series: number): string {
    const { isLight = false, mark = '' } = this.#series[series] ?? {};
    return mark !== '' ? mark : isLight ? '⠐⠐⠐' : '⠒⠒⠒';
  }

  #cell(x: number, y: number): number {
    return (y >> 2) * this.#columns + (x >> 1);
  }

  #set(series: number, x: number, y: number): void {
    const at = this.#cell(x, y);
    this.#dots[at] = (this.#dots[at] ?? 0) | (BITS[y & 3]?.[x & 1] ?? 0);
    if (this.#owner[at] === 0) this.#owner[at] = series + 1;
  }
}
