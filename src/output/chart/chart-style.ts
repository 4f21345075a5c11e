import type { Style } from '../view.ts';

/** What a plot is drawn with. */
export type ChartStyle = Style & { readonly width: number };
