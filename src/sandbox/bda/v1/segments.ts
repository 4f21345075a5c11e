import type { SavedSegment, Segment } from '../../../wire/bda-v1.ts';
import type { Account } from '../../routing.ts';
import { isObject } from '../json.ts';
import type { Condition } from '../query-engine/condition.ts';
import { columnOfFilter, filterIdOf } from './filters.ts';
import { multifilterComparison } from './multifilters.ts';
import { comparisonOf } from './operations.ts';
import { Refused } from './refused.ts';

/** A segment as the server keeps it. */
export interface KeptSegment {
  readonly saved: SavedSegment;
  readonly premade: boolean;
}

/** The segments that every account has. */
export const PREMADE_SEGMENTS: readonly SavedSegment[] = [
  { id: 1, SegmentName: 'All Users' },
  { id: 2, SegmentName: 'Desktop Traffic', SegmentMultiFilters: { 12: { FilterValues: ['desktop'] } } },
  { id: 3, SegmentName: 'Mobile Traffic', SegmentMultiFilters: { 12: { FilterValues: ['mobile'] } } },
];

/** The segments that the account has saved. The last one's operation has no word in v2. */
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
  if (!isObject(value)) throw new Refused(`${field} must be an object keyed by id`);
  return Object.entries(value).map(([id, item]) => {
    if (!isObject(item)) throw new Refused(`${field}['${id}'] must be an object`);
    return [id, item];
  });
}

function plainCondition(id: string, item: Record<string, unknown>): Condition {
  const column = columnOfFilter(id);
  if (column === undefined) throw new Refused(`there is no filter ${id}: getfilters lists the ids`);
  return comparisonOf(column, item.FilterIntOperationId, item.FilterValue);
}

/**
 * The conditions of a segment; all must hold.
 *
 * @throws Refused for ids, operations, values and option keys that do not exist.
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
 * @throws Refused when the name is missing or a filter makes no sense.
 */
export function readSegment(body: Record<string, unknown>, account: Account): Segment {
  const { SegmentName, SegmentFilters, SegmentMultiFilters } = body;
  if (typeof SegmentName !== 'string' || SegmentName.trim() === '') {
    throw new Refused('SegmentName is required');
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
