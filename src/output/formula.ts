const NUMBER = /^[+-]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?$/i;

/** The start of a formula in a spreadsheet, after optional blanks, including full-width forms. */
const FORMULA = /^(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/;

/** Whether a spreadsheet would run a text as a formula; false for a signed number. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text) && !NUMBER.test(text);
}
