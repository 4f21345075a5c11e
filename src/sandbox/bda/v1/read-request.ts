import { DATE_GROUPINGS, type DateGrouping, type OrderV1 } from '../../../wire/bda-v1.ts';
import { TIME_DIMENSIONS } from '../../../wire/bda-v2.ts';
import type { BrandNames } from '../../../wire/brand.ts';
import type { Account } from '../../routing.ts';
import type { Column, Dimension } from '../columns.ts';
import { type DayRange, readDay } from '../days.ts';
import type { Platform } from '../facts/groups.ts';
import { isObject, wholeNumber } from '../json.ts';
import type { Part, RowQuery } from '../query-engine/ask.ts';
import type { Comparison } from '../query-engine/condition.ts';
import { ownership } from '../state.ts';
import { type ColumnChoice, columnV1, readOrder } from './columns.ts';
import { daysOfBase } from './date-base.ts';
import { comparisonOf } from './operations.ts';
import { Refused } from './refused.ts';
import type { SavedWork } from './saved.ts';
import { segmentConditions } from './segments.ts';

/** Decimals of revenue in v1, where a request leaves them open. */
const REVENUE_DECIMALS_V1 = 2;
const REVENUE_DECIMALS_MAX = 6;
/** Filters and segments that one request may carry. */
const PARTS_MAX = 100;

/** Where the columns of a request come from, and what goes with them. */
export interface ReportBasis {
  readonly columns: ColumnChoice;
  readonly order?: OrderV1;
  readonly segments: readonly number[];
  readonly dateBase: string;
  /** True for columns that the request names itself. */
  readonly isInline?: boolean;
}

export interface RequestSurroundings {
  readonly account: Account;
  readonly brand: BrandNames;
  readonly saved: SavedWork;
  readonly today: number;
}

function wholeField(
  body: Record<string, unknown>,
  field: string,
  [from, to]: [number, number],
): number | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  const number = wholeNumber(value);
  if (number !== undefined && number >= from && number <= to) return number;
  const bounds = to === Number.MAX_SAFE_INTEGER ? `of ${from} or more` : `from ${from} to ${to}`;
  throw new Refused(`${field} must be a whole number ${bounds}`);
}

function wordField<Word extends string>(
  body: Record<string, unknown>,
  field: string,
  words: readonly Word[],
): Word | undefined {
  const value = body[field];
  if (value === undefined || value === null || value === '') return undefined;
  const word = words.find(candidate => candidate === value);
  if (word === undefined) throw new Refused(`${field} must be one of ${words.join(', ')}`);
  return word;
}

function readDays(body: Record<string, unknown>, base: string, today: number): DayRange {
  const [first, last] = ['StartDate', 'EndDate'].map(field => {
    const text = body[field];
    if (text === undefined || text === null || text === '') return undefined;
    const day = typeof text === 'string' ? readDay(text) : undefined;
    if (day === undefined) throw new Refused(`${field} must be a day as YYYY-MM-DD`);
    return day;
  });
  if (first === undefined && last === undefined) {
    const own = daysOfBase(base, today);
    if (own !== undefined) return own;
    throw new Refused('StartDate and EndDate are required: the report has no date range of its own');
  }
  if (first === undefined || last === undefined)
    throw new Refused('StartDate and EndDate must be sent together');
  if (first > last) throw new Refused('StartDate must not be after EndDate');
  return { first, last };
}

function readPlatform(body: Record<string, unknown>, brand: BrandNames): Platform | undefined {
  const served = [brand.platformV1, brand.platformV1Upper];
  const word = wordField(body, 'Platform', [...served, 'Orig', 'ORIG', 'ALL']);
  if (word === undefined || word === 'ALL') return undefined;
  return served.includes(word) ? 'service' : 'original';
}

function readFilters(value: unknown): Comparison[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > PARTS_MAX) {
    throw new Refused(`Filters must be a list of at most ${PARTS_MAX} filters`);
  }
  return value.map((item: unknown, index) => {
    if (!isObject(item)) throw new Refused(`Filters[${index}] must be an object`);
    const { Type, FilterKey, OperationId, FilterValue } = item;
    if (Type !== 'INCLUDE' && Type !== 'EXCLUDE') {
      throw new Refused(`Filters[${index}].Type must be INCLUDE or EXCLUDE`);
    }
    const column = columnV1(FilterKey, `Filters[${index}].FilterKey`);
    return { ...comparisonOf(column, OperationId, FilterValue), excluded: Type === 'EXCLUDE' };
  });
}

