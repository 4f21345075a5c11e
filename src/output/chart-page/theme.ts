import type { Panel } from '../chart/chart.ts';

/** Colours of a chart file. Any two series colours differ under every common colour blindness (a test measures it). */
export interface Theme {
  readonly text: string;
  readonly faint: string;
  readonly line: string;
  /** Behind weekends. */
  readonly shade: string;
  readonly background: string;
  readonly series: readonly string[];
}

export const LIGHT: Theme = {
  text: '#1b1f24',
  faint: '#59636e',
  line: '#d8dde3',
  shade: '#f3f5f7',
  background: '#ffffff',
  series: ['#0072b2', '#d55e00', '#9f17ff', '#969665', '#80142e', '#36009d', '#a26580', '#51205d'],
};

export const DARK: Theme = {
  text: '#e6e9ed',
  faint: '#9aa5b1',
  line: '#3a424b',
  shade: '#1f252c',
  background: '#14181d',
  series: ['#56b4e9', '#ff9a4d', '#ddef01', '#f50d50', '#8075f8', '#aef6a0', '#ffbfd1', '#ff11ae'],
};

/** Marker and dash pattern of each series, so that lines differ without colour. The markers match `MARKS`. */
export const LINE_STYLES: readonly { readonly symbol: string; readonly dash: readonly number[] | 'solid' }[] =
  [
    { symbol: 'circle', dash: 'solid' },
    { symbol: 'triangle', dash: [8, 4] },
    { symbol: 'rect', dash: [2, 3] },
    { symbol: 'diamond', dash: [10, 3, 2, 3] },
    { symbol: 'emptyCircle', dash: [16, 4] },
    { symbol: 'emptyTriangle', dash: [5, 2] },
    { symbol: 'emptyRect', dash: [10, 3, 2, 3, 2, 3] },
    { symbol: 'emptyDiamond', dash: [1, 6] },
  ];

/** Dash pattern of the ends of a range, and their mark in the legend of a page. */
export const BOUND_STYLES = {
  lowest: { dash: [8, 3], mark: '╌' },
  highest: { dash: 'solid', mark: '─' },
} as const;

/** The colour of a series. What the only series is compared with is grey; of several, each earlier period has the colour of its own. */
export function colourOf(panel: Panel, at: number, theme: Theme): string {
  const { series } = panel;
  const isOnly = series.filter(({ isBefore }) => !isBefore).length === 1 && series[at]?.isBefore === true;
  return isOnly ? theme.faint : (theme.series[colourIndex(panel, at) % theme.series.length] ?? theme.text);
}

/** The index in the theme's colours: a series and its earlier period share one. */
export function colourIndex({ series }: Panel, at: number): number {
  return series.some(({ isBefore }) => isBefore) ? Math.floor(at / 2) : at;
}
