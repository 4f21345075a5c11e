import type { Panel } from '../chart/chart.ts';
import type { Theme } from './theme.ts';

const PLOT_HEIGHT = 260;
/** Paper is narrower than a page on a screen, and has no more sheets than it takes. */
export const ON_PAPER = { plotHeight: 160, panelEnd: 30 };
/** Average width of a character at the font size of labels. The reader's font is not known. */
export const CHARACTER = 7;

/** The first and the last row of bars that are drawn. */
export type Rows = readonly [first: number, last: number];

/** How a chart is drawn. */
export interface DocumentStyle {
  readonly theme: Theme;
  /** Pixels. */
  readonly width: number;
  /** A standalone file has title, legend and notes in the drawing; a page has them in its markup. */
  readonly isStandalone: boolean;
  /** Names of series that are not drawn. */
  readonly hidden: ReadonlySet<string>;
  readonly fontFamily?: string;
  readonly isPaper?: boolean;
  /** The first and the last row of bars to draw; the default is all. */
  readonly rows?: Rows | undefined;
}

/** Bars are horizontal, so that their labels can be read. */
export function isUpright({ shape }: Panel): boolean {
  return shape !== 'bars' && shape !== 'waterfall';
}

/** Whether the series of a panel have names, for a legend and at the ends of lines. */
export function isNamed({ series }: Panel): boolean {
  return series.some(({ name }) => name !== undefined);
}

/** The height of a plot of lines, in pixels. */
export function plotHeight({ isPaper = false }: DocumentStyle): number {
  return isPaper ? ON_PAPER.plotHeight : PLOT_HEIGHT;
}
