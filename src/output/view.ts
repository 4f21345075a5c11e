import type { Json } from '../json/index.ts';
import type { Painter } from '../terminal/colour.ts';
import type { Locale, Presentation } from './presentation/index.ts';

export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv', 'md', 'html'] as const;
export type Format = (typeof FORMATS)[number];

/** Formats for people, which need all rows for their layout. */
const READING_FORMATS = ['table', 'md', 'html'] as const;
export type PeopleFormat = (typeof READING_FORMATS)[number];

/** Formats that are written row by row. */
export type StreamFormat = Exclude<Format, PeopleFormat>;

/** Formats that are files: the rows are converted once all of them are there. */
export const FILE_ONLY_FORMATS = ['parquet', 'xlsx'] as const;
export type FileOnlyFormat = (typeof FILE_ONLY_FORMATS)[number];

export function isFileOnly(format: Format | FileOnlyFormat): format is FileOnlyFormat {
  return (FILE_ONLY_FORMATS as readonly string[]).includes(format);
}

export function isForPeople(format: Format): format is PeopleFormat {
  return (READING_FORMATS as readonly Format[]).includes(format);
}

/** `excel-semicolon` is for spreadsheets of countries that write decimals with a comma. */
export const CSV_DIALECTS = ['rfc4180', 'excel', 'excel-semicolon'] as const;
export type CsvDialect = (typeof CSV_DIALECTS)[number];

/** What a dialect of csv consists of. */
export interface CsvForm {
  /** With a byte order mark, CRLF, and an apostrophe before texts that a spreadsheet would run. */
  readonly isExcel: boolean;
  readonly delimiter: ',' | ';';
  /** Whether numbers have a comma before their decimals. */
  readonly hasDecimalComma: boolean;
}

export function csvForm(dialect: CsvDialect): CsvForm {
  const isLocal = dialect === 'excel-semicolon';
  return { isExcel: dialect !== 'rfc4180', delimiter: isLocal ? ';' : ',', hasDecimalComma: isLocal };
}

/** The outcome of a check or job. A table on a terminal shows it with a mark and a color. */
export type Outcome = 'good' | 'bad' | 'warning' | 'skipped';

/** One field of the rows. */
export interface Column {
  /** The field's name in the data, and its header in csv and tsv. */
  readonly key: string;
  /** The header in the formats for people; the default is the key. */
  readonly title?: string;
  /** How people read it: label, unit and form of its values. Formats for programs have the key and all digits. */
  readonly presentation?: Presentation;
  /** The default is right for numbers and left for other values. */
  readonly align?: 'left' | 'right';
  /**
   * How the formats for people print the values: `number` groups thousands, `time` converts RFC 3339 to local time, `flag` is good
   * for yes and bad for no, `text` is unchanged, `name` is a value of a dimension: a missing one is `(none)`, one that looks like another is quoted, times are local. Without a kind, long JSON numbers except ids are grouped, and RFC 3339 times are
   * local.
   */
  readonly kind?: 'text' | 'number' | 'time' | 'flag' | 'name';
  /** What the formats for people print for true and false; yes and no by default. */
  readonly flag?: { readonly yes: string; readonly no: string };
  /** The columns of a figure, the figure before and their difference, of which this is one; by their names unless set. */
  readonly compared?: readonly [value: string, before: string, change: string];
  /** The formats for people omit the column if no row has a value for it. */
  readonly whenPresent?: boolean;
  /** The outcomes of the column's values. */
  readonly outcomes?: Readonly<Record<string, Outcome>>;
}

/** How to print data. csv and tsv use the columns too. */
export interface View {
  /** The columns in order. If the data has none of them, its own fields are printed. */
  readonly columns?: readonly Column[];
  /** Names of the only columns to print, in every format; undefined for all. */
  readonly chosen?: readonly string[] | undefined;
  /** Fields that a table omits on a terminal too narrow for them, the first of these first, and names in a line below it. */
  readonly secondary?: readonly string[];
  /** A line above the table. */
  readonly heading?: string;
  /** The title of a page in HTML, and the days below it, where other formats have no heading. */
  readonly page?: { readonly title: string; readonly period: string | undefined };
  /** Sentences between the heading and the table. */
  readonly introduction?: readonly string[];
  /** The outcome that the heading describes. */
  readonly outcome?: Outcome | undefined;
  /** The strings are sentences, which md and html print as text instead of a table. */
  readonly prose?: boolean;
  /** With `prose`: each string is a paragraph of one text. */
  readonly paragraphs?: boolean;
  /** The outcome of each string of a list; the first also applies to `empty`. */
  readonly outcomes?: readonly Outcome[];
  /** The text that the formats for people print for no data. */
  readonly empty?: string;
  /** A line below the rows in md and html, which are read without stderr. */
  readonly footnote?: string | undefined;
  /** The language of the texts, as a page in HTML names it; English by default. */
  readonly language?: string;
}

/** The properties of the output. */
export interface Style {
  /** Columns of the terminal; undefined without one, and then nothing is truncated or wrapped. */
  readonly width?: number | undefined;
  readonly paint: Painter;
  /** IANA name, for times in the formats for people. */
  readonly timeZone: string;
  /** False if the output cannot display `…` and `–`. */
  readonly unicode: boolean;
  readonly csvDialect: CsvDialect;
  /** Decimals of numbers in the formats for people; undefined for those of their kind, where that is known, else all of them. */
  readonly decimals?: number | 'all' | undefined;
  /** How numbers and dates are written in the formats for people; undefined for English. */
  readonly locale?: Locale | undefined;
}

/** Formats a complete document, which ends with a line break unless it is empty. */
export type Exporter = (data: Json, view: View, style: Style) => string;

/** Formats a document row by row: header, each row, footer. */
export interface RowEncoder {
  header(): string;
  row(value: Json): string;
  footer(): string;
}
