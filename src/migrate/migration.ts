import type { JsonRecord } from '../json/index.ts';
import type { Query } from '../wire/bda-v2.ts';

/**
 * What v1 stores on the server and a request only refers to. Each is JSON from the gateway or a file. The API does not
 * document the shapes of these responses, so several are accepted.
 */
export interface Definitions {
  /** Predefined reports: one definition, a list of definitions, or an object keyed by report name. */
  readonly reports?: unknown;
  /** Custom reports: the list that `getcustomreports` returns. */
  readonly customReports?: unknown;
  /** Custom and premade segments: the list that `getsegments` returns. */
  readonly segments?: unknown;
  readonly multifilters?: unknown;
  /** Plain filters, as `getfilters` returns them: they map a filter id to its column. */
  readonly filters?: unknown;
  /** Columns of v1: their types apply where `columnsV2` is absent. */
  readonly columnsV1?: unknown;
  /** Columns of v2: names, types, units and data sets. Without it, column names are not checked. */
  readonly columnsV2?: unknown;
  /** Ids of the sites of the account. Without them, a domain id is not checked. */
  readonly siteIds?: readonly number[];
}

export interface MigrationInput {
  /** The v1 data request: parsed JSON of any shape. */
  readonly request: unknown;
  /** Whether only a report was given and no request, so that its page size is an assumption. */
  readonly isPageAssumed?: boolean;
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
  /** Omit and note what v2 cannot express, instead of failing. */
  readonly lossy: boolean;
  /** Members that v1 does not document and whose effect does not matter, by name: they are lost instead of blocking the migration. */
  readonly allowUnknown?: readonly string[];
  /** v2 data set; defaults to `pageview` if that has all the columns. */
  readonly dataSet?: string;
}

/** `lossless`: the same in v2. `changed`: different in v2. `lost`: v2 cannot express it. */
export type NoteKind = 'lossless' | 'changed' | 'lost';

/** A note on one field, printed as `kind: field: text`. */
export interface Note {
  readonly kind: NoteKind;
  /** Path in the v1 request or definition, such as `Filters[0].OperationId`. */
  readonly field: string;
  readonly text: string;
}

export interface Blocker {
  /** Path in the v1 request or definition. */
  readonly field: string;
  readonly reason: string;
}

/** A definition that a request refers to and `Definitions` lacks: with it, a second attempt may succeed. */
export interface MissingDefinition {
  readonly what: 'report' | 'custom report' | 'segment' | 'multifilter' | 'filter';
  /** Its name (a predefined report) or its id. */
  readonly id: string;
}

/** The v1 side of a part of a plan, so that the rows of both versions can be compared. */
export interface V1Side {
  /** Body of a `getCustomData` request for the rows of the part. Absent where v1 has none: a segment without an id. */
  readonly request?: JsonRecord;
  /** v2 column name to v1 column name, where they differ. */
  readonly columns: Readonly<Record<string, string>>;
  /** Metric to the number of decimals that the request sets; metrics without one are absent. */
  readonly decimals: Readonly<Record<string, number>>;
  /** Metrics that v1 always rounds: those of revenue. */
  readonly rounded: readonly string[];
}

export interface MigratedQuery {
  /** Unique per migration: named after the chart, the segment, both, or the report. */
  readonly label: string;
  readonly query: Query;
  /** The name of the segment that its filters stand for. */
  readonly segment?: string;
}

/** What is done with the rows of several queries: they are merged by `sort`, or else appended, and a page of all is taken. */
export interface Merge {
  /** The rows of each query are in this order. */
  readonly sort?: NonNullable<Query['sort']>[number];
  /** Rows of all queries to skip. */
  readonly offset: number;
  /** Maximum number of rows of all queries together. */
  readonly limit: number;
}

/** The queries that return the rows of one chart, or of an inline request. */
export interface PlanPart {
  readonly queries: readonly MigratedQuery[];
  /** Present if there are several queries, one per segment. */
  readonly merge?: Merge;
  readonly v1: V1Side;
}

export type Migration =
  | {
      readonly ok: true;
      /** All queries of all parts, in order. */
      readonly queries: readonly MigratedQuery[];
      /** One part per chart. */
      readonly parts: readonly PlanPart[];
      readonly notes: readonly Note[];
    }
  | {
      readonly ok: false;
      readonly blockers: readonly Blocker[];
      readonly notes: readonly Note[];
      readonly missing: readonly MissingDefinition[];
    };
