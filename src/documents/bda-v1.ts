import type {
  Chart,
  ColumnRef,
  CustomReport,
  DataRequest,
  FilterV1,
  OrderV1,
  Segment,
} from '../wire/bda-v1.ts';
import { listOf, mapOf, record, VALUE } from './declaration.ts';

// The documents of BDA v1 that a user writes (spec, BDA v1 objects and data request fields).

const COLUMN = record<ColumnRef>('a column', { Data: VALUE, Type: VALUE });
const COLUMNS = listOf(COLUMN);
const ORDER = record<OrderV1>('an order', { ColumnNumber: VALUE, Direction: VALUE });
const FILTER = record<FilterV1>('a filter', {
  Type: VALUE,
  FilterKey: VALUE,
  OperationId: VALUE,
  FilterValue: VALUE,
});
const CHART = record<Chart>('a chart', {
  Name: VALUE,
  DimensionColumns: COLUMNS,
  MetricColumns: COLUMNS,
  Segments: VALUE,
  Order: ORDER,
});

/** The body of getdata and getCustomData, in the order in which gatectl adds its fields. */
export const DATA_REQUEST = record<DataRequest>('a data request', {
  StartItem: VALUE,
  MaxItems: VALUE,
  StartDate: VALUE,
  EndDate: VALUE,
  DateGrouping: VALUE,
  SegmentIds: VALUE,
  Platform: VALUE,
  DomainId: VALUE,
  UrlParams: VALUE,
  UrlFragments: VALUE,
  RevenueDecimalPlaces: VALUE,
  DimensionColumns: COLUMNS,
  MetricColumns: COLUMNS,
  Order: ORDER,
  Filters: listOf(FILTER),
});

/** The body of createcustomreport. */
export const CUSTOM_REPORT = record<CustomReport>('a report', {
  ReportTitle: VALUE,
  ReportDateRange: record<CustomReport['ReportDateRange']>('a date range', { BaseSelectId: VALUE }),
  Charts: listOf(CHART),
});

/** The body of createsegment. */
export const SEGMENT = record<Segment>('a segment', {
  SegmentName: VALUE,
  SegmentFilters: mapOf(
    record<{ FilterIntOperationId: string; FilterValue: string }>('a segment filter', {
      FilterIntOperationId: VALUE,
      FilterValue: VALUE,
    }),
  ),
  SegmentMultiFilters: mapOf(
    record<{ FilterValues: string[] }>('a segment multifilter', { FilterValues: VALUE }),
  ),
});
