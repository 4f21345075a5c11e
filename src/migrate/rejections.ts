import { type ColumnCatalogue, quoted } from '../apis/bda/catalogue.ts';
import { isPresent } from '../apis/bda/fields.ts';
import { valueKindOfType } from '../apis/bda/value-kind.ts';
import { integerOf, isList, isRecord, type Json, type JsonRecord } from '../json/index.ts';
import {
  COLUMN_RULES,
  DATA_REQUEST_RULES,
  FILTER_RULES,
  integer,
  isAccepted,
  isFilterNumber,
  LIST_MAX,
  mustBe,
  OPERATIONS_V1,
  ORDER_RULES,
  platformRule,
  SEGMENT_ID_RULE,
  type ValueRule,
} from '../wire/bda-v1-rules.ts';
import { brandNames } from '../wire/brand.ts';
import type { Blocker } from './migration.ts';

type Rules = Readonly<Record<string, ValueRule>>;

/** What is known about columns: the listings of both versions, undefined where they are not. */
interface Catalogues {
  readonly v1: ColumnCatalogue | undefined;
  readonly v2: ColumnCatalogue | undefined;
}

/** Why v1 rejects a data request, a sentence for each place; its columns are checked as far as the catalogues state them. */
export function rejections(request: JsonRecord, brand: string, catalogues: Catalogues): Blocker[] {
  const rules = { ...DATA_REQUEST_RULES, Platform: platformRule(brandNames(brand)) };
  const { Order: order } = request;
  return [
    ...(isPresent(request.MaxItems) ? [] : [{ field: 'MaxItems', reason: 'v1 requires a page size' }]),
    ...['StartDate', 'EndDate'].flatMap(name =>
      request[name] === '' ? [{ field: name, reason: 'must be a valid day, YYYY-MM-DD' }] : [],
    ),
    ...wrongValues(request, rules, ''),
    ...listed(request.SegmentIds, 'SegmentIds').flatMap(({ item, field }) =>
      wrong(item, SEGMENT_ID_RULE, field),
    ),
    ...['SegmentIds', 'Filters', 'DimensionColumns', 'MetricColumns'].flatMap(name =>
      !isPresent(request[name]) || isList(request[name]) ? [] : [{ field: name, reason: 'must be a list' }],
    ),
    ...['SegmentIds', 'Filters'].flatMap(name =>
      listed(request[name], name).length > LIST_MAX
        ? [{ field: name, reason: `must be a list of at most ${LIST_MAX} items` }]
        : [],
    ),
    ...(!isPresent(order) || isRecord(order) ? [] : [{ field: 'Order', reason: 'must be an object' }]),
    ...(isRecord(order) ? orderRejections(order, request) : []),
    ...items(request.Filters, 'Filters', FILTER_RULES),
    ...filterRejections(request.Filters, catalogues),
    ...columnRejections(request, 'DimensionColumns', catalogues),
    ...columnRejections(request, 'MetricColumns', catalogues),
  ];
}

/** The index of an order counts the columns of the request; those of a saved report are not checked. */
function orderRejections(order: JsonRecord, request: JsonRecord): Blocker[] {
  const columns = ['DimensionColumns', 'MetricColumns'].flatMap(name => listed(request[name], name));
  const rules = {
    ...ORDER_RULES,
    ...(columns.length > 0 && { ColumnNumber: integer(0, columns.length - 1) }),
  };
  return wrongValues(withAll(order, rules), rules, 'Order.');
}

/** Objects of a list, all of whose members are required. */
function items(list: Json | undefined, name: string, rules: Rules): Blocker[] {
  return listed(list, name).flatMap(({ item, field }) =>
    isRecord(item)
      ? wrongValues(withAll(item, rules), rules, `${field}.`)
      : [{ field, reason: 'must be an object' }],
  );
}

/** Operations and numbers in another spelling, and columns that v1 lacks. */
function filterRejections(filters: Json | undefined, catalogues: Catalogues): Blocker[] {
  return listed(filters, 'Filters').flatMap(({ item, field }): Blocker[] => {
    const { FilterKey: column, OperationId: operation, FilterValue: value } = isRecord(item) ? item : {};
    if (typeof column !== 'string') return [];
    const documented = OPERATIONS_V1.find(
      name => typeof operation === 'string' && name === operation.trim().toUpperCase(),
    );
    const type = (catalogues.v2?.get(column) ?? catalogues.v1?.get(column))?.type;
    const isNumeric = type !== undefined && valueKindOfType(type) === 'number';
    return [
      ...unknownColumn(column, `${field}.FilterKey`, catalogues),
      ...(documented === undefined || documented === operation
        ? []
        : [{ field: `${field}.OperationId`, reason: `must be ${documented}` }]),
      ...(isNumeric && typeof value === 'string' && !isFilterNumber(value)
        ? [{ field: `${field}.FilterValue`, reason: `must be a number, because ${column} is numeric` }]
        : []),
    ];
  });
}

/** A column that v1 lacks: that of a data set for which it has no equivalent, or a wrong name. */
function unknownColumn(column: string, field: string, { v1 }: Catalogues): Blocker[] {
  return v1 === undefined || v1.has(column) ? [] : [{ field, reason: `v1 has no column ${quoted(column)}` }];
}

function columnRejections(
  request: JsonRecord,
  name: 'DimensionColumns' | 'MetricColumns',
  catalogues: Catalogues,
): Blocker[] {
  const isDimension = name === 'DimensionColumns';
  const seen = new Set<string>();
  const found = listed(request[name], name).flatMap(({ item, field }): Blocker[] => {
    const column = isRecord(item) ? item.Data : undefined;
    if (typeof column !== 'string') return [];
    const again = seen.has(column);
    seen.add(column);
    if (again) return [{ field: `${field}.Data`, reason: `names ${quoted(column)} a second time` }];
    const unknown = unknownColumn(column, `${field}.Data`, catalogues);
    if (unknown.length > 0) return unknown;
    const role = roleOf(column, catalogues.v2);
    if (role === undefined || (role === 'dimension') === isDimension) return [];
    return [{ field: `${field}.Data`, reason: `${quoted(column)} is a ${role}` }];
  });
  return [...items(request[name], name, COLUMN_RULES), ...found];
}

/** The role of a column by its listing: stated, or by its type and unit, since a number without a unit may be an id. */
function roleOf(name: string, catalogue: ColumnCatalogue | undefined): 'dimension' | 'metric' | undefined {
  const { role, type, unit } = catalogue?.get(name) ?? {};
  if (role !== undefined || type === undefined) return role;
  if (valueKindOfType(type) !== 'number') return 'dimension';
  return unit === undefined ? undefined : 'metric';
}

const listed = (list: Json | undefined, name: string) =>
  isList(list) ? list.map((item, index) => ({ item, field: `${name}[${index}]` })) : [];

/** The members of these rules, null where the record lacks one. */
const withAll = (item: JsonRecord, rules: Rules): JsonRecord =>
  Object.fromEntries(Object.keys(rules).map(name => [name, item[name] ?? null]));

/** The values of members that break their rules; in a data request, null is an absent member. */
function wrongValues(record: JsonRecord, rules: Rules, path: string): Blocker[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const value = record[name];
    return value === undefined || (value === null && path === '') ? [] : wrong(value, rule, `${path}${name}`);
  });
}

function wrong(value: Json, rule: ValueRule, field: string): Blocker[] {
  return isAccepted(rule, value, integerOf) ? [] : [{ field, reason: mustBe(rule) }];
}
