import { DATA_REQUEST } from '../../documents/bda-v1.ts';
import { isList, isRecord, type Json, type JsonRecord } from '../../json/index.ts';
import { DATE_GROUPINGS, type DateGrouping } from '../../wire/bda-v1.ts';
import { brandNames } from '../../wire/brand.ts';
import type { DayRange } from '../bda/days.ts';
import { isFilledStructure, isPresent, scalarText } from '../bda/fields.ts';
import type { FilterExpression } from '../bda/filter-expression.ts';
import { type RequestFields, withFields } from '../bda/request-fields.ts';

/** Replaces some fields of a data request. */
export function withDataFields(request: JsonRecord, fields: RequestFields): JsonRecord {
  return withFields(request, fields, Object.keys(DATA_REQUEST.members));
}

/** The data request for other days. */
export function withDataDays(request: JsonRecord, days: DayRange): JsonRecord {
  return withDataFields(request, dataDayFields(days));
}

/** The fields of the days; an undefined end is not changed. */
export function dataDayFields({ from, to }: Partial<DayRange>): Map<string, Json> {
  return new Map([
    ...(from === undefined ? [] : [['StartDate', from] as const]),
    ...(to === undefined ? [] : [['EndDate', to] as const]),
  ]);
}

/** A column reference. */
export function columnRef(name: string, type: 'string' | 'number'): JsonRecord {
  return { Data: name, Type: type };
}

/** An order by the index of a column, counting the dimensions, then the metrics. */
export function orderBy(index: number, direction: 'asc' | 'desc'): JsonRecord {
  return { ColumnNumber: index, Direction: direction === 'desc' ? 'DESC' : 'ASC' };
}

/** The v1 name of a grouping. */
export function dateGrouping(period: 'day' | 'week' | 'month'): DateGrouping {
  const words = Object.keys(DATE_GROUPINGS) as DateGrouping[];
  return words.find(word => DATE_GROUPINGS[word] === `report_${period}`) ?? 'DAILY';
}

/** The v1 name of a platform, in upper case, which all deployed gateways document. */
export function platformWord(platform: 'service' | 'original' | 'all', brand: string): string {
  if (platform === 'service') return brandNames(brand).platformV1Upper;
  return platform === 'original' ? 'ORIG' : 'ALL';
}

const DOCUMENTED: Readonly<Record<string, string>> = {
  greater_than: 'GREATER',
  greater_than_or_equal: 'GREATER_OR_EQUAL',
};

/** The v1 operation id of an operator; an undocumented one is converted to upper case. */
export function operationId(operator: string): string {
  return DOCUMENTED[operator] ?? operator.toUpperCase().replaceAll('-', '_');
}

/** A filter of a data request: one text value, with the digits as typed. */
export function filterV1({ column, operator, values }: FilterExpression): JsonRecord {
  return {
    Type: 'INCLUDE',
    FilterKey: column,
    OperationId: operationId(operator),
    FilterValue: values[0]?.text ?? '',
  };
}

/** The inline columns of a data request, in the order that ColumnNumber counts. */
export function inlineColumns(request: JsonRecord): string[] {
  return [...dataOf(request.DimensionColumns), ...dataOf(request.MetricColumns)];
}

/** The inline metrics of a data request. */
export function inlineMetrics(request: JsonRecord): string[] {
  return dataOf(request.MetricColumns);
}

function dataOf(refs: Json | undefined): string[] {
  return isList(refs) ? refs.flatMap(ref => (isRecord(ref) ? (scalarText(ref.Data) ?? []) : [])) : [];
}

/** Columns of the rows, in order; none where the rows have more than those that the request names. */
export function rowColumns(request: JsonRecord): string[] {
  const isSplit = isFilledStructure(request.SegmentIds) || isPresent(request.DateGrouping);
  return isSplit ? [] : inlineColumns(request);
}

/** Rows per request when all rows are fetched. The API states no maximum. */
export const PAGE_ROWS = 10_000;
