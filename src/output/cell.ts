import { digitsOf, isJsonNumber, type Json, type JsonRecord, stringifyJson, textOf } from '../json/index.ts';
import { printable } from '../text/printable.ts';
import { groupThousands } from './number.ts';
import {
  agreeingStyle,
  comparedWith,
  datesFormat,
  figuresFormat,
  type Presentation,
  regrouped,
} from './presentation/index.ts';
import { valueIn } from './shape.ts';
import { shortNames } from './short-names.ts';
import { localTimes, looksLikeTime, startsWithDay } from './time.ts';
import { valueName } from './value-name.ts';
import type { Column, Style } from './view.ts';

/** Names of fields with ids, whose digits are not grouped. */
const IDENTIFIER = /(?:^id|_id|Id|ID)$/;

/** Formats one value for people, on one line and safe for a terminal. */
export type CellWriter = (value: Json | undefined, column: Column) => string;

/**
 * Formats cells of table, md and html: see `Column.kind`. Null and a missing field are a dash, booleans are yes and no. With
 * `Style.decimals`, the numbers of a column are rounded if one of them in `rows` has decimals. `columns` are those of the table.
 */
export function cellWriter(
  style: Pick<Style, 'timeZone' | 'unicode' | 'decimals' | 'locale'>,
  rows: readonly JsonRecord[] = [],
  columns: readonly Column[] = [],
): CellWriter {
  // Time zones are slow to load, so the first time loads them.
  let localTime: ((text: string) => string | undefined) | undefined;
  const timeOf = (text: string) => {
    if (!looksLikeTime(text)) return undefined;
    localTime ??= localTimes(style.timeZone);
    return localTime(text);
  };
  const presented = presentedCells(style, rows, new Set(columns.map(({ key }) => key)));
  // Texts without marks are alike in all locales, which take time to load.
  const local = (text: string) => (/[,.]/.test(text) ? regrouped(text, style.locale) : text);
  return (value, column) => {
    const shown = presented(value, column);
    if (shown !== undefined) return printable(shown);
    if (column.kind === 'name')
      return (typeof value === 'string' ? timeOf(value) : undefined) ?? printable(valueName(value ?? null));
    if (value === null || value === undefined) return style.unicode ? '–' : '-';
    if (typeof value === 'boolean') return flagText(value, column);
    if (isJsonNumber(value)) return local(numberCell(digitsOf(value), column));
    if (typeof value !== 'string') return printable(stringifyJson(value));
    if (column.kind === 'number') return printable(local(groupThousands(value)));
    const time = column.kind === undefined || column.kind === 'time' ? timeOf(value) : undefined;
    return time ?? printable(value);
  };
}

function flagText(value: boolean, { flag = { yes: 'yes', no: 'no' } }: Column): string {
  return value ? flag.yes : flag.no;
}

/** Figures and times of columns whose presentation is known; undefined for other values. */
function presentedCells(
  style: Pick<Style, 'unicode' | 'decimals' | 'locale'>,
  rows: readonly JsonRecord[],
  shownKeys: ReadonlySet<string>,
): (value: Json | undefined, column: Column) => string | undefined {
  const formats = new Map<string, (text: string) => string>();
  const formatOf = (column: Column, presentation: Shown) => {
    const known = formats.get(column.key);
    if (known !== undefined) return known;
    // The days of a comparison may be of another year, in a column of their own.
    const values = (row: JsonRecord) =>
      presentation.time === undefined
        ? [textOf(valueIn(row, column))]
        : Object.values(row).flatMap(value =>
            typeof value === 'string' && startsWithDay(value) ? [value] : [],
          );
    const texts = rows.flatMap(row => values(row).filter(text => text !== ''));
    const format =
      presentation.time === undefined
        ? figuresFormat(
            presentation,
            texts,
            agreeingStyle(presentation, comparedIn(rows, column, shownKeys), style, true),
          )
        : datesFormat(texts, style);
    formats.set(column.key, format);
    return format;
  };
  const rounded = new Map<string, boolean>();
  const isRounded = (column: Column) => {
    const known = rounded.get(column.key) ?? hasDecimals(column, rows);
    rounded.set(column.key, known);
    return known;
  };
  return (value, column) => {
    const { kind } = column;
    const isOther = column.presentation === undefined && typeof style.decimals === 'number';
    const presentation: Shown | undefined = isOther && isRounded(column) ? ROUNDED : column.presentation;
    if (presentation === undefined || kind === 'name') return undefined;
    const isNumber = kind === 'number' || (column.presentation === undefined && isJsonNumber(value));
    const isText = typeof value === 'string';
    const isShown = presentation.time === undefined ? isNumber && (isText || isJsonNumber(value)) : isText;
    return isShown ? formatOf(column, presentation)(textOf(value)) : undefined;
  };
}

/** The figures of a column with those before and their differences, where the table has all three. */
function comparedIn(rows: readonly JsonRecord[], { key, compared }: Column, shownKeys: ReadonlySet<string>) {
  const names = compared ?? comparedWith(key);
  if (!names.every(name => shownKeys.has(name))) return [];
  return rows.flatMap(row => {
    const [now = '', before = '', difference = ''] = names.map(name => textOf(row[name] ?? null));
    return [now, before, difference].includes('') ? [] : [{ now, before, difference }];
  });
}

type Shown = Pick<Presentation, 'figure' | 'isChange' | 'isShare'> & Partial<Pick<Presentation, 'time'>>;

/** Columns without a presentation that a requested number of decimals applies to. */
const ROUNDED = { figure: 'number', isChange: false } as const;

/** Whether a column has numbers with decimals; ids and texts do not count. */
function hasDecimals(column: Column, rows: readonly JsonRecord[]): boolean {
  const { key, kind } = column;
  if (kind !== 'number' && (kind !== undefined || IDENTIFIER.test(key))) return false;
  return rows.some(row => {
    const value = valueIn(row, column);
    return (isJsonNumber(value) || kind === 'number') && /^-?\d+[.e]/i.test(textOf(value));
  });
}

function numberCell(digits: string, column: Column): string {
  if (column.kind === 'number') return groupThousands(digits);
  if (column.kind !== undefined || IDENTIFIER.test(column.key)) return digits;
  // Four digits are as often a year as a count.
  return groupThousands(digits, 5);
}

/** Whether to align a column right: number columns, and columns that contain only numbers. */
export function isRightAligned(column: Column, values: readonly (Json | undefined)[]): boolean {
  if (column.align !== undefined) return column.align === 'right';
  if (column.kind !== undefined && column.kind !== 'name') return column.kind === 'number';
  const present = values.filter(value => value !== null && value !== undefined);
  return present.length > 0 && present.every(isJsonNumber);
}

/** Columns of an address, which is some two lines of a table. */
const MAX_ADDRESS = 120;

const LONG_ADDRESS = /\bhttps?:\/\/\S{120,}/g;

/** Shortens long addresses in the values of a column, which would fill a page; different ones remain different. */
export function shortAddresses(values: readonly (Json | undefined)[]): (text: string) => string {
  const nameOf = shortNames(
    values.flatMap(value => (typeof value === 'string' ? (value.match(LONG_ADDRESS) ?? []) : [])),
    MAX_ADDRESS,
  );
  return text => text.replace(LONG_ADDRESS, nameOf);
}
