import type { ReasonFacts } from '../errors/reasons.ts';
import { shellQuote } from '../text/shell-words.ts';

/** What people call some formats, with what to type. */
const FORMATS: Readonly<Record<string, string>> = {
  excel: '-o xlsx --out FILE.xlsx',
  xls: '-o xlsx --out FILE.xlsx',
  spreadsheet: '-o xlsx --out FILE.xlsx',
  markdown: '-o md',
  jsonl: '-o ndjson',
  text: '-o table',
  htm: '-o html',
  pdf: '-o html > FILE.html, and print the page to a PDF in a browser',
};

/** What to type instead of a value that is none of the words of a flag. */
export function choiceHint({ flag, given, words }: ReasonFacts['not_one_of']): string {
  if (flag === '--output') {
    const format = FORMATS[given.toLowerCase()];
    if (format !== undefined) return `type ${format}`;
    // It is a file for curl and many compilers.
    if (/[./\\]/.test(given))
      return 'it names a format; rows are written with --out FILE, other output with > FILE';
  }
  if (flag === '--previous' && /^\d/.test(given)) return 'for several, up to yesterday, type --last 3m';
  return `one of: ${words.join(', ')}`;
}

/** `country IN (DE, AT)`, `device is mobile`. */
const IN_WORDS = /^\s*([a-z_]+)\s+(?:is|in|equals|eq)\s+\(?([^()'"<>=]+?)\)?\s*$/i;
const GROUPED = /^\s*(\w+)\s*(>=?|=)\s*(\d{1,3}(?:,\d{3})+)\s*$/;
const WITH_COLON = /^\s*(\w+)\s*:\s*([^:'"]+?)\s*$/;

/** The filter that was meant; else the form of one. */
export function filterHint({ text, form }: ReasonFacts['not_a_filter']): string {
  const [, column, sign = '=', digits] = GROUPED.exec(text) ?? [];
  if (digits !== undefined) return `type ${shellQuote(`${column}${sign}${digits.replaceAll(',', '')}`)}`;
  const [, name, values] = IN_WORDS.exec(text) ?? WITH_COLON.exec(text) ?? [];
  if (values === undefined) return form;
  return `type ${shellQuote(`${name}=${values.replaceAll(/\s*,\s*/g, ',')}`)}`;
}
