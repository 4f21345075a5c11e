import type { Style } from '../../src/output/view.ts';

const wrapIn = (mark: string) => (text: string) => `${mark}${text}${mark}`;

/** A pipe: nothing is cut, nothing is painted. */
export const PIPE: Style = {
  width: undefined,
  paint: {
    bold: text => text,
    dim: text => text,
    green: text => text,
    red: text => text,
    yellow: text => text,
    cyan: text => text,
  },
  timeZone: 'Europe/Berlin',
  unicode: true,
  csvDialect: 'rfc4180',
};

export function terminal(width: number): Style {
  return { ...PIPE, width };
}

/** Paint that shows in expectations. */
export const PAINTED: Style = {
  ...PIPE,
  paint: {
    bold: wrapIn('*'),
    dim: wrapIn('~'),
    green: wrapIn('+'),
    red: wrapIn('-'),
    yellow: wrapIn('y'),
    cyan: wrapIn('c'),
  },
};
