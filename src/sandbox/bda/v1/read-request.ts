import { DATE_GROUPINGS, type DateGrouping, type OrderV1 } from '../../../wire/bda-v1.ts';
import {
  DATA_REQUEST_RULES,
  FILTER_RULES,
  isAccepted,
  LIST_MAX,
  mustBe,
  platformRule,
  SEGMENT_ID_RULE,
  type ValueRule,
} from '../../../wire/bda-v1-rules.ts';
import { TIME_DIMENSIONS } from '../../../wire/bda-v2.ts';
import type { BrandNames } from '../../../wire/brand.ts';
import { HttpError } from '../../http-error.ts';
import type { Account } from '../../routing.ts';
import type { Column, Dimension } from '../columns.ts';
import { type DayRange, readDay } from '../days.ts';
import type { Platform } from '../facts/groups.ts';
import { integerOf, isObject } from '../json.ts';
import type { Comparison } from '../query-engine/condition.ts';
import type { Part, RowQuery } from '../query-engine/run-query.ts';
import { ownerOf } from '../state.ts';
import { type ColumnChoice, columnV1, readOrder } from './columns.ts';
import { daysOfBase } from './date-base.ts';
import { comparisonOf } from './filters.ts';
import type { SavedDefinitions } from './saved-definitions.ts';
import { segmentConditions } from './segments.ts';

/** Default decimals of revenue in v1. */
const REVENUE_DECIMALS_V1 = 2;

/** The columns of a request, from a report or inline, with their defaults. */
export interface ReportBasis {
  readonly columns: ColumnChoice;
  readonly order?: OrderV1;
  readonly segments: readonly number[];
  readonly dateBase: string;
  /** True if the request names the columns. */
  readonly isInline?: boolean;
}

interface RequestContext {
  readonly account: Account;
  readonly brand: BrandNames;
  readonly saved: SavedDefinitions;
  readonly today: number;
}

/** The value of a member; undefined if it is absent or null. @throws HttpError for one that v1 rejects. */
function field(body: Record<string, unknown>, name: string, rule: ValueRule): unknown {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (isAccepted(rule, value, integerOf)) return value;
  throw new HttpError(400, `${name} ${mustBe(rule)}`);
}

function integerField(
  body: Record<string, unknown>,
  name: 'StartItem' | 'MaxItems' | 'DomainId' | 'RevenueDecimalPlaces',
): number | undefined {
  return integerOf(field(body, name, DATA_REQUEST_RULES[name]));
}

function readDays(body: Record<string, unknown>, base: string, today: number): DayRange {
  const [first, last] = ['StartDate', 'EndDate'].map(field => {
    const text = body[field];
    if (text === undefined || text === null) return undefined;
    const day = typeof text === 'string' ? readDay(text) : undefined;
    if (day === undefined) throw new HttpError(400, `${field} must be a day as YYYY-MM-DD`);
    return day;
  });
  if (first === undefined && last === undefined) {
    const own = daysOfBase(base, today);
    if (own !== undefined) return own;
    throw new HttpError(400, 'StartDate and EndDate are required: the report has no default date range');
  }
  if (first === undefined || last === undefined)
    throw new HttpError(400, 'StartDate and EndDate must be sent together');
  if (first > last) throw new HttpError(400, 'StartDate must not be after EndDate');
  return { first, last };
}

function readPlatform(body: Record<string, unknown>, brand: BrandNames): Platform | undefined {
  const word = field(body, 'Platform', platformRule(brand));
  if (word === undefined || word === 'ALL') return undefined;
  return word === 'Orig' || word === 'ORIG' ? 'original' : 'service';
}

function readFilters(value: unknown): Comparison[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > LIST_MAX) {
    throw new HttpError(400, `Filters must be a list of at most ${LIST_MAX} filters`);
  }
  return value.map((item: unknown, index) => {
    if (!isObject(item)) throw new HttpError(400, `Filters[${index}] must be an object`);
    const { Type, FilterKey, OperationId, FilterValue } = item;
    if (!isAccepted(FILTER_RULES.Type, Type, integerOf))
      throw new HttpError(400, `Filters[${index}].Type ${mustBe(FILTER_RULES.Type)}`);
    const column = columnV1(FilterKey, `Filters[${index}].FilterKey`);
    return { ...comparisonOf(column, OperationId, FilterValue), excluded: Type === 'EXCLUDE' };
  });
}

