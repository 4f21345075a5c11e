import { isList, isRecord, type Json, type JsonRecord } from '../../json/index.ts';

/** What flags set of a query; each part that is there replaces the query's own. */
export interface QueryParts {
  readonly dataSet?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly dimensions?: readonly string[] | undefined;
  readonly metrics?: readonly string[] | undefined;
  readonly filters?: readonly Json[] | undefined;
  readonly sort?: readonly SortKey[] | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly domainId?: number | undefined;
  readonly platform?: string | undefined;
  readonly queryParams?: string | undefined;
  readonly fragments?: string | undefined;
  readonly caseNormalization?: string | undefined;
}

/** A type and not an interface, so that it is a JsonRecord too. */
export type SortKey = { readonly column: string; readonly direction: 'asc' | 'desc' };

/** The query (spec, Endpoints D) with the parts in place. Its other fields stay, also those that gatectl does not know. */
export function withParts(query: JsonRecord, parts: QueryParts): JsonRecord {
  const dates = { start_date: parts.from, end_date: parts.to };
  const urls = {
    query_params: parts.queryParams,
    fragments: parts.fragments,
    case_normalization: parts.caseNormalization,
  };
  return merged(query, {
    data_set: parts.dataSet,
    date_range: mergedField(query.date_range, dates),
    dimensions: parts.dimensions,
    metrics: parts.metrics,
    filters: parts.filters,
    sort: parts.sort,
    limit: parts.limit,
    offset: parts.offset,
    domain_id: parts.domainId,
    platform: parts.platform,
    url_options: mergedField(query.url_options, urls),
  });
}

function merged(record: JsonRecord, fields: JsonRecord): JsonRecord {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...record, ...Object.fromEntries(given) };
}

/** Undefined when no field is given, so that what the query has there is left alone, whatever it is. */
function mergedField(value: Json | undefined, fields: JsonRecord): JsonRecord | undefined {
  if (Object.values(fields).every(field => field === undefined)) return undefined;
  return merged(isRecord(value) ? value : {}, fields);
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
