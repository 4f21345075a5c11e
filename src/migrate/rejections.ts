import { type ColumnCatalogue, quoted } from '../apis/bda/catalogue.ts';
import { isPresent } from '../apis/bda/fields.ts';
import { valueKindOfType } from '../apis/bda/value-kind.ts';
import { integerOf, isList, isRecord, type Json, type JsonRecord } from '../json/index.ts';
import {
  COLUMN_RULES,
  DATA_REQUEST_RULES,
  FILTER_RULES,
  isAccepted,
  mustBe,
  ORDER_RULES,
  platformRule,
  SEGMENT_ID_RULE,
  type ValueRule,
} from '../wire/bda-v1-rules.ts';
import { brandNames } from '../wire/brand.ts';
import type { Blocker } from './migration.ts';

type Rules = Readonly<Record<string, ValueRule>>;

/** Why v1 rejects a data request, a sentence for each place; its columns are checked as far as `catalogue` states their roles. */
export function rejections(
  request: JsonRecord,
  brand: string,
  catalogue: ColumnCatalogue | undefined,
): Blocker[] {
  const rules = { ...DATA_REQUEST_RULES, Platform: platformRule(brandNames(brand)) };
  const { Order: order } = request;
  return [
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
    ...(!isPresent(order) || isRecord(order) ? [] : [{ field: 'Order', reason: 'must be an object' }]),
    ...(isRecord(order) ? wrongValues(withAll(order, ORDER_RULES), ORDER_RULES, 'Order.') : []),
    ...items(request.Filters, 'Filters', FILTER_RULES),
    ...columnRejections(request, 'DimensionColumns', catalogue),
    ...columnRejections(request, 'MetricColumns', catalogue),
  ];
}

/** Objects of a list, all of whose members are required. */
function items(list: Json | undefined, name: string, rules: Rules): Blocker[] {
  return listed(list, name).flatMap(({ item, field }) =>
    isRecord(item)
      ? wrongValues(withAll(item, rules), rules, `${field}.`)
      : [{ field, reason: 'must be an object' }],
  );
}

function columnRejections(
  request: JsonRecord,
  name: 'DimensionColumns' | 'MetricColumns',
  catalogue: ColumnCatalogue | undefined,
): Blocker[] {
  const isDimension = name === 'DimensionColumns';
  const seen = new Set<string>();
  const found = listed(request[name], name).flatMap(({ item, field }): Blocker[] => {
    const column = isRecord(item) ? item.Data : undefined;
    if (typeof column !== 'string') return [];
    const again = seen.has(column);
    seen.add(column);
    if (again) return [{ field: `${field}.Data`, reason: `names ${quoted(column)} a second time` }];
    const role = roleOf(column, catalogue);
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
