import type { Json, JsonRecord } from '../../json/index.ts';
import { DATE_GROUPINGS, type DateGrouping } from '../../wire/bda-v1.ts';
import { brandNames } from '../../wire/brand.ts';
import type { DayRange } from '../bda/days.ts';
import type { FilterExpression } from '../bda/filter-expression.ts';
import { type RequestFields, withFields } from '../bda/request-fields.ts';

/** The documented fields of a data request (spec, v1's data request fields), in the order in which gatectl adds them. */
const FIELDS = [
  'StartDate',
  'EndDate',
  'DateGrouping',
  'SegmentIds',
  'Platform',
  'DomainId',
  'UrlParams',
  'UrlFragments',
  'RevenueDecimalPlaces',
  'DimensionColumns',
  'MetricColumns',
  'Order',
  'Filters',
];

/** The data request with some fields replaced; its other fields stay. */
export function withDataFields(request: JsonRecord, fields: RequestFields): JsonRecord {
  return withFields(request, fields, FIELDS);
}

/** The data request for other days. */
export function withDataDays(request: JsonRecord, days: DayRange): JsonRecord {
  return withDataFields(request, dataDayFields(days));
}

/** The fields that hold the days; an end that is not given keeps what the request says. */
export function dataDayFields({ from, to }: Partial<DayRange>): Map<string, Json> {
  return new Map([
    ...(from === undefined ? [] : [['StartDate', from] as const]),
    ...(to === undefined ? [] : [['EndDate', to] as const]),
  ]);
}

/** A reference to a column; `type` is v1's word for what it holds. */
export function columnRef(name: string, type: 'string' | 'number'): JsonRecord {
  return { Data: name, Type: type };
}

/** The order by a column's index, over the dimensions, then the metrics. */
export function orderBy(index: number, direction: 'asc' | 'desc'): JsonRecord {
  return { ColumnNumber: index, Direction: direction === 'desc' ? 'DESC' : 'ASC' };
}

/** v1's word for grouping rows by day, week or month. */
export function dateGrouping(period: 'day' | 'week' | 'month'): DateGrouping {
  const words = Object.keys(DATE_GROUPINGS) as DateGrouping[];
  return words.find(word => DATE_GROUPINGS[word] === `report_${period}`) ?? 'DAILY';
}

/** v1's word for a platform, in upper case: deployed descriptions list these forms only. */
export function platformWord(platform: 'service' | 'original' | 'all', brand: string): string {
  if (platform === 'service') return brandNames(brand).platformV1Upper;
  return platform === 'original' ? 'ORIG' : 'ALL';
}

const DOCUMENTED: Readonly<Record<string, string>> = {
  greater_than: 'GREATER',
  greater_than_or_equal: 'GREATER_OR_EQUAL',
};

/** v1's operation id for an operator as it is typed: the two documented ones, and any other word in v1's upper case. */
export function operationId(operator: string): string {
  return DOCUMENTED[operator] ?? operator.toUpperCase().replaceAll('-', '_');
}

/** A filter as v1's data requests take it: one text value, digits as typed. */
export function filterV1({ column, operator, values }: FilterExpression): JsonRecord {
  return {
    Type: 'INCLUDE',
    FilterKey: column,
    OperationId: operationId(operator),
    FilterValue: values[0]?.text ?? '',
  };
}
