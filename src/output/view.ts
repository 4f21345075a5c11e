import type { Json } from '../json/index.ts';
import type { Painter } from '../terminal/colour.ts';

export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv', 'md', 'html'] as const;
export type Format = (typeof FORMATS)[number];

/** Formats for people: values are shown and not handed on, and all rows are needed to set them side by side. */
const READING_FORMATS = ['table', 'md', 'html'] as const;
export type PeopleFormat = (typeof READING_FORMATS)[number];

/** Formats that take one row at a time. */
export type StreamFormat = Exclude<Format, PeopleFormat>;

export function isForPeople(format: Format): format is PeopleFormat {
  return (READING_FORMATS as readonly Format[]).includes(format);
}

export const CSV_DIALECTS = ['rfc4180', 'excel'] as const;
export type CsvDialect = (typeof CSV_DIALECTS)[number];

/** How something turned out. A table on a terminal shows it with a mark and a color. */
export type Outcome = 'good' | 'bad' | 'warning' | 'skipped';

/** One field of the rows. */
export interface Column {
  /** The field's name in the data, and its header in csv and tsv. */
  readonly key: string;
  /** The header in the formats for people; the key as it is where there is none. */
  readonly title?: string;
  /** Right for numbers, left for all else, unless said here. */
  readonly align?: 'left' | 'right';
  /**
   * How the formats for people show the values: `number` groups thousands, `time` turns RFC 3339 into local time, `flag` takes
   * yes for good and no for bad, `text` shows everything as it was sent. Without a kind long JSON numbers (other than ids) are grouped
   * and RFC 3339 times are local.
   */
  readonly kind?: 'text' | 'number' | 'time' | 'flag';
  /** The formats for people leave the column out when no row has a value for it. */
  readonly whenPresent?: boolean;
  /** The outcomes that the column's texts stand for. */
  readonly outcomes?: Readonly<Record<string, Outcome>>;
}

/** How data is shown. The columns also fix those of csv and tsv. */
export interface View {
  /** The columns and their order. Where none of them is in the data, the data's own fields are shown instead. */
  readonly columns?: readonly Column[];
  /** A line above the table. */
  readonly heading?: string;
  /** How what the heading names turned out. */
  readonly outcome?: Outcome | undefined;
  /** The strings are sentences: md and html show them as text and not as a table. */
  readonly prose?: boolean;
  /** How each string of a list turned out; the first also applies to `empty`. */
  readonly outcomes?: readonly Outcome[];
  /** What the formats for people say when there is nothing to show. */
  readonly empty?: string;
  /** A line below the rows in md and html, which are read without what stderr says. */
  readonly footnote?: string | undefined;
}

/** What the output goes to. */
export interface Style {
  /** Columns of the terminal; undefined where there is none, and then nothing is cut or wrapped. */
  readonly width?: number | undefined;
  readonly paint: Painter;
  /** IANA name, in which the formats for people show times. */
  readonly timeZone: string;
  /** False where the output can't show `…` and `–`. */
  readonly unicode: boolean;
  readonly csvDialect: CsvDialect;
}

/** One format: a whole document as text, which ends with a line break unless it is empty. */
export type Exporter = (data: Json, view: View, style: Style) => string;

/** One format, row by row: header, then each row, then footer, and nothing between them. */
export interface RowEncoder {
  header(): string;
  row(value: Json): string;
  footer(): string;
}
