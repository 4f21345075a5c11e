/**
 * Text as PowerShell reads exactly this text. PowerShell may replace the open quote before the cursor or keep it, so that in quotes
 * (`isQuoted`) only what is harmless either way can be inserted; undefined for other text.
 */
export function powershellText(text: string, isQuoted: boolean): string | undefined {
  if (isQuoted && !/^[\w./:=%+\- \p{L}\p{N}]*$/u.test(text)) return undefined;
  if (/^[\w./:=+-][\w./:=%+-]*$/.test(text)) return text;
  // PowerShell ends a text in single quotes at typographic ones too.
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}
