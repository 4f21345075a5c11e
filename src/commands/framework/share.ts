/** A share, and the text that names it. */
export interface Share {
  readonly text: string;
  /** The digits of the text, 0 to 100. */
  readonly percent: string;
}

/** Reads `5%` or `0.5 %`; undefined for anything else: `0.5` may be meant as a half. */
export function shareOf(text: string): Share | undefined {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,6})?) ?%$/.exec(text.trim()) ?? [];
  return digits === undefined || Number(digits) > 100 ? undefined : { text: text.trim(), percent: digits };
}
