import { isList, isRecord, type Json, type JsonRecord } from '../../json/index.ts';
import type { DayRange } from '../bda/days.ts';
import { type RequestFields, withFields } from '../bda/request-fields.ts';

/** The documented fields of a query (spec, Endpoints D), in the order in which gatectl adds them. */
const FIELDS = [
  'data_set',
  'date_range',
  'dimensions',
  'metrics',
  'filters',
  'sort',
  'limit',
  'offset',
  'domain_id',
  'platform',
  'url_options',
];

/** Replaces some fields of a query; other fields stay, including unknown ones. */
export function withQueryFields(query: JsonRecord, fields: RequestFields): JsonRecord {
  return withFields(query, fields, FIELDS);
}

/** The query for other days. */
export function withDays(query: JsonRecord, days: DayRange): JsonRecord {
  return withQueryFields(query, dayFields(days));
}

/** The fields of the days; an undefined end is not changed. */
export function dayFields({ from, to }: Partial<DayRange>): Map<string, Json> {
  return new Map([
    ...(from === undefined ? [] : [['date_range.start_date', from] as const]),
    ...(to === undefined ? [] : [['date_range.end_date', to] as const]),
  ]);
}

/** The columns of a query, dimensions first: the columns of its csv. */
export function columnsOf(query: JsonRecord): string[] {
  return [...namesOf(query.dimensions), ...namesOf(query.metrics)];
}

/** The query for one page. */
export function pageOf(query: JsonRecord, page: { offset: number; limit: number }): JsonRecord {
  return { ...query, limit: page.limit, offset: page.offset };
}

/**
 * Appends every dimension that the query does not sort by to its sort, so that no two rows have equal sort keys and pages neither
 * overlap nor leave gaps.
 */
export function withTotalOrder(query: JsonRecord): JsonRecord {
  const sort = isList(query.sort) ? query.sort : [];
  const sorted = new Set(sort.filter(isRecord).map(key => key.column));
  const missing = namesOf(query.dimensions).filter(name => !sorted.has(name));
  if (missing.length === 0) return query;
  return { ...query, sort: [...sort, ...missing.map(column => ({ column, direction: 'asc' }))] };
}

/** The column names in a list of a query. */
export function namesOf(list: Json | undefined): string[] {
  return isList(list) ? list.filter(name => typeof name === 'string') : [];
}