/** The request's segments, or the report's where the request names none; each splits off rows of its own. */
function readParts(
  body: Record<string, unknown>,
  basis: ReportBasis,
  { account, saved }: RequestSurroundings,
): Part[] {
  const filters = readFilters(body.Filters);
  // An empty list is an answer too: all users.
  const asked = body.SegmentIds ?? undefined;
  if (asked !== undefined && (!Array.isArray(asked) || asked.length > PARTS_MAX)) {
    throw new Refused(`SegmentIds must be a list of at most ${PARTS_MAX} ids`);
  }
  const ids = asked?.map((item: unknown) => {
    const id = wholeNumber(item);
    if (id === undefined) throw new Refused('SegmentIds must be whole numbers');
    return id;
  });
  const chosen = [...new Set(ids ?? basis.segments)];
  if (chosen.length === 0) return [{ conditions: filters }];
  return chosen.map(id => {
    const segment = saved.segments().find(known => known.saved.id === id)?.saved;
    if (segment === undefined) throw new Refused(`there is no segment ${id}`, 404);
    return {
      label: segment.SegmentName,
      conditions: [...filters, ...segmentConditions(segment, account)],
    };
  });
}

function isTime(column: Column): boolean {
  return (TIME_DIMENSIONS as readonly string[]).includes(column.name);
}

/** `DateGrouping` takes the place of the time dimensions; where there is none, it comes first. */
function readColumns(
  body: Record<string, unknown>,
  { columns, order }: ReportBasis,
): Pick<RowQuery, 'dimensions' | 'metrics' | 'order'> {
  const { dimensions, metrics } = columns;
  const grouping = wordField(body, 'DateGrouping', Object.keys(DATE_GROUPINGS) as DateGrouping[]);
  const time = grouping && (columnV1(DATE_GROUPINGS[grouping], 'DateGrouping') as Dimension);
  const grouped = time ? dimensions.map(column => (isTime(column) ? time : column)) : dimensions;
  // An order counts the columns as they were named, before a time dimension is put in front.
  const named: readonly Column[] = [...grouped, ...metrics];
  const wanted = readOrder(body.Order, named.length) ?? order;
  const ordered = wanted && named[wanted.ColumnNumber];
  return {
    dimensions: [...new Set(time && !grouped.includes(time) ? [time, ...grouped] : grouped)],
    metrics,
    order: ordered ? [{ column: ordered, descending: wanted.Direction === 'DESC' }] : [],
  };
}

function readDomain(body: Record<string, unknown>, account: Account): number | undefined {
  const id = wholeField(body, 'DomainId', [0, Number.MAX_SAFE_INTEGER]);
  if (id === undefined) return undefined;
  const owner = ownership(account, id);
  if (owner === 'foreign') throw new Refused(`domain ${id} belongs to another account`, 403);
  if (owner === 'unknown') throw new Refused(`there is no domain ${id}`, 404);
  return id;
}

/** A page size; without columns of its own a request has to have one, and for columns 0 or none means all rows. */
function readMaxItems(body: Record<string, unknown>, { isInline }: ReportBasis): number {
  const limit = wholeField(body, 'MaxItems', [isInline ? 0 : 1, Number.MAX_SAFE_INTEGER]);
  if (limit === undefined && !isInline) throw new Refused('MaxItems is required');
  return limit || Number.MAX_SAFE_INTEGER;
}

/** Decimals of revenue: 2 to 6; 0 stands for the usual 2. */
function readRevenueDecimals(body: Record<string, unknown>): number {
  const decimals = wholeField(body, 'RevenueDecimalPlaces', [0, REVENUE_DECIMALS_MAX]);
  if (decimals === 1)
    throw new Refused(`RevenueDecimalPlaces must be 0, or from 2 to ${REVENUE_DECIMALS_MAX}`);
  return decimals || REVENUE_DECIMALS_V1;
}

/**
 * Reads a data request (spec, v1's data request fields) into a query and v1's rounding.
 *
 * @throws Refused for the first field that is wrong.
 */
export function readDataRequest(
  body: Record<string, unknown>,
  basis: ReportBasis,
  around: RequestSurroundings,
): { rowQuery: RowQuery; revenueDecimals: number } {
  const limit = readMaxItems(body, basis);
  const include = ['include', 'exclude'] as const;
  return {
    rowQuery: {
      ...readColumns(body, basis),
      days: readDays(body, basis.dateBase, around.today),
      domainId: readDomain(body, around.account),
      platform: readPlatform(body, around.brand),
      url: {
        queryParams: wordField(body, 'UrlParams', include) !== 'exclude',
        fragments: wordField(body, 'UrlFragments', include) !== 'exclude',
        lowerCase: false,
      },
      parts: readParts(body, basis, around),
      offset: wholeField(body, 'StartItem', [0, Number.MAX_SAFE_INTEGER]) ?? 0,
      limit,
    },
    revenueDecimals: readRevenueDecimals(body),
  };
}
