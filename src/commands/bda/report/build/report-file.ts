import { QUERY_FLAGS, type QueryFlags } from '../../flags/query-flags.ts';
import { WHY_FLAGS, type WhyFlags } from '../../flags/why-flags.ts';
import { Parameters } from './parameters.ts';
import { flagsFrom, keysOf, withDefaults } from './section-flags.ts';
import { type Field, YamlReader, type YamlValue } from './yaml-reader.ts';

/** The contents of a report file. */
export interface ReportFile {
  readonly title: string;
  readonly subtitle: string | undefined;
  /** Rounds the numbers of tables and workbooks; undefined for all digits. */
  readonly decimals: number | undefined;
  readonly mail: MailFields | undefined;
  readonly sections: readonly SectionFields[];
}

/** The headers of an e-mail, with their places. */
interface MailFields {
  readonly from: MailText | undefined;
  readonly to: readonly MailText[];
  readonly cc: readonly MailText[];
  readonly subject: MailText | undefined;
}

export interface MailText {
  readonly text: string;
  readonly place: string;
}

interface Placed {
  /** `weekly.yaml:12:5` */
  readonly place: string;
  readonly title: string | undefined;
}

interface DataFields extends Placed {
  readonly hasChart: boolean;
  /** Rows in the table of a page; 0 for no table. */
  readonly tableRows: number;
  /** The only columns to show; none for all. */
  readonly columns: readonly string[];
}

/** Flags of a query. Those of the section override those of the saved query, and these the defaults. */
interface QueryFields {
  /** The name of a saved query. */
  readonly saved: string | undefined;
  readonly own: QueryFlags;
  readonly defaults: QueryFlags;
}

export type SectionFields =
  | (Placed & { readonly kind: 'text'; readonly text: string })
  | (DataFields & { readonly kind: 'query'; readonly query: QueryFields })
  | (DataFields & { readonly kind: 'why'; readonly flags: WhyFlags });

/** Rows in the table of a page, unless the section sets another number. */
const TABLE_ROWS = 100;
export const MAX_DECIMALS = 15;

const {
  out,
  resume,
  autoResume,
  manifest,
  all,
  pageSize,
  concurrency,
  units,
  strict,
  chart,
  title,
  ascii,
  ...queryOptions
} = QUERY_FLAGS;
const { chart: _, title: __, ascii: ___, strict: ____, ...whyOptions } = WHY_FLAGS;

/** The flags that a section may set, by the kind of section. */
export const SECTION_OPTIONS = { query: queryOptions, why: whyOptions };

export const REPORT_KEYS = [
  'title',
  'subtitle',
  'decimals',
  'parameters',
  'defaults',
  'mail',
  'sections',
] as const;
export const SECTION_KEYS = ['title', 'text', 'query', 'why', 'chart', 'table', 'columns'] as const;
export const MAIL_KEYS = ['from', 'to', 'cc', 'subject'] as const;
/** The key of a query that names a saved one. */
export const SAVED_KEY = 'saved';
const KINDS = ['text', 'query', 'why'] as const;

/** Reads a report. `name` is what messages call the file. Throws UsageError with line and column. */
export function readReport(name: string, text: string, given: ReadonlyMap<string, string>): ReportFile {
  const reader = new YamlReader(name, text);
  const { root } = reader;
  if (root.isEmpty) throw root.invalid('the report is empty', ['a report has a title and sections']);
  const fields = root.fields(REPORT_KEYS, 'title: Weekly report');
  const fieldValue = (key: (typeof REPORT_KEYS)[number]): YamlValue | undefined =>
    fields.find(field => field.key === key)?.value;
  const declared = fieldValue('parameters');
  const parameters = Parameters.from(declared?.isEmpty === false ? declared.anyFields() : [], given);
  reader.insert = (text, value) => parameters.insertInto(text, value);
  const title = fieldValue('title');
  if (title === undefined || title.isEmpty)
    throw root.invalid('the report has no title', ['add title: TEXT']);
  const defaults = defaultsIn(fieldValue('defaults'));
  const decimals = fieldValue('decimals');
  const sections = fieldValue('sections');
  const items = sections?.isList ? sections.items() : [];
  if (items.length === 0)
    throw (sections ?? root).invalid('the report has no sections', [
      'add sections: a list in which each item has text, query or why',
    ]);
  return {
    title: title.text(),
    subtitle: textIn(fieldValue('subtitle')),
    decimals: decimals === undefined || decimals.isEmpty ? undefined : decimals.integer(0, MAX_DECIMALS),
    mail: mailIn(fieldValue('mail')),
    sections: items.map(item => sectionIn(item, defaults)),
  };
}

