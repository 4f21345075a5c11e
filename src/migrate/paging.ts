import { isPresent, wholeNumberOf } from '../apis/bda/fields.ts';
import type { JsonRecord } from '../json/index.ts';
import { groupDigits, pluralize } from '../terminal/numbers.ts';
import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX, type Query } from '../wire/bda-v2.ts';
import type { MigrationNotes } from './migration-notes.ts';

/** Maps `MaxItems` to `limit` and `StartItem` to `offset`. `queries` is the number of queries that segments split the request into. */
export function migratePaging(
  request: JsonRecord,
  isInline: boolean,
  queries: number,
  notes: MigrationNotes,
): Pick<Query, 'limit' | 'offset'> {
  const offset = migrateOffset(request.StartItem, queries, notes);
  return {
    limit: migrateLimit(request.MaxItems, isInline, notes),
    ...(offset !== undefined && { offset }),
  };
}

function migrateLimit(value: unknown, isInline: boolean, notes: MigrationNotes): number {
  // Only getdata requires a page size.
  if (isInline && (!isPresent(value) || wholeNumberOf(value) === 0)) {
    const text = `the request has no limit; limit is ${groupDigits(QUERY_LIMIT_MAX)}, the maximum of one v2 query, and gatectl bda query --all fetches the rest page by page`;
    notes.changed('MaxItems', text);
    return QUERY_LIMIT_MAX;
  }
  if (!isPresent(value)) {
    const text = `v1 requires a page size and the request has none; the default of v2 is used, ${QUERY_LIMIT_DEFAULT} rows`;
    notes.changed('MaxItems', text);
    return QUERY_LIMIT_DEFAULT;
  }
  const items = wholeNumberOf(value);
  if (items === undefined || items < 1) {
    const reason = 'a page size must be an integer from 1';
    notes.unsupported('MaxItems', reason, `the default of v2 applies, ${QUERY_LIMIT_DEFAULT} rows`);
    return QUERY_LIMIT_DEFAULT;
  }
  if (items > QUERY_LIMIT_MAX) {
    const text = `${pluralize(items, 'row')} exceed the maximum of one v2 query; limit is ${groupDigits(QUERY_LIMIT_MAX)}, and gatectl bda query --all fetches the rest page by page`;
    notes.changed('MaxItems', text);
    return QUERY_LIMIT_MAX;
  }
  notes.lossless('MaxItems', `up to ${pluralize(items, 'row')}, as limit`);
  return items;
}

function migrateOffset(value: unknown, queries: number, notes: MigrationNotes): number | undefined {
  if (!isPresent(value)) return undefined;
  const start = wholeNumberOf(value);
  if (start === undefined || start < 0) {
    const reason = 'the offset must be an integer from 0';
    notes.unsupported('StartItem', reason, 'the query starts at the first row');
    return undefined;
  }
  if (start > 0 && queries > 1) {
    const text = `${pluralize(start, 'row')} skipped in each of the ${queries} queries, while v1 may count the rows of all segments together`;
    notes.changed('StartItem', text);
  } else notes.lossless('StartItem', `${pluralize(start, 'row')} skipped, as offset`);
  return start;
}
