import type { SavedSegment, Segment } from '../../../wire/bda-v1.ts';
import { HttpError } from '../../http-error.ts';
import type { Account } from '../../routing.ts';
import { isObject } from '../json.ts';
import type { Condition } from '../query-engine/condition.ts';
import { columnOfFilter, comparisonOf, filterIdOf } from './filters.ts';
import { multifilterComparison } from './multifilters.ts';

/** A stored segment. */
export interface StoredSegment {
  readonly saved: SavedSegment;
  readonly premade: boolean;
}

/** The segments of every account. */
export const PREMADE_SEGMENTS: readonly SavedSegment[] = [
  { id: 1, SegmentName: 'All Users' },
  { id: 2, SegmentName: 'Desktop Traffic', SegmentMultiFilters: { 12: { FilterValues: ['desktop'] } } },
  { id: 3, SegmentName: 'Mobile Traffic', SegmentMultiFilters: { 12: { FilterValues: ['mobile'] } } },
];

/** The segments of the account. The operation of the last has no v2 equivalent. */
export const SEEDED_SEGMENTS: readonly SavedSegment[] = [
  {
    id: 201,
    SegmentName: 'North America',
    SegmentMultiFilters: { 11: { FilterValues: ['US', 'CA'] } },
  },
  {
    id: 202,
    SegmentName: 'Well Read on Desktop',
    SegmentFilters: {
      [filterIdOf('pageviews')]: { FilterIntOperationId: 'GREATER_OR_EQUAL', FilterValue: '100' },
    },
    SegmentMultiFilters: { 12: { FilterValues: ['desktop'] } },
  },
  {
    id: 203,
    SegmentName: 'Titles that Start with The',
    SegmentFilters: {
      [filterIdOf('page_title')]: { FilterIntOperationId: 'STARTS_WITH', FilterValue: 'The ' },
    },
  },
];

function mapAt(value: unknown, field: string): [string, Record<string, unknown>][] {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) throw new HttpError(400, `${field} must be an object keyed by id`);
  return Object.entries(value).map(([id, item]) => {
    if (!isObject(item)) throw new HttpError(400, `${field}['${id}'] must be an object`);
    return [id, item];
  });
}

function plainCondition(id: string, item: Record<string, unknown>): Condition {
  const column = columnOfFilter(id);
  if (column === undefined) throw new HttpError(400, `there is no filter ${id}: getfilters lists the ids`);
  return comparisonOf(column, item.FilterIntOperationId, item.FilterValue);
}

/**
 * The conditions of a segment; all must match.
 *
 * @throws HttpError for unknown ids, operations and option keys, and for invalid values.
 */
export function segmentConditions(
  segment: { SegmentFilters?: unknown; SegmentMultiFilters?: unknown },
  account: Account,
): Condition[] {
  return [
    ...mapAt(segment.SegmentFilters, 'SegmentFilters').map(([id, item]) => plainCondition(id, item)),
    ...mapAt(segment.SegmentMultiFilters, 'SegmentMultiFilters').map(([id, item]) =>
      multifilterComparison(id, item.FilterValues, account),
    ),
  ];
}

/**
 * Reads the body of `createsegment`.
 *
 * @throws HttpError for a missing name or an invalid filter.
 */
export function readSegment(body: Record<string, unknown>, account: Account): Segment {
  const { SegmentName, SegmentFilters, SegmentMultiFilters } = body;
  if (typeof SegmentName !== 'string' || SegmentName.trim() === '') {
    throw new HttpError(400, 'SegmentName is required');
  }
  segmentConditions({ SegmentFilters, SegmentMultiFilters }, account);
  const plain = mapAt(SegmentFilters, 'SegmentFilters').map(([id, { FilterIntOperationId, FilterValue }]) => [
    id,
    { FilterIntOperationId, FilterValue },
  ]);
  const multi = mapAt(SegmentMultiFilters, 'SegmentMultiFilters').map(([id, { FilterValues }]) => [
    id,
    { FilterValues },
  ]);
  return {
    SegmentName,
    ...(plain.length > 0 ? { SegmentFilters: Object.fromEntries(plain) } : {}),
    ...(multi.length > 0 ? { SegmentMultiFilters: Object.fromEntries(multi) } : {}),
  };
}
