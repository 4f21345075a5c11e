import { timesHundred } from '../../output/number.ts';
import type { Presentation } from '../../output/presentation/column.ts';
import { datePattern } from '../../output/presentation/dates.ts';
import type { Locale } from '../../output/presentation/locale.ts';

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
  /** What its cells have of its numbers, where a format cannot do so; undefined for the numbers. */
  readonly scale?: Scale | undefined;
  /** The format of its numbers: `#,##0.00`. */
  readonly format: string;
  /** The format of its days, and whether they are months, `YYYY-MM`; the default is `DAY_FORMAT`. */
  readonly dates?: { readonly format: string; readonly areMonths: boolean } | undefined;
  /** The text of a cell without a value; undefined for an empty cell. */
  readonly dash?: string | undefined;
  /** In characters. */
  readonly width: number;
}

/** Percentage points of changes of ratios, or parts of a day, as which a sheet has times of some seconds. */
type Scale = 'points' | 'days';

export const DAY_FORMAT = 'yyyy-mm-dd';
/** A format is in English, as the other words of a sheet. */
const ENGLISH_NAMES = '[$-409]';

/** Whether a format is one of days, which are at the left. */
export function isDayFormat(format: string): boolean {
  return format.startsWith(DAY_FORMAT) || format.startsWith(ENGLISH_NAMES);
}

/** The format of days and months as `datesFormat` writes them. */
export function datesFormatCode(
  time: NonNullable<Presentation['time']>,
  { locale, years }: { readonly locale: Locale | undefined; readonly years: number },
): string {
  return ENGLISH_NAMES + datePattern(time === 'month' ? 'month' : 'day', { locale, isSeveral: years > 1 });
}

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
export type CellFigure = Pick<Presentation, 'figure' | 'isChange'> &
  Partial<Pick<Presentation, 'unit'>> & {
    /** Whether seconds are times of a spreadsheet, for people. */
    readonly isTime?: boolean;
  };

/** The format of numbers with at most so many decimals, or those that were `requested`; changes have a sign. */
export function numberFormat(
  name: string,
  shown: CellFigure,
  decimals: number,
  requested?: number | undefined,
): string {
  if (IDENTIFIER.test(name) && decimals === 0) return '0';
  const format = sizeFormat(shown, decimals, requested);
  return shown.isChange ? `+${format};"\u2212"${format};${format}` : format;
}

/** What cells have of the numbers of a column. A spreadsheet displays no negative time, so changes remain seconds. */
export function scaleOf({ figure, isChange, isTime }: CellFigure): Scale | undefined {
  if (figure === 'ratio' && isChange) return 'points';
  return figure === 'seconds' && isTime && !isChange ? 'days' : undefined;
}

const SECONDS_A_DAY = 86_400;

/** The digits of a number as a cell has them. */
export function scaled(digits: string, scale: Scale | undefined): string {
  if (scale === undefined) return digits;
  return scale === 'points' ? timesHundred(digits) : String(Number(digits) / SECONDS_A_DAY);
}

/** `45 s`, `3 m 12 s`, `39 h 20 m 4 s`, each up to where a table rounds to the next unit. */
const TIME_FORMAT = `[<${59.5 / SECONDS_A_DAY}]s" s";[<${3599.5 / SECONDS_A_DAY}][m]" m "s" s";[h]" h "m" m "s" s"`;
const TIME_CHARACTERS = '1,000 h 59 m 59 s'.length;

/** Numbers in a format, without a sign. */
function sizeFormat(
  { figure, isChange, unit, isTime }: CellFigure,
  decimals: number,
  requested: number | undefined,
): string {
  const withPlaces = (places: number) => (places === 0 ? '0' : `0.${'0'.repeat(places)}`);
  const ofShare = withPlaces(requested ?? PERCENT_DECIMALS);
  const plain =
    decimals === 0 ? '#,##0' : decimals > MAX_DECIMALS ? '#,##0.00##' : `#,##0.${'0'.repeat(decimals)}`;
  switch (figure) {
    case 'money': {
      const currency = unit?.toUpperCase() ?? '';
      return CURRENCY.test(currency) ? `[$${currency}] #,##0.00` : '#,##0.00';
    }
    case 'ratio':
      return isChange ? `#,##${ofShare}" pp"` : `${ofShare} %`;
    case 'points':
      return `#,##${ofShare}" pp"`;
    case 'percent':
      return `${isChange ? `#,##${ofShare}` : plain}" %"`;
    case 'seconds':
      if (isTime && !isChange) return TIME_FORMAT;
      return `#,##${withPlaces(requested ?? Math.min(1, decimals))}" s"`;
    default:
      return plain;
  }
}

/** What a cell of a period that lacks days shows after its value. */
export function partSuffix(part: string): string {
  return ` (${part})`;
}

/** The format of such a cell: its value remains a day, or the text of a month. */
export function partialFormat(part: string, format = DAY_FORMAT): string {
  const suffix = `"${partSuffix(part)}"`;
  return `${format}${suffix};;;@${suffix}`;
}

/** How many characters a number with so many digits before the point has in a format. */
export function formattedLength(format: string, wholeDigits: number): number {
  if (format === TIME_FORMAT) return TIME_CHARACTERS;
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