function defaultsIn(value: YamlValue | undefined): readonly Field[] {
  if (value === undefined || value.isEmpty) return [];
  const keys = new Set([...keysOf(SECTION_OPTIONS.query), ...keysOf(SECTION_OPTIONS.why)]);
  return value.fields([...keys], 'last: 7d');
}

function mailIn(value: YamlValue | undefined): MailFields | undefined {
  if (value === undefined || value.isEmpty) return undefined;
  const fields = value.fields([...MAIL_KEYS, 'bcc'], 'to: editors@example.com');
  const bcc = fields.find(({ key }) => key === 'bcc');
  if (bcc !== undefined)
    throw bcc.value.invalid('bcc would be readable in the file', [
      'name the recipient when you send it: sendmail -t ADDRESS',
    ]);
  const placed = (value: YamlValue): MailText => ({ text: value.text(), place: value.place });
  const list = (key: string) =>
    fields.filter(field => field.key === key).flatMap(field => field.value.items().map(placed));
  return { from: list('from')[0], to: list('to'), cc: list('cc'), subject: list('subject')[0] };
}

function sectionIn(value: YamlValue, defaults: readonly Field[]): SectionFields {
  const fields = value.fields(SECTION_KEYS, 'text: Hello');
  const fieldOf = (key: string): Field | undefined => fields.find(field => field.key === key);
  const [kind, other] = KINDS.filter(key => fieldOf(key) !== undefined);
  if (kind === undefined) throw value.invalid('a section requires text, query or why');
  const content = fieldOf(kind) as Field;
  if (other !== undefined)
    throw value.invalid(`a section cannot have ${kind} and ${other}`, ['make two sections of it']);
  const placed = { place: value.place, title: textIn(fieldOf('title')?.value) };
  if (kind === 'text') {
    const foreign = fieldOf('chart') ?? fieldOf('table') ?? fieldOf('columns');
    if (foreign !== undefined)
      throw foreign.value.invalid(`a text has no ${foreign.key}`, [
        'charts and tables belong to query and why',
      ]);
    return { ...placed, kind, text: content.value.text() };
  }
  const chart = fieldOf('chart')?.value;
  const table = fieldOf('table')?.value;
  const shown = table === undefined || table.isEmpty ? true : table.countOrBoolean();
  const data = {
    ...placed,
    hasChart: chart !== undefined && !chart.isEmpty && chart.boolean(),
    columns:
      fieldOf('columns')
        ?.value.items()
        .map(item => item.text()) ?? [],
    tableRows: typeof shown === 'number' ? shown : shown ? TABLE_ROWS : 0,
  };
  if (!data.hasChart && data.tableRows === 0 && kind === 'query')
    throw value.invalid('the section shows nothing', ['set chart: true, or omit table: false']);
  if (kind === 'why') {
    const options = SECTION_OPTIONS.why;
    const own = content.value.fields(keysOf(options), 'metric: revenue');
    return { ...data, kind, flags: whyFlags(withDefaults(own, defaults, options)) };
  }
  const options = SECTION_OPTIONS.query;
  const hasName = !content.value.isMap;
  const own = hasName ? [] : content.value.fields([...keysOf(options), SAVED_KEY], 'metric: visits');
  const saved = hasName ? content.value : own.find(({ key }) => key === SAVED_KEY)?.value;
  const flags = own.filter(({ key }) => key !== SAVED_KEY);
  return {
    ...data,
    kind,
    query: {
      saved: textIn(saved),
      own: queryFlags(flags),
      defaults: queryFlags(withDefaults([], defaults, options)),
    },
  };
}

function queryFlags(fields: readonly Field[]): QueryFlags {
  return { ...absent(QUERY_FLAGS), ...flagsFrom(SECTION_OPTIONS.query, fields) } as unknown as QueryFlags;
}

function whyFlags(fields: readonly Field[]): WhyFlags {
  return { ...absent(WHY_FLAGS), ...flagsFrom(SECTION_OPTIONS.why, fields) } as unknown as WhyFlags;
}

/** The values of flags that are not given. */
function absent(options: Readonly<Record<string, { readonly fallback: unknown }>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).map(([key, { fallback }]) => [key, fallback]));
}

function textIn(value: YamlValue | undefined): string | undefined {
  return value === undefined || value.isEmpty ? undefined : value.text();
}
