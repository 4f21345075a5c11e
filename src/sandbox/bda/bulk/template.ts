import type { Column } from '../columns.ts';
import { COUNTRIES } from '../facts/groups.ts';
import { pagesOf } from '../facts/pages.ts';

/** Number of row templates; a power of two. */
export const TEMPLATES = 64;
/** Maximum length of a page URL in the bulk data set. */
const MAX_URL_LENGTH = 160;
/** Spellings of JSON numbers that parsers often get wrong. */
const NUMBER_FORMS = [
  '0',
  '-0',
  '1.0E+3',
  '-2.50',
  '1e-7',
  '12345678901234567890',
  '0.1000000000000000055511',
  '-6.02e+23',
  '1E400',
  '100',
];

/** Digits that change from row to row. */
const ROW_ID_PREFIX = '73250918';
export const COUNTER_WIDTH = 12;
export const REVENUE_FRACTION = 22;

export type Slot = 'row_id' | 'report_day' | 'visits' | 'pageviews' | 'engaged_time' | 'revenue';

/** Bytes of a row and the positions of its changing digits. */
export interface Template {
  readonly bytes: Buffer;
  readonly slots: readonly { readonly slot: Slot; readonly at: number }[];
}

/** Text of a column in a template; the changing digits are zeros. */
function cellText(column: Column, index: number, pages: readonly string[]): string {
  switch (column.name) {
    case 'row_id':
      return ROW_ID_PREFIX + '0'.repeat(COUNTER_WIDTH);
    case 'report_day':
      return '"0000-00-00"';
    case 'visits':
      return `${1 + (index % 9)}0`;
    case 'pageviews':
      return `${1 + (index % 9)}00`;
    case 'engaged_time':
      return `${1 + ((index * 7) % 9)}000.000`;
    case 'revenue':
      return `${1 + ((index * 5) % 9)}.${'0'.repeat(REVENUE_FRACTION)}`;
    case 'country':
      return `"${COUNTRIES[index % COUNTRIES.length]?.[0] ?? ''}"`;
    case 'page_url':
      return pageText(pages[index % pages.length] ?? '', index);
    default:
      return NUMBER_FORMS[index % NUMBER_FORMS.length] ?? '0';
  }
}

/** Half of the URLs in plain UTF-8, half with all escapes that JSON allows. */
function pageText(url: string, index: number): string {
  const text = JSON.stringify(url);
  if (index % 2 === 0) return text;
  return text
    .replaceAll('/', '\\/')
    .replace(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Offset of the changing digits in a cell. */
const DIGITS_AT: Readonly<Record<Slot, number>> = {
  row_id: ROW_ID_PREFIX.length,
  report_day: 1,
  visits: 1,
  pageviews: 1,
  engaged_time: 1,
  revenue: 2,
};

/** The templates for the columns of a query, in their order, each with a leading comma. */
export function rowTemplates(columns: readonly Column[], domains: readonly string[]): Template[] {
  const pages = domains
    .flatMap(domain => pagesOf(domain, { queryParams: true, fragments: true, lowerCase: false }))
    .map(page => page.url)
    .filter(url => url.length <= MAX_URL_LENGTH);
  return Array.from({ length: TEMPLATES }, (_, index) => {
    const slots: { slot: Slot; at: number }[] = [];
    let text = ',{';
    for (const column of columns) {
      text += `${text.length > 2 ? ',' : ''}"${column.name}":`;
      if (column.name in DIGITS_AT) {
        const slot = column.name as Slot;
        slots.push({ slot, at: Buffer.byteLength(text) + DIGITS_AT[slot] });
      }
      text += cellText(column, index, pages);
    }
    return { bytes: Buffer.from(`${text}}`), slots };
  });
}
