import type { Conclusion } from '../conclusion.ts';
import { headingOf, type Locale, labelInSentence, type Presentation } from '../presentation/index.ts';
import type { Style } from '../view.ts';

/** A chart, independent of what draws it. */
export interface Chart {
  readonly title: string;
  /** Whether a person chose the title. A terminal shows no other: its panels have headings. */
  readonly isTitled?: boolean;
  /** Where the figures are from and what days they cover. */
  readonly subtitle?: string | undefined;
  /** One for each figure, drawn one below the other. */
  readonly panels: readonly Panel[];
  /** Notes about the chart, in sentences. */
  readonly notes: readonly string[];
}

/**
 * - `line`: figures over time · `bars`: a bar for each position · `sparklines`: a small line for each series, of which there
 *   are many · `waterfall`: a bar for each step from one figure to another, with the levels at which they begin as a series of its own
 */
type Shape = 'line' | 'bars' | 'sparklines' | 'waterfall';

export interface Panel {
  /** What people call the figure. */
  readonly title: string;
  /** Such as `USD`; undefined if it is unknown, or written with each figure. */
  readonly unit: string | undefined;
  /** Whether its figures are means, such as ratios and counts per visit. */
  readonly isMean?: boolean;
  /** How its figures are written. */
  readonly figure?: Presentation['figure'];
  /** How numbers are written; undefined for English. */
  readonly locale?: Locale | undefined;
  readonly shape: Shape;
  /** The length of the times on the axis, where it is known. */
  readonly time?: Presentation['time'];
  /** What people call the dimensions; empty for none besides the time. */
  readonly axis: string;
  readonly positions: readonly Position[];
  /** The rows that its bars are of, such as `the first 10 of 28 rows`; undefined for all. */
  readonly limitedTo?: string | undefined;
  readonly series: readonly Series[];
  /** What the rows prove about the figure. */
  readonly conclusion?: Conclusion | undefined;
}

export interface Position {
  readonly label: string;
  /** Set for a partial period, such as `5 of 7 days`. */
  readonly part?: string | undefined;
  /** Whether it is a Saturday or Sunday. */
  readonly isWeekend?: boolean;
  /** Whether it is of several values together. */
  readonly isGroup?: boolean;
}

export interface Series {
  /** Undefined for the only series. */
  readonly name: string | undefined;
  /** One per position; undefined for a value that is missing or cannot be drawn. */
  readonly points: readonly (Point | undefined)[];
  /** The exact sum of its points, where the figure may be summed over the axis. */
  readonly total?: string | undefined;
  /** Whether it is the earlier period of a comparison, drawn lighter. */
  readonly isBefore?: boolean;
  /** Which end of a shaded range its line is. */
  readonly bound?: 'lowest' | 'highest';
  /** Whether it is where the bars of the next series begin; it is not drawn. */
  readonly isBase?: boolean;
}

export interface Point {
  /** Finite. */
  readonly value: number;
  /** The digits as the API sent them. */
  readonly digits: string;
  /** The day of an earlier period, if it differs from the label of the position. */
  readonly label?: string | undefined;
  /** What that period lacks of its days; undefined for a complete one. */
  readonly part?: string | undefined;
  /** False where the period includes days without data: no change from it is shown. */
  readonly isComparable?: false;
  /** The change from it per day, in percent, where the periods are unequal. */
  readonly perDay?: string;
}

/** The points of a series, with the labels of their positions. */
export function pointsOf(
  { points }: Series,
  positions: readonly Position[],
): { readonly point: Point; readonly label: string; readonly index: number }[] {
  return points.flatMap((point, index) =>
    point === undefined ? [] : [{ point, label: point.label ?? positions[index]?.label ?? '', index }],
  );
}

/** `Revenue (USD) per day by device` */
export function chartHeading(panel: Panel): string {
  return headingOf({ label: panel.title, unit: panel.unit }) + overAxis(panel);
}

/** ` per day by device`: what the figures of a chart are drawn over; of means ` by day, device`, because they are no sums of a day. */
export function overAxis({ time, axis, isMean = false }: Pick<Panel, 'time' | 'axis' | 'isMean'>): string {
  const per = time === undefined || isMean ? '' : ` per ${time}`;
  const by = [...(isMean && time !== undefined ? [time] : []), ...(axis === '' ? [] : [axis])];
  return by.length === 0 ? per : `${per} by ${by.join(', ')}`;
}

/** `Visits and page views per day by country`: what rows with these columns are about. */
export function titleOfRows(
  figures: readonly Presentation[],
  dimensions: readonly Presentation[],
  isMean: boolean,
): string {
  const [first, ...others] = (figures.length > 0 ? figures : dimensions).map(({ label }) => label);
  const labels = [first ?? '', ...others.map(labelInSentence)];
  const last = labels.length > 1 ? labels.pop() : undefined;
  const title = last === undefined ? labels.join(', ') : `${labels.join(', ')} and ${last}`;
  if (figures.length === 0) return title;
  const time = dimensions.find(each => each.time !== undefined)?.time;
  const axis = dimensions.filter(each => each.time === undefined).map(({ label }) => labelInSentence(label));
  return title + overAxis({ time, axis: axis.join(', '), isMean });
}

/** Of a label behind a figure: a long address would hide the figures. */
export const LONGEST_LABEL = 60;

/** A label behind a figure, in brackets; one that has some, such as `(none)`, as it is. */
export function inBrackets(label: string): string {
  return /^\(.*\)$/.test(label) ? label : `(${label})`;
}

/** Whether a panel has a single row: a figure, and not a bar. */
export function isFigure({ shape, positions }: Panel): boolean {
  return shape === 'bars' && positions.length === 1;
}

/** What a plot is drawn with. */
export type ChartStyle = Style & { readonly width: number };
