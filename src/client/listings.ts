/**
 * What listings return, as the OpenAPI document of gatectl describes them (`gatectl schema --openapi`). The API documentation leaves these
 * shapes open, and responses are returned as the API sends them: a gateway may send others. Numbers are strings of their digits.
 */

/** The account's domains in BDA v2. */
export interface Domains {
  readonly domains: readonly { readonly domain_id: string; readonly domain: string }[];
}

/** The columns of BDA v2; every one can be filtered. */
export interface Columns {
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly unit: string | null;
    readonly description: string;
    /** `dimension` or `metric`. */
    readonly role?: string;
    readonly data_sets: readonly string[];
  }[];
}

/** What BDA v2 can query. */
export interface DataSets {
  readonly data_sets: readonly {
    readonly name: string;
    readonly description?: string;
    /** How many columns it has. */
    readonly columns?: string;
  }[];
}

/** The days with data, `YYYY-MM-DD`. */
export interface DateRange {
  readonly earliest_date: string;
  readonly latest_date: string;
}

/** A column of BDA v1. */
export interface ColumnV1 {
  readonly Data: string;
  readonly Type: string;
  readonly Title?: string;
  /** `dimension` or `metric`. */
  readonly Kind?: string;
  readonly Description?: string;
}

/** A domain of BDA v1. */
export interface DomainV1 {
  readonly DomainId: string;
  readonly Domain: string;
}

/** The definition of a predefined report. */
export interface ReportDefinition {
  readonly DateBaseSelectId: string;
  readonly ReportName?: string;
  readonly Charts?: readonly object[];
}

/** A custom report. */
export interface SavedReport {
  readonly id: string;
  readonly ReportTitle: string;
  readonly ReportDateRange?: object;
  readonly Charts?: readonly object[];
}

/** The id of a custom report that was created. */
export interface CreatedReport {
  readonly id: string;
}

/** A segment, custom or premade. */
export interface SavedSegment {
  readonly id: string;
  readonly SegmentName: string;
  /** Keyed by filter id. */
  readonly SegmentFilters?: {
    readonly [id: string]: { readonly FilterIntOperationId: string; readonly FilterValue: string };
  };
  /** Keyed by multifilter id. */
  readonly SegmentMultiFilters?: { readonly [id: string]: { readonly FilterValues: readonly string[] } };
  /** Whether every account has it. */
  readonly Premade?: boolean;
}

/** A filter on a preset group, such as countries. */
export interface Multifilter {
  readonly FilterName: string;
  readonly MultiFilterId: string;
  readonly MultiFilterTypeId: string;
}

/** Multifilter type ids with their option keys and the labels of these. */
export interface MultifilterTypes {
  readonly [typeId: string]: { readonly [optionKey: string]: string };
}

/** A filter that segments can use. */
export interface FilterListing {
  readonly FilterId: string;
  readonly FilterKey: string;
  readonly FilterName?: string;
  readonly Type?: string;
  readonly Operations?: readonly string[];
}
