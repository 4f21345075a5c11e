import { isPresent, wholeNumberOf } from '../apis/bda/fields.ts';
import type { JsonRecord } from '../json/index.ts';
import { groupDigits, pluralize } from '../terminal/numbers.ts';
import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX, type Query } from '../wire/bda-v2.ts';
import type { Merge } from './migration.ts';
import type { MigrationNotes } from './migration-notes.ts';

/** How the rows of one chart are split and ordered. */
interface Split {
  /** Whether there are several segments. */
  readonly isSplit: boolean;
  /** Whether there are no dimensions, so that the only row is the total. */
  readonly isSingleRow: boolean;
  /** Whether the page size is gatectl's own, because no request was given. */
  readonly isPageAssumed: boolean;
  readonly sort: Query['sort'];
}

/** The page of each query and, of several, what is done with their rows. */
interface Paging {
  readonly page: Pick<Query, 'limit' | 'offset'>;
  readonly merge?: Merge;
}

/**
 * Maps `MaxItems` and `StartItem`. v1 counts the rows of all segments together, in one order: with several, each query returns the rows
 * that may be among those of the page, which are then merged.
 */
export function migratePaging(
  request: JsonRecord,
  { isSplit, isSingleRow, isPageAssumed, sort }: Split,
  notes: MigrationNotes,
): Paging {
  const offset = migrateOffset(request.StartItem, isSplit, notes);
  const limit = migrateLimit(request.MaxItems, { isSplit, isAssumed: isPageAssumed }, notes);
  if (!isSplit) {
    if (sort === undefined && !isSingleRow)
      notes.changed(
        'Order',
        'there is none, so v2 may return the rows in another order and, of more rows than fit the page, others',
      );
    return { page: { limit, ...(offset !== undefined && { offset }) } };
  }
  const [by] = sort ?? [];
  if (by === undefined)
    notes.changed(
      'Order',
      'the request has none, and v1 may mix the rows of its segments, so a page may have other rows, in another order',
    );
  const rows = (offset ?? 0) + limit;
  if (rows > QUERY_LIMIT_MAX)
    notes.changed(
      'StartItem',
      `the page ends beyond the first ${groupDigits(QUERY_LIMIT_MAX)} rows, the maximum of one v2 query, so rows may be missing`,
    );
  return {
    page: { limit: Math.min(rows, QUERY_LIMIT_MAX) },
    merge: { ...(by !== undefined && { sort: by }), offset: offset ?? 0, limit },
  };
}

function migrateLimit(
  value: unknown,
  { isSplit, isAssumed }: { readonly isSplit: boolean; readonly isAssumed: boolean },
  notes: MigrationNotes,
): number {
  const items = wholeNumberOf(value);
  if (items === undefined || items < 1) {
    const reason = isPresent(value) ? 'a page size must be an integer from 1' : 'v1 requires a page size';
    notes.block('MaxItems', reason);
    return QUERY_LIMIT_DEFAULT;
  }
  if (isAssumed) {
    notes.changed('MaxItems', `no request was given; limit is ${items} rows, the default of v2`);
    return items;
  }
  if (items > QUERY_LIMIT_MAX) {
    const text = `${pluralize(items, 'row')} exceed the maximum of one v2 query; limit is ${groupDigits(QUERY_LIMIT_MAX)}, and gatectl bda query --all fetches the rest page by page`;
    notes.changed('MaxItems', text);
    return QUERY_LIMIT_MAX;
  }
  if (isSplit) notes.changed('MaxItems', `up to ${pluralize(items, 'row')} of all segments together`);
  else notes.lossless('MaxItems', `up to ${pluralize(items, 'row')}, as limit`);
  return items;
}

function migrateOffset(value: unknown, isSplit: boolean, notes: MigrationNotes): number | undefined {
  if (!isPresent(value)) return undefined;
  const start = wholeNumberOf(value);
  if (start === undefined || start < 0) {
    const reason = 'the offset must be an integer from 0';
    notes.unsupported('StartItem', reason, 'the query starts at the first row');
    return undefined;
  }
  const rows = pluralize(start, 'row');
  if (isSplit && start > 0) notes.changed('StartItem', `${rows} of all segments together skipped`);
  else notes.lossless('StartItem', `${rows} skipped, as offset`);
  return start;
}
