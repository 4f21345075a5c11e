import type {
  Chart,
  ColumnRef,
  CustomReport,
  DataRequest,
  FilterV1,
  OrderV1,
  Segment,
} from '../wire/bda-v1.ts';
import { extended, listOf, mapOf, record, type Shape, VALUE } from './declaration.ts';

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

// The same as the server stores them, whose responses are not documented: with their ids, in a few more spellings, and with members that
// select no rows.

const values = (...names: readonly string[]): Record<string, Shape> =>
  Object.fromEntries(names.map(name => [name, VALUE]));

const ABOUT = ['Id', 'Description', 'Premade', 'CreatedAt', 'CreatedBy', 'UpdatedAt', 'UpdatedBy', 'Owner'];
const FILTER_NAMES = [
  'Type',
  'OperationId',
  'FilterKey',
  'ColumnName',
  'Column',
  'Data',
  'FilterName',
  'Name',
  'Key',
];

const SAVED_FILTERS = mapOf(
  record<object>('a segment filter', values('FilterIntOperationId', 'FilterValue', ...FILTER_NAMES)),
);
const SAVED_MULTI_FILTERS = mapOf(
  record<object>('a segment multifilter', values('FilterValues', ...FILTER_NAMES)),
);

/** A segment of getsegments, or inside a report. */
export const SAVED_SEGMENT = extended(SEGMENT, {
  ...values('SegmentId', 'Name', ...ABOUT),
  SegmentFilters: SAVED_FILTERS,
  SegmentMultiFilters: SAVED_MULTI_FILTERS,
});

const SAVED_COLUMNS = listOf(extended(COLUMN, values('Title', 'Name', 'Kind', 'Description')));

/** Fields of a data request that a report or chart may set for requests that omit them. */
export const INHERITED_FIELDS = [
  'StartDate',
  'EndDate',
  'DateGrouping',
  'Platform',
  'DomainId',
  'UrlParams',
  'UrlFragments',
  'RevenueDecimalPlaces',
] as const;

const SAVED_CHART = extended(CHART, {
  ...values('Title', ...INHERITED_FIELDS, ...ABOUT),
  DimensionColumns: SAVED_COLUMNS,
  MetricColumns: SAVED_COLUMNS,
  Segments: listOf(SAVED_SEGMENT),
  SegmentIds: VALUE,
  Filters: listOf(FILTER),
});

/** A report of getreport or getcustomreports; its columns may stand outside of charts. */
export const SAVED_REPORT = extended(
  { ...SAVED_CHART, name: 'a report' },
  {
    ...CUSTOM_REPORT.members,
    ...values('ReportName', 'ReportId', 'CustomReportId', 'DateBaseSelectId', 'BaseSelectId'),
    ReportDateRange: record<object>('a date range', values('BaseSelectId', 'DateBaseSelectId')),
    Charts: listOf(SAVED_CHART),
    // Of the response around it.
    ...values('Success', 'Error'),
  },
);
