const DECIMALS = /^(-?[\d,]+\.)(\d+)$/;
/** Digits behind the point that a person compares by, not counting zeros that come first. */
const TELLING = 4;

/** A number as text with its decimals ended early by `mark`; the text itself where that would not be shorter. */
export function shortDecimals(text: string, mark: string): string {
  const [, whole, decimals] = DECIMALS.exec(text) ?? [];
  if (whole === undefined || decimals === undefined) return text;
  const zeros = /[1-9]/.test(whole) ? 0 : (/^0*/.exec(decimals)?.[0].length ?? 0);
  const short = whole + decimals.slice(0, zeros + TELLING) + mark;
  return short.length < text.length ? short : text;
}