/** The segments of the request, or else of the report; each yields its own rows. */
function readParts(
  body: Record<string, unknown>,
  basis: ReportBasis,
  { account, saved }: RequestContext,
): Part[] {
  const filters = readFilters(body.Filters);
  const requested = body.SegmentIds ?? undefined;
  if (requested !== undefined && (!Array.isArray(requested) || requested.length > LIST_MAX)) {
    throw new HttpError(400, `SegmentIds must be a list of at most ${LIST_MAX} ids`);
  }
  const ids = requested?.map((item: unknown) => {
    if (isAccepted(SEGMENT_ID_RULE, item, integerOf)) return integerOf(item);
    throw new HttpError(400, `SegmentIds: an id ${mustBe(SEGMENT_ID_RULE)}`);
  });
  // An empty list gives none, so that those of the report apply.
  const chosen = [...new Set(ids?.length ? ids : basis.segments)];
  if (chosen.length === 0) return [{ conditions: filters }];
  return chosen.map(id => {
    const segment = saved.segments().find(known => known.saved.id === id)?.saved;
    if (segment === undefined) throw new HttpError(404, `there is no segment ${id}`);
    return {
      label: segment.SegmentName,
      conditions: [...filters, ...segmentConditions(segment, account)],
    };
  });
}

/** `DateGrouping` replaces the time dimensions; without one, it becomes the first dimension. */
function readColumns(
  body: Record<string, unknown>,
  { columns, order }: ReportBasis,
): Pick<RowQuery, 'dimensions' | 'metrics' | 'order'> {
  const { dimensions, metrics } = columns;
  const grouping = field(body, 'DateGrouping', DATA_REQUEST_RULES.DateGrouping) as DateGrouping | undefined;
  const time = grouping && (columnV1(DATE_GROUPINGS[grouping], 'DateGrouping') as Dimension);
  const isTime = ({ name }: Column) => (TIME_DIMENSIONS as readonly string[]).includes(name);
  const grouped = time ? dimensions.map(column => (isTime(column) ? time : column)) : dimensions;
  // ColumnNumber counts the columns of the request, before a time dimension is added.
  const named: readonly Column[] = [...grouped, ...metrics];
  const requestedOrder = readOrder(body.Order, named.length) ?? order;
  const ordered = requestedOrder && named[requestedOrder.ColumnNumber];
  return {
    dimensions: [...new Set(time && !grouped.includes(time) ? [time, ...grouped] : grouped)],
    metrics,
    order: ordered ? [{ column: ordered, descending: requestedOrder.Direction === 'DESC' }] : [],
  };
}

function readDomain(body: Record<string, unknown>, account: Account): number | undefined {
  const id = integerField(body, 'DomainId');
  if (id === undefined) return undefined;
  const owner = ownerOf(account, id);
  if (owner === 'foreign') throw new HttpError(403, `domain ${id} belongs to another account`);
  if (owner === 'unknown') throw new HttpError(404, `there is no domain ${id}`);
  return id;
}

/** The page size, which every data request requires. */
function readMaxItems(body: Record<string, unknown>): number {
  const limit = integerField(body, 'MaxItems');
  if (limit === undefined) throw new HttpError(400, 'MaxItems is required');
  return limit;
}

/**
 * Parses a data request (spec, data request fields of v1).
 *
 * @throws HttpError for the first invalid field.
 */
export function readDataRequest(
  body: Record<string, unknown>,
  basis: ReportBasis,
  context: RequestContext,
): { rowQuery: RowQuery; revenueDecimals: number } {
  const limit = readMaxItems(body);
  const includes = (name: 'UrlParams' | 'UrlFragments') =>
    field(body, name, DATA_REQUEST_RULES[name]) !== 'exclude';
  return {
    rowQuery: {
      ...readColumns(body, basis),
      days: readDays(body, basis.dateBase, context.today),
      domainId: readDomain(body, context.account),
      platform: readPlatform(body, context.brand),
      url: {
        queryParams: includes('UrlParams'),
        fragments: includes('UrlFragments'),
        lowerCase: false,
      },
      parts: readParts(body, basis, context),
      offset: integerField(body, 'StartItem') ?? 0,
      limit,
    },
    revenueDecimals: integerField(body, 'RevenueDecimalPlaces') ?? REVENUE_DECIMALS_V1,
  };
}
