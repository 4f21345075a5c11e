import { isPresent, wholeNumberOf } from '../apis/bda/fields.ts';
import type { JsonRecord } from '../json/index.ts';
import { groupDigits, pluralize } from '../terminal/numbers.ts';
import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX, type Query } from '../wire/bda-v2.ts';
import type { MigrationNotes } from './migration-notes.ts';

/** `MaxItems` to `limit`, `StartItem` to `offset`, each in as many queries as segments split the request into. */
export function migratePaging(
  request: JsonRecord,
  isInline: boolean,
  queries: number,
  findings: MigrationNotes,
): Pick<Query, 'limit' | 'offset'> {
  const offset = migrateOffset(request.StartItem, queries, findings);
  return {
    limit: migrateLimit(request.MaxItems, isInline, findings),
    ...(offset !== undefined && { offset }),
  };
}

function migrateLimit(value: unknown, isInline: boolean, findings: MigrationNotes): number {
  // v1 requires a page size of getdata alone.
  if (isInline && (!isPresent(value) || wholeNumberOf(value) === 0)) {
    const text = `the request asks for all rows; limit is ${groupDigits(QUERY_LIMIT_MAX)}, the most of one v2 query, and gatectl bda query --all fetches the rest page by page`;
    findings.changed('MaxItems', text);
    return QUERY_LIMIT_MAX;
  }
  if (!isPresent(value)) {
    const text = `v1 requires a page size and the request has none; v2's own, ${QUERY_LIMIT_DEFAULT} rows, is used`;
    findings.changed('MaxItems', text);
    return QUERY_LIMIT_DEFAULT;
  }
  const items = wholeNumberOf(value);
  if (items === undefined || items < 1) {
    const reason = 'a page size is a whole number from 1';
    findings.leaveOut('MaxItems', reason, `v2's own page size, ${QUERY_LIMIT_DEFAULT} rows, applies`);
    return QUERY_LIMIT_DEFAULT;
  }
  if (items > QUERY_LIMIT_MAX) {
    const text = `${pluralize(items, 'row')} are more than v2 gives at once; limit is ${groupDigits(QUERY_LIMIT_MAX)}, and gatectl bda query --all fetches the rest page by page`;
    findings.changed('MaxItems', text);
    return QUERY_LIMIT_MAX;
  }
  findings.lossless('MaxItems', `up to ${pluralize(items, 'row')}, as limit`);
  return items;
}

function migrateOffset(value: unknown, queries: number, findings: MigrationNotes): number | undefined {
  if (!isPresent(value)) return undefined;
  const start = wholeNumberOf(value);
  if (start === undefined || start < 0) {
    const reason = 'the first row is a whole number from 0';
    findings.leaveOut('StartItem', reason, 'the query starts at the first row');
    return undefined;
  }
  if (start > 0 && queries > 1) {
    const text = `${pluralize(start, 'row')} skipped in each of the ${queries} queries, while v1 may count the rows of all segments together`;
    findings.changed('StartItem', text);
  } else findings.lossless('StartItem', `${pluralize(start, 'row')} skipped, as offset`);
  return start;
}
