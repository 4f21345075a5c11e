import type { JsonRecord } from '../../json/index.ts';
import { brandNames } from '../../wire/brand.ts';
import type { FilterExpression } from '../bda/filter-expression.ts';

/** What flags set of a data request; a part that is there takes the place of the request's own. */
export interface DataParts {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly grouping?: 'day' | 'week' | 'month' | undefined;
  readonly segments?: readonly number[] | undefined;
  readonly platform?: 'service' | 'original' | 'all' | undefined;
  readonly domainId?: number | undefined;
  readonly queryParams?: string | undefined;
  readonly fragments?: string | undefined;
  readonly revenueDecimals?: number | undefined;
  readonly dimensions?: readonly ColumnChoice[] | undefined;
  readonly metrics?: readonly ColumnChoice[] | undefined;
  readonly order?: { readonly index: number; readonly direction: 'asc' | 'desc' } | undefined;
  readonly filters?: readonly JsonRecord[] | undefined;
}

export interface ColumnChoice {
  readonly name: string;
  /** v1's word for what the column holds: `string` or `number`. */
  readonly type: string;
}

const GROUPINGS = { day: 'DAILY', week: 'WEEKLY', month: 'MONTHLY' } as const;

/** The data request (spec, v1's data request fields) with the parts in place; its other fields stay. `brand` is the brand word. */
export function withDataParts(request: JsonRecord, parts: DataParts, brand: string): JsonRecord {
  const fields = {
    StartDate: parts.from,
    EndDate: parts.to,
    DateGrouping: parts.grouping && GROUPINGS[parts.grouping],
    SegmentIds: parts.segments,
    Platform: parts.platform && platformWord(parts.platform, brand),
    DomainId: parts.domainId,
    UrlParams: parts.queryParams,
    UrlFragments: parts.fragments,
    RevenueDecimalPlaces: parts.revenueDecimals,
    DimensionColumns: parts.dimensions?.map(columnRef),
    MetricColumns: parts.metrics?.map(columnRef),
    Order: parts.order && {
      ColumnNumber: parts.order.index,
      Direction: parts.order.direction === 'desc' ? 'DESC' : 'ASC',
    },
    Filters: parts.filters,
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...request, ...Object.fromEntries(given) };
}

function columnRef({ name, type }: ColumnChoice): JsonRecord {
  return { Data: name, Type: type };
}

/** In upper case: deployed descriptions list these forms only. */
function platformWord(platform: 'service' | 'original' | 'all', brand: string): string {
  if (platform === 'service') return brandNames(brand).platformV1Upper;
  return platform === 'original' ? 'ORIG' : 'ALL';
}

const DOCUMENTED: Readonly<Record<string, string>> = {
  greater_than: 'GREATER',
  greater_than_or_equal: 'GREATER_OR_EQUAL',
};

/** v1's operation id for an operator as it is typed: the two documented ones, and any other word in v1's upper case. */
export function operationId(operator: string): string {
  return DOCUMENTED[operator] ?? operator.toUpperCase().replaceAll('-', '_');
}

/** A filter as v1's data requests take it: one text value, digits as typed. */
export function filterV1({ column, operator, values }: FilterExpression): JsonRecord {
  return {
    Type: 'INCLUDE',
    FilterKey: column,
    OperationId: operationId(operator),
    FilterValue: values[0]?.text ?? '',
  };
}
