import { ENGLISH, type Locale } from './locale.ts';

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

interface DateParts {
  readonly year: string;
  readonly month: number;
  readonly day: number | undefined;
  readonly weekday: number;
  /** What follows: an hour, or the note of a partial week. */
  readonly rest: string;
}

function partsOf(text: string): DateParts | undefined {
  const [found, year = '', month = '', day, rest = ''] =
    /^(\d{4})-(\d\d)(?:-(\d\d))?((?:[ T(].*)?)$/.exec(text) ?? [];
  if (found === undefined) return undefined;
  const date = new Date(`${year}-${month}-${day ?? '01'}T00:00:00Z`);
  // 31 February is not a day.
  if (Number.isNaN(date.getTime()) || date.getUTCMonth() + 1 !== Number(month)) return undefined;
  return {
    year,
    month: Number(month),
    day: day && Number(day),
    weekday: date.getUTCDay(),
    rest,
  } as DateParts;
}

/**
 * Formats the days and months of a column: `Mon 16 Nov`, with the year where they are of several years; `Mon 16.11.2026` in German. Other
 * texts do not change.
 */
export function datesFormat(
  texts: Iterable<string>,
  { locale = ENGLISH }: { readonly locale?: Locale | undefined } = {},
): (text: string) => string {
  const years = new Set<string>();
  for (const text of texts) years.add(text.slice(0, 4));
  const isSeveral = years.size > 1;
  return text => {
    const parts = partsOf(text);
    if (parts === undefined) return text;
    const { year, month, day, weekday, rest } = parts;
    if (day === undefined) return `${monthText(year, month, locale, 'short')}${rest}`;
    const date =
      locale.tag === ENGLISH.tag
        ? `${WEEKDAYS[weekday]} ${day} ${shortMonth(month)}${isSeveral ? ` ${year}` : ''}`
        : `${WEEKDAYS[weekday]} ${numericDate(text, locale)}`;
    return date + rest;
  };
}

/** The form of `datesFormat` in the letters of spreadsheets: `ddd d mmm`, `ddd dd.mm.yyyy` in German. */
export function datePattern(
  length: 'day' | 'month',
  { locale = ENGLISH, isSeveral }: { readonly locale?: Locale | undefined; readonly isSeveral: boolean },
): string {
  if (locale.tag === ENGLISH.tag)
    return length === 'month' ? 'mmm yyyy' : `ddd d mmm${isSeveral ? ' yyyy' : ''}`;
  const letters: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {
    day: 'dd',
    month: 'mm',
    year: 'yyyy',
  };
  const day = length === 'day' ? ({ day: '2-digit' } as const) : {};
  const parts = formatOf(locale, { ...day, month: '2-digit', year: 'numeric' }).formatToParts(0);
  const date = parts.map(({ type, value }) => letters[type] ?? value.replace(/[^./ -]/g, '\\$&')).join('');
  return length === 'month' ? date : `ddd ${date}`;
}

/** `16 to 22 November 2026`, `30 November to 6 December 2026`; `16.11.2026 to 22.11.2026` in German. */
export function periodText(
  { from, to }: { readonly from: string; readonly to: string },
  { locale = ENGLISH }: { readonly locale?: Locale | undefined } = {},
): string {
  const [first, last] = [partsOf(from), partsOf(to)];
  if (first === undefined || last === undefined) return from === to ? from : `${from} to ${to}`;
  if (from === to) return dateText(from, { locale });
  if (locale.tag !== ENGLISH.tag || first.day === undefined || last.day === undefined)
    return `${dateText(from, { locale })} to ${dateText(to, { locale })}`;
  if (first.year !== last.year) return `${dateText(from)} to ${dateText(to)}`;
  const start = first.month === last.month ? first.day : `${first.day} ${MONTHS[first.month - 1]}`;
  return `${start} to ${dateText(to)}`;
}

/** `16 to 22 Nov`, with the years of days of two years; `16.11.2026 to 22.11.2026` in German. */
export function shortPeriodText(
  { from, to }: { readonly from: string; readonly to: string },
  { locale = ENGLISH }: { readonly locale?: Locale | undefined } = {},
): string {
  const [first, last] = [partsOf(from), partsOf(to)];
  const isEnglish = locale.tag === ENGLISH.tag && first?.day !== undefined && last?.day !== undefined;
  if (!isEnglish) return periodText({ from, to }, { locale });
  const year = first.year === last.year ? () => '' : (parts: DateParts) => ` ${parts.year}`;
  const date = (parts: DateParts) => `${parts.day} ${shortMonth(parts.month)}${year(parts)}`;
  if (from === to) return date(first);
  const start = first.year === last.year && first.month === last.month ? first.day : date(first);
  return `${start} to ${date(last)}`;
}

/** `16 November 2026`, `November 2026`; `16.11.2026` in German. Other texts do not change. */
export function dateText(
  text: string,
  { locale = ENGLISH }: { readonly locale?: Locale | undefined } = {},
): string {
  const parts = partsOf(text);
  if (parts === undefined) return text;
  const { year, month, day, rest } = parts;
  if (day === undefined) return `${monthText(year, month, locale, 'long')}${rest}`;
  if (locale.tag !== ENGLISH.tag) return numericDate(text, locale) + rest;
  return `${day} ${MONTHS[month - 1]} ${year}${rest}`;
}

function shortMonth(month: number): string {
  return (MONTHS[month - 1] ?? '').slice(0, 3);
}

function monthText(year: string, month: number, locale: Locale, length: 'short' | 'long'): string {
  if (locale.tag === ENGLISH.tag)
    return `${length === 'short' ? shortMonth(month) : MONTHS[month - 1]} ${year}`;
  return intl(`${year}-${String(month).padStart(2, '0')}-01`, locale, { month: '2-digit', year: 'numeric' });
}

function numericDate(text: string, locale: Locale): string {
  return intl(text, locale, { day: '2-digit', month: '2-digit', year: 'numeric' });
}

/** Arabic dates have some, which a terminal would show as escapes. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f]/g;

function intl(text: string, locale: Locale, form: Intl.DateTimeFormatOptions): string {
  return formatOf(locale, form)
    .format(new Date(`${text.slice(0, 10)}T00:00:00Z`))
    .replaceAll(DIRECTION_MARKS, '');
}

function formatOf({ tag }: Locale, form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const options = { ...form, timeZone: 'UTC', calendar: 'gregory', numberingSystem: 'latn' };
  return new Intl.DateTimeFormat(tag, options);
}
