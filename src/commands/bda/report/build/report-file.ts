import { readDocument } from '../../../../documents/document.ts';
import type { ValueOf } from '../../../../documents/forms.ts';
import { type Options, optionValues } from '../../../framework/option-forms.ts';
import { QUERY_FLAGS, type QueryFlags } from '../../flags/query-flags.ts';
import { WHY_FLAGS, type WhyFlags } from '../../flags/why-flags.ts';
import { insertParameters } from './parameters.ts';
import { REPORT_FORM, SECTION_OPTIONS } from './report-form.ts';

/** The contents of a report file. */
export interface ReportFile {
  readonly title: string;
  readonly subtitle: string | undefined;
  /** Rounds the numbers of tables and workbooks; undefined for those of the unit. */
  readonly decimals: number | undefined;
  /** What columns are called, by name. */
  readonly labels: Labels;
  /** The metrics whose totals it begins with; undefined for the first ones. */
  readonly kpis: readonly string[] | undefined;
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

export type Labels = ReadonlyMap<string, string>;

interface DataFields extends Placed {
  readonly hasChart: boolean;
  /** Rows in the table of a page; 0 for no table. */
  readonly tableRows: number;
  /** The only columns to show; none for all. */
  readonly columns: readonly string[];
  /** What the report calls columns. */
  readonly labels: Labels;
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

type Report = ValueOf<typeof REPORT_FORM>;
type Settings = Readonly<Record<string, unknown>>;

/** Rows in the table of a page, unless the section sets another number. */
const TABLE_ROWS = 10;
/** Flags that select the days: a section that has one ignores those of the defaults. */
const DAYS = ['from', 'to', 'last', 'this', 'previous', 'month', 'period'];

/** Reads a report. `file` is what messages call it, `given` are the values of `--set`. Throws UsageError with line and column. */
export function readReport(file: string, text: string, given: ReadonlyMap<string, string>): ReportFile {
  const { value } = readDocument(REPORT_FORM, text, {
    file,
    prepare: root => insertParameters(root, given),
  });
  const { title, subtitle, decimals, kpis, mail, sections, defaults = {} } = value;
  const labels = new Map(value.labels);
  const placed = (texts: readonly MailText[] = []) =>
    texts.map(({ text, place }) => ({ text, place: `${file}:${place}` }));
  return {
    title,
    subtitle,
    decimals,
    labels,
    kpis,
    mail: mail && {
      from: placed(mail.from)[0],
      to: placed(mail.to),
      cc: placed(mail.cc),
      subject: placed(mail.subject)[0],
    },
    sections: sections.map(section => sectionOf(section, `${file}:${section.place}`, { defaults, labels })),
  };
}

function sectionOf(
  section: Report['sections'][number],
  place: string,
  { defaults, labels }: { readonly defaults: NonNullable<Report['defaults']>; readonly labels: Labels },
): SectionFields {
  const { title, text, query, why, chart = false, table = true, columns = [] } = section;
  if (text !== undefined) return { kind: 'text', place, title, text };
  const tableRows = typeof table === 'number' ? table : table ? TABLE_ROWS : 0;
  const data = { place, title, hasChart: chart, tableRows, columns, labels };
  const ofKind = (kind: 'query' | 'why'): Settings =>
    Object.fromEntries(
      Object.entries(defaults).flatMap(([name, value = {}]) =>
        Object.hasOwn(value, kind) ? [[name, value[kind]]] : [],
      ),
    );
  if (why !== undefined) {
    const flags = flagsOf(WHY_FLAGS, SECTION_OPTIONS.why, withDefaults(why, ofKind('why')));
    return { ...data, kind: 'why', flags: flags as unknown as WhyFlags };
  }
  const { saved, ...own } = query ?? {};
  const queryFlags = (settings: Settings) =>
    flagsOf(QUERY_FLAGS, SECTION_OPTIONS.query, settings) as unknown as QueryFlags;
  return {
    ...data,
    kind: 'query',
    query: { saved, own: queryFlags(own), defaults: queryFlags(withoutUnset(ofKind('query'), own)) },
  };
}

/** Defaults without those that a section sets to nothing, as `compare:` does. */
function withoutUnset(defaults: Settings, own: Settings): Settings {
  const isUnset = (name: string) => Object.hasOwn(own, name) && own[name] === undefined;
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => !isUnset(name)));
}

/** The settings of a section, and the defaults for those that it does not have. */
function withDefaults(own: Settings, defaults: Settings): Settings {
  const hasDays = DAYS.some(name => Object.hasOwn(own, name));
  const used = Object.entries(defaults).filter(([name]) => !(hasDays && DAYS.includes(name)));
  return { ...Object.fromEntries(used), ...own };
}

/** All flags: those of the settings, and the others as if they were not given. */
function flagsOf(all: Options, options: Options, settings: Settings): Settings {
  const absent = Object.fromEntries(Object.entries(all).map(([key, { fallback }]) => [key, fallback]));
  const set = Object.entries(settings).filter(([, value]) => value !== undefined);
  return { ...absent, ...optionValues(options, Object.fromEntries(set)) };
}
