const NUMBER = /^[+-]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?$/i;

/** What a spreadsheet runs: a cell that begins with one of these, also behind blanks and in their wide forms. */
const FORMULA = /^(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/;

/** True for text that a spreadsheet would run when it opens a csv file. A number with its sign is none. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text) && !NUMBER.test(text);
}
