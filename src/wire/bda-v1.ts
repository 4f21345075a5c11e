/** Wire types of BDA v1, the saved-report API (spec, Endpoints C). */

import type { TimeDimension } from './bda-v2.ts';

export const BDA_V1_PREFIX = '/bdaservices';

export type DateBase = 'BASE_NOT_SELECTED' | 'BASE_LAST_7';

/** The values of `DateGrouping`, each with the time dimension that has its meaning in v2 (spec, Versioning 5). */
export const DATE_GROUPINGS = {
  DAILY: 'report_day',
  WEEKLY: 'report_week',
  MONTHLY: 'report_month',
} as const satisfies Record<string, TimeDimension>;
export type DateGrouping = keyof typeof DATE_GROUPINGS;

export interface ColumnRef {
  Data: string;
  /** Values seen: `string`, `number`. */
  Type: string;
}

export interface OrderV1 {
  /** Zero-based index over the dimensions, then the metrics. */
  ColumnNumber: number;
  /** Value seen: `DESC`. */
  Direction: string;
}

export interface Chart {
  Name: string;
  DimensionColumns: ColumnRef[];
  MetricColumns: ColumnRef[];
  Segments: number[];
  Order?: OrderV1;
}

export interface CustomReport {
  ReportTitle: string;
  ReportDateRange: { BaseSelectId: string };
  Charts: Chart[];
}

export interface FilterV1 {
  /** Value seen: `INCLUDE`. */
  Type: string;
  FilterKey: string;
  /** Values seen: `GREATER`, `GREATER_OR_EQUAL`. */
  OperationId: string;
  FilterValue: string;
}

export interface Segment {
  SegmentName: string;
  /** Keyed by filter id. */
  SegmentFilters?: Record<string, { FilterIntOperationId: string; FilterValue: string }>;
  /** Keyed by multifilter id. */
  SegmentMultiFilters?: Record<string, { FilterValues: string[] }>;
}

export interface SavedSegment extends Segment {
  id: number;
}

export interface Multifilter {
  FilterName: string;
  MultiFilterId: number;
  MultiFilterTypeId: number;
}

/** Body of `getdata` and, with the last four fields, of `getCustomData`. */
export interface DataRequest {
  StartItem?: number;
  MaxItems: number;
  Platform?: string;
  DomainId?: number;
  DateGrouping?: string;
  SegmentIds?: number[];
  /** `YYYY-MM-DD`. */
  StartDate?: string;
  /** `YYYY-MM-DD`. */
  EndDate?: string;
  UrlParams?: string;
  UrlFragments?: string;
  RevenueDecimalPlaces?: number;
  DimensionColumns?: ColumnRef[];
  MetricColumns?: ColumnRef[];
  Order?: OrderV1;
  Filters?: FilterV1[];
}
