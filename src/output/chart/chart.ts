/** What a picture shows, whoever draws it. */
export interface Chart {
  readonly title: string;
  /** One for each figure, drawn one below the other. */
  readonly panels: readonly Panel[];
  /** What else a reader has to know: sentences. */
  readonly remarks: readonly string[];
}

/**
 * - `line`: figures over time · `bars`: a bar for each position · `sparklines`: a small line for each series, of which there
 *   are many
 */
export type Shape = 'line' | 'bars' | 'sparklines';

export interface Panel {
  /** The figure's column. */
  readonly title: string;
  /** Such as `USD`; undefined where it is not known or says nothing. */
  readonly unit: string | undefined;
  readonly shape: Shape;
  /** What the positions are: the dimensions' columns. */
  readonly axis: string;
  readonly positions: readonly Position[];
  readonly series: readonly Series[];
}

export interface Position {
  readonly label: string;
  /** Says why it does not count whole, such as `5 of 7 days`. */
  readonly part?: string | undefined;
}

export interface Series {
  /** Undefined where there is one alone. */
  readonly name: string | undefined;
  /** For each position its point; undefined where there is none, or none that can be drawn. */
  readonly points: readonly (Point | undefined)[];
  /** The days before, drawn lighter. */
  readonly isBefore?: boolean;
}

export interface Point {
  /** Finite. */
  readonly value: number;
  /** The digits as they were sent. */
  readonly digits: string;
  /** What it stands for, where that is not its position: the day before. */
  readonly label?: string | undefined;
  /** False where days without data are counted: then no change from it is shown. */
  readonly isComparable?: false;
}

/** The points that are there, with their positions. */
export function pointsOf(
  { points }: Series,
  positions: readonly Position[],
): { readonly point: Point; readonly label: string; readonly index: number }[] {
  return points.flatMap((point, index) =>
    point === undefined ? [] : [{ point, label: point.label ?? positions[index]?.label ?? '', index }],
  );
}
