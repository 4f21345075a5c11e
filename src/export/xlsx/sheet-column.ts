import type { Presentation } from '../../output/presentation/column.ts';

/** A column of a sheet. */
export interface SheetColumn {
  readonly name: string;
  /** The text of its header; the default is the name. */
  readonly heading?: string | undefined;
  /** Whether its header is above numbers, and aligned with them. */
  readonly hasNumbers: boolean;
  /** Whether its texts are days, `YYYY-MM-DD`, which become dates. */
  readonly hasDays: boolean;
  /** What a period that one of its texts names lacks of its days; undefined for other texts. */
  readonly partOf?: ((label: string) => string | undefined) | undefined;
  /**
   * Whether its numbers are numbers of the sheet: `text` where one of them has more digits than a double keeps, so that no sum leaves
   * some out; `unknown` where they come one by one, and each is checked.
   */
  readonly numbers: 'exact' | 'text' | 'unknown';
  /** Rounds its numbers to so many decimals. */
  readonly decimals?: number | undefined;
  /** Whether its numbers are changes of ratios, of which the sheet has percentage points: a format cannot multiply them without `%`. */
  readonly isPoints?: boolean;
  /** The format of its numbers: `#,##0.00`. */
  readonly format: string;
  /** In characters. */
  readonly width: number;
}

export const DAY_FORMAT = 'yyyy-mm-dd';

/** Limits of the file format, which readers enforce. */
export const MAX_SHEET_ROWS = 1_048_576;
export const MAX_SHEET_COLUMNS = 16_384;
/** UTF-16 code units. */
export const MAX_CELL_TEXT = 32_767;

const MIN_WIDTH = 8;
const MAX_WIDTH = 60;
/** The filter button of a header covers its end. */
const FILTER_BUTTON = 3;
const MARGIN = 1;

/** The width of a column with a header and cells of at most so many characters. */
export function columnWidth(name: string, cellCharacters: number): number {
  const wanted = Math.max(name.length + FILTER_BUTTON, cellCharacters + MARGIN);
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, wanted));
}

/** Digits that name things instead of counting them. */
const IDENTIFIER = /(?:^id|_id|Id|ID)$/;
const CURRENCY = /^[A-Z]{3}$/;
/** More decimals are a matter of exactness, not of reading. */
const MAX_DECIMALS = 6;
/** Of the figures of an explanation or a comparison, in percent and in points. */
const PERCENT_DECIMALS = 1;

/** How the numbers of a column are read; `unit` is a currency to write in its cells. */
export type CellFigure = Pick<Presentation, 'figure' | 'isChange'> & Partial<Pick<Presentation, 'unit'>>;

/** The format of numbers with at most so many decimals; changes have a sign. */
export function numberFormat(name: string, shown: CellFigure, decimals: number): string {
  if (IDENTIFIER.test(name) && decimals === 0) return '0';
  const format = sizeFormat(shown, decimals);
  return shown.isChange ? `+${format};"\u2212"${format};${format}` : format;
}

/** Whether the cells of a column are in percentage points, a hundred times the numbers. */
export function isInPoints({ figure, isChange }: CellFigure): boolean {
  return figure === 'ratio' && isChange;
}

/** Numbers in a format, without a sign. */
function sizeFormat({ figure, isChange, unit }: CellFigure, decimals: number): string {
  const plain =
    decimals === 0 ? '#,##0' : decimals > MAX_DECIMALS ? '#,##0.00##' : `#,##0.${'0'.repeat(decimals)}`;
  switch (figure) {
    case 'money': {
      const currency = unit?.toUpperCase() ?? '';
      return CURRENCY.test(currency) ? `[$${currency}] #,##0.00` : '#,##0.00';
    }
    case 'ratio':
      return isChange ? `#,##0.${'0'.repeat(PERCENT_DECIMALS)}" pp"` : '0.0%';
    case 'percent':
      return isChange ? `#,##0.${'0'.repeat(PERCENT_DECIMALS)}" %"` : `${plain}"%"`;
    case 'seconds':
      return decimals === 0 ? '#,##0" s"' : '#,##0.0" s"';
    default:
      return plain;
  }
}

/** What a cell of a period that lacks days shows after its value. */
export function partSuffix(part: string): string {
  return ` (${part})`;
}

/** The format of such a cell: its value remains a day, or the text of a month. */
export function partialFormat(part: string): string {
  const suffix = `"${partSuffix(part)}"`;
  return `${DAY_FORMAT}${suffix};;;@${suffix}`;
}

/** How many characters a number with so many digits before the point has in a format. */
export function formattedLength(format: string, wholeDigits: number): number {
  const whole = Math.max(1, wholeDigits);
  const groups = format.includes(',') ? Math.floor((whole - 1) / 3) : 0;
  const decimals = /\.[0#]+/.exec(format)?.[0].length ?? 0;
  const [section = ''] = format.split(';');
  const text = [...section.matchAll(/\[\$([^\]]*)\] |"([^"]*)"/g)].reduce(
    (sum, [, symbol, quoted]) => sum + (symbol === undefined ? (quoted ?? '').length : symbol.length + 1),
    0,
  );
  const sign = 1;
  return sign + whole + groups + decimals + text;
}
