/** A place on a canvas: dots from the top left corner. */
export interface Dot {
  readonly x: number;
  readonly y: number;
}

type Paint = (text: string) => string;

/** A grid of dots that lines are drawn on. Later lines never hide earlier ones. */
export interface Canvas {
  /** In dots. */
  readonly width: number;
  readonly height: number;
  /** Sets a point of a series; with `isMarked`, so that it identifies the series without colour. */
  mark(series: number, dot: Dot, isMarked: boolean): void;
  /** Draws a line between two points of a series. */
  connect(series: number, from: Dot, to: Dot): void;
  /** A row of characters, coloured by series. */
  line(row: number, paints: readonly Paint[]): string;
  /** A sample of a series for a legend. */
  sample(series: number): string;
}

/** The dots of a line, both ends included. */
export function dotsBetween(from: Dot, to: Dot): Dot[] {
  const steps = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y));
  if (steps === 0) return [from];
  return Array.from({ length: steps + 1 }, (_, step) => ({
    x: Math.round(from.x + ((to.x - from.x) * step) / steps),
    y: Math.round(from.y + ((to.y - from.y) * step) / steps),
  }));
}

/** A line of characters, each in the colour of its series, if it has one. */
export function paintedLine(
  cells: readonly { readonly text: string; readonly series: number | undefined }[],
  paints: readonly Paint[],
): string {
  let line = '';
  for (let at = 0; at < cells.length; ) {
    const { series } = cells[at] ?? { series: undefined };
    let run = '';
    for (; at < cells.length && cells[at]?.series === series; at++) run += cells[at]?.text ?? '';
    const paint = series === undefined ? undefined : paints[series % paints.length];
    line += paint === undefined ? run : paint(run);
  }
  return line;
}

/** One character for each dot: a mark of the series for its points, the same character for all lines between points. */
export class MarkCanvas implements Canvas {
  readonly width: number;
  readonly height: number;
  readonly #marks: readonly string[];
  readonly #between: string;
  readonly #cells: ({ readonly series: number; readonly isPoint: boolean } | undefined)[];

  constructor(width: number, height: number, marks: readonly string[], between: string) {
    this.width = width;
    this.height = height;
    this.#marks = marks;
    this.#between = between;
    this.#cells = new Array(width * height).fill(undefined);
  }

  mark(series: number, { x, y }: Dot): void {
    const at = y * this.width + x;
    if (this.#cells[at]?.isPoint !== true) this.#cells[at] = { series, isPoint: true };
  }

  connect(series: number, from: Dot, to: Dot): void {
    for (const { x, y } of dotsBetween(from, to))
      this.#cells[y * this.width + x] ??= { series, isPoint: false };
  }

  line(row: number, paints: readonly Paint[]): string {
    const cells = this.#cells.slice(row * this.width, (row + 1) * this.width).map(cell => ({
      text: cell === undefined ? ' ' : cell.isPoint ? (this.#marks[cell.series] ?? '*') : this.#between,
      series: cell?.series,
    }));
    return paintedLine(cells, paints);
  }

  sample(series: number): string {
    return this.#marks[series] ?? '*';
  }
}
