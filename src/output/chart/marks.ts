/** Marks of the series of a chart, in order. The chart files draw the same shapes. */
export const MARKS = {
  unicode: ['●', '▲', '■', '◆', '○', '△', '□', '◇'],
  ascii: ['*', 'o', '+', 'x', '#', '@', '%', '&'],
};
