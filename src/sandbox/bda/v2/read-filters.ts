import type { Column, DataSet, Dimension } from '../columns.ts';
import { isObject, numberText } from '../json.ts';
import {
  type Comparison,
  type Condition,
  isAfterGrouping,
  type Operator,
} from '../query-engine/condition.ts';
import { type Details, listAt, objectAt, oneOfAt } from './errors.ts';
import { columnAt } from './read-columns.ts';

/** Operators of v2. The first three are in the spec, the others are assumptions. */
const OPERATORS = [
  'greater_than',
  'greater_than_or_equal',
  'in',
  'less_than',
  'less_than_or_equal',
  'equals',
  'not_equals',
  'contains',
] as const satisfies readonly Operator[];

/** Maximum number of filters in a query, and of conditions in a group. */
const MAX_FILTERS = 100;

function valueAt(value: unknown, column: Column, path: string, details: Details): string | undefined {
  const text = column.type === 'number' ? numberText(value) : value;
  if (typeof text === 'string') return text;
  details.add(
    path,
    `must be a ${column.type === 'number' ? 'number' : 'string'}, the type of '${column.name}'`,
  );
  return undefined;
}

function valuesAt(
  fields: Record<string, unknown>,
  column: Column,
  operator: Operator,
  path: string,
  details: Details,
): string[] | undefined {
  const [expected, other] = operator === 'in' ? ['values', 'value'] : ['value', 'values'];
  if (fields[other] !== undefined) {
    details.add(`${path}.${other}`, `operator '${operator}' requires '${expected}'`);
    return undefined;
  }
  if (operator !== 'in') {
    const value = valueAt(fields.value, column, `${path}.value`, details);
    return value === undefined ? undefined : [value];
  }
  const list = listAt(fields.values, `${path}.values`, details);
  if (list.length === 0) details.add(`${path}.values`, 'must be a non-empty list');
  const values = list.map((item, index) => valueAt(item, column, `${path}.values[${index}]`, details));
  return values.filter(value => value !== undefined);
}

function comparisonAt(
  item: unknown,
  path: string,
  dataSet: DataSet,
  details: Details,
): Comparison | undefined {
  const fields = objectAt(item, path, ['column', 'operator', 'value', 'values'], details);
  if (fields === undefined) return undefined;
  const column = columnAt(fields.column, `${path}.column`, dataSet, details);
  const operator = oneOfAt(fields.operator, `${path}.operator`, OPERATORS, details);
  if (fields.operator === undefined) details.add(`${path}.operator`, 'is required');
  if (column === undefined || operator === undefined) return undefined;
  if (operator === 'contains' && column.type === 'number') {
    details.add(`${path}.operator`, `'contains' requires a text column, and '${column.name}' is numeric`);
    return undefined;
  }
  const values = valuesAt(fields, column, operator, path, details);
  return values && { column, operator, values };
}

function groupAt(
  item: Record<string, unknown>,
  path: string,
  dataSet: DataSet,
  dimensions: readonly Dimension[],
  details: Details,
): Condition {
  objectAt(item, path, ['any_of'], details);
  const items = listAt(item.any_of, `${path}.any_of`, details);
  if (items.length === 0 || items.length > MAX_FILTERS) {
    details.add(`${path}.any_of`, `must be a list of 1 to ${MAX_FILTERS} filters`);
  }
  const anyOf = items
    .map((filter, index) => comparisonAt(filter, `${path}.any_of[${index}]`, dataSet, details))
    .filter(comparison => comparison !== undefined);
  if (isAfterGrouping({ anyOf })) {
    for (const { column } of anyOf) {
      if (column.role === 'metric' || dimensions.includes(column)) continue;
      details.add(
        `${path}.any_of`,
        `with a metric in the group, the dimension '${column.name}' must be one of the requested dimensions`,
      );
    }
  }
  return { anyOf };
}

/** Reads the filters of a query: all must match; a group `{ any_of: [...] }` matches if one of its filters does. */
export function readFilters(
  value: unknown,
  dataSet: DataSet,
  dimensions: readonly Dimension[],
  details: Details,
): Condition[] {
  const items = listAt(value, 'filters', details);
  if (items.length > MAX_FILTERS) details.add('filters', `must be at most ${MAX_FILTERS} filters`);
  return items
    .map((item, index) => {
      const path = `filters[${index}]`;
      return isObject(item) && 'any_of' in item
        ? groupAt(item, path, dataSet, dimensions, details)
        : comparisonAt(item, path, dataSet, details);
    })
    .filter(condition => condition !== undefined);
}
