/** Colours of a picture. Neighbours differ for the colour-blind too. */
export interface Theme {
  readonly text: string;
  readonly faint: string;
  readonly line: string;
  /** Undefined where what lies behind shows through. */
  readonly background: string | undefined;
  readonly series: readonly string[];
}

export const LIGHT: Theme = {
  text: '#1b1f24',
  faint: '#59636e',
  line: '#d8dde3',
  background: '#ffffff',
  series: ['#0072b2', '#d55e00', '#009e73', '#aa4499', '#997700', '#56b4e9', '#7a5195', '#666666'],
};

export const DARK: Theme = {
  text: '#e6e9ed',
  faint: '#9aa5b1',
  line: '#3a424b',
  background: '#14181d',
  series: ['#56b4e9', '#ff9a4d', '#3ecf9f', '#e08bd0', '#e6c229', '#8ab4ff', '#c0a3e5', '#b0b7bf'],
};
