import { type JsonRecord, stringifyJson } from '../json/index.ts';
import type { AnyOf, FilterV2, Query } from '../wire/bda-v2.ts';

/** A query, or a filter of one, as JSON. */
export function queryRecord(query: Query | FilterV2 | AnyOf): JsonRecord {
  // What a Query holds is JSON: the wire type only leaves url_options.case_normalization open.
  return query as unknown as JsonRecord;
}

/** A query, or a filter of one, as JSON text with all its digits: `JSON.stringify` would write an exact number as an object. */
export function queryJson(query: Query | FilterV2 | AnyOf, indent = 0): string {
  return stringifyJson(queryRecord(query), indent);
}
