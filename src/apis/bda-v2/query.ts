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

/** The query with some fields replaced; its other fields stay, also those that gatectl does not know. */
export function withQueryFields(query: JsonRecord, fields: RequestFields): JsonRecord {
  return withFields(query, fields, FIELDS);
}

/** The query for other days. */
export function withDays(query: JsonRecord, days: DayRange): JsonRecord {
  return withQueryFields(query, dayFields(days));
}

/** The fields that hold the days; an end that is not given keeps what the query says. */
export function dayFields({ from, to }: Partial<DayRange>): Map<string, Json> {
  return new Map([
    ...(from === undefined ? [] : [['date_range.start_date', from] as const]),
    ...(to === undefined ? [] : [['date_range.end_date', to] as const]),
  ]);
}

/** The columns that a query asks for, dimensions first: the columns of its csv. */
export function columnsOf(query: JsonRecord): string[] {
  return [...namesOf(query.dimensions), ...namesOf(query.metrics)];
}

/** The query for some of its rows. */
export function pageOf(query: JsonRecord, page: { offset: number; limit: number }): JsonRecord {
  return { ...query, limit: page.limit, offset: page.offset };
}

/**
 * The query with its own sort first and then every dimension that is not in it, so that no two rows are equal in all sort keys
 * and pages can neither overlap nor leave a gap.
 */
export function withWholeOrder(query: JsonRecord): JsonRecord {
  const sort = isList(query.sort) ? query.sort : [];
  const sorted = new Set(sort.filter(isRecord).map(key => key.column));
  const missing = namesOf(query.dimensions).filter(name => !sorted.has(name));
  if (missing.length === 0) return query;
  return { ...query, sort: [...sort, ...missing.map(column => ({ column, direction: 'asc' }))] };
}

/** The column names in a query's list. */
export function namesOf(list: Json | undefined): string[] {
  return isList(list) ? list.filter(name => typeof name === 'string') : [];
}
