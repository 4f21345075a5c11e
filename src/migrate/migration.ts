import type { JsonRecord } from '../json/index.ts';
import type { Query } from '../wire/bda-v2.ts';

/**
 * What v1 keeps on its server and a request only points at. Each is the JSON as the gateway or a file gave it: the shapes
 * of these answers are not documented, so they are read tolerantly.
 */
export interface Definitions {
  /** Predefined reports: one definition, a list of them, or an object of definitions by report name. */
  readonly reports?: unknown;
  /** Custom reports: a list, as `getcustomreports` gives it. */
  readonly customReports?: unknown;
  /** Custom and premade segments, as `getsegments` gives them. */
  readonly segments?: unknown;
  readonly multifilters?: unknown;
  /** Plain filters, as `getfilters` gives them: which column a filter id stands for. */
  readonly filters?: unknown;
  /** v1's columns: their types are used where v2's listing was not given. */
  readonly columnsV1?: unknown;
  /** v2's columns: names, types, units and data sets. Without it columns can't be checked. */
  readonly columnsV2?: unknown;
}

export interface MigrationInput {
  /** The v1 data request: parsed JSON of any shape. */
  readonly request: unknown;
  /** The predefined report that the request runs; its definition is looked up in `definitions.reports`. */
  readonly reportName?: string;
  /** The custom report that the request runs, by id; looked up in `definitions.customReports`. */
  readonly customReportId?: string | number;
  /** The custom report that the request runs, by its definition. */
  readonly customReport?: unknown;
  readonly definitions: Definitions;
  /** Today as `YYYY-MM-DD` in `timeZone`. */
  readonly today: string;
  /** IANA name of the profile's zone, for notes. */
  readonly timeZone: string;
  /** The service's brand word, as in the platform value. */
  readonly brand: string;
  /** Leave out and note what v2 can't say, instead of refusing. */
  readonly lossy: boolean;
  /** v2 data set; `pageview` where not given and where the columns allow it. */
  readonly dataSet?: string;
}

/** `lossless`: means the same in v2. `changed`: works differently, read why. `lost`: v2 has no way to say it. */
export type NoteKind = 'lossless' | 'changed' | 'lost';

/** One remark, to be shown as `kind: field: text`. */
export interface Note {
  readonly kind: NoteKind;
  /** Path in the v1 request or definition, such as `Filters[0].OperationId`. */
  readonly field: string;
  readonly text: string;
}

export interface Refusal {
  /** Path in the v1 request or definition. */
  readonly field: string;
  readonly reason: string;
}

/** Something that was pointed at and not found in the definitions: with it, a second try may succeed. */
export interface Need {
  readonly what: 'report' | 'custom report' | 'segment' | 'multifilter' | 'filter';
  /** Its name (a predefined report) or its id. */
  readonly id: string;
}

/** How to ask v1 what one v2 query asks, so that both answers can be compared. */
export interface V1Side {
  /** A body for `getCustomData`, with this query's columns, dates and one segment. Lossy leaves no documented field out of it. */
  readonly request: JsonRecord;
  /** Whether `getdata` of the saved report gives these rows too, with the same body less its columns, order and filters. */
  readonly isWholeReport: boolean;
  /** v2 column name to the v1 column that holds the same, where the two differ. */
  readonly columns: Readonly<Record<string, string>>;
  /** Metric to the decimals that v1 was asked to round it to; others are not listed. */
  readonly decimals: Readonly<Record<string, number>>;
  /** Metrics that v1 rounds whatever it was asked: those of revenue. */
  readonly rounded: readonly string[];
}

export interface MigratedQuery {
  /** Unique in its migration: the chart, the segment, both, or the report. */
  readonly label: string;
  readonly query: Query;
  /** Absent where v1 can't be asked this on its own (a segment without an id). */
  readonly v1?: V1Side;
}

export type Migration =
  | { readonly ok: true; readonly queries: readonly MigratedQuery[]; readonly notes: readonly Note[] }
  | {
      readonly ok: false;
      readonly refusals: readonly Refusal[];
      readonly notes: readonly Note[];
      readonly needs: readonly Need[];
    };
