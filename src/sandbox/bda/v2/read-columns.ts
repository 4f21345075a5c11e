import { suggestion } from '../../http-error.ts';
import { COLUMNS, type Column, columnsOf, type DataSet, type Dimension, type Metric } from '../columns.ts';
import { type Details, listAt, objectAt, oneOfAt } from './errors.ts';

const DIRECTIONS = ['asc', 'desc'] as const;

/** Looks up a column of the data set; records an unknown name, with a similar one if there is one. */
export function columnAt(
  value: unknown,
  path: string,
  dataSet: DataSet,
  details: Details,
): Column | undefined {
  if (typeof value !== 'string') {
    details.add(path, 'must be a column name');
    return undefined;
  }
  const offered = columnsOf(dataSet);
  const column = offered.find(candidate => candidate.name === value);
  if (column !== undefined) return column;
  const sets = COLUMNS.find(candidate => candidate.name === value)?.dataSets ?? [];
  if (sets.length > 0) {
    details.add(path, `column '${value}' is not in data set '${dataSet}', but in ${sets.join(', ')}`);
  } else {
    const names = offered.map(candidate => candidate.name);
    details.add(path, `unknown column '${value}'${suggestion(value, names)}`);
  }
  return undefined;
}

function columnsAt<Role extends Column['role']>(
  value: unknown,
  path: string,
  role: Role,
  dataSet: DataSet,
  details: Details,
): Extract<Column, { role: Role }>[] {
  const columns: Extract<Column, { role: Role }>[] = [];
  const isOfRole = (column: Column): column is Extract<Column, { role: Role }> => column.role === role;
  listAt(value, path, details).forEach((item, index) => {
    const field = `${path}[${index}]`;
    const column = columnAt(item, field, dataSet, details);
    if (column === undefined) return;
    if (!isOfRole(column)) {
      details.add(field, `'${column.name}' is a ${column.role}: move it to ${column.role}s`);
    } else if (columns.includes(column)) {
      details.add(field, `duplicate column '${column.name}'`);
    } else {
      columns.push(column);
    }
  });
  return columns;
}

/** The dimensions and metrics of a query. */
export function readColumns(
  fields: Record<string, unknown>,
  dataSet: DataSet,
  details: Details,
): { dimensions: Dimension[]; metrics: Metric[] } {
  const dimensions = columnsAt(fields.dimensions, 'dimensions', 'dimension', dataSet, details);
  const metrics = columnsAt(fields.metrics, 'metrics', 'metric', dataSet, details);
  if (details.list.length === 0 && dimensions.length + metrics.length === 0) {
    details.add('metrics', 'at least one dimension or metric is required');
  }
  return { dimensions, metrics };
}

/** Reads the sort of a query: requested columns without duplicates, each with a direction. */
export function readSort(
  value: unknown,
  requested: readonly Column[],
  dataSet: DataSet,
  details: Details,
): { column: Column; descending: boolean }[] {
  const order: { column: Column; descending: boolean }[] = [];
  listAt(value, 'sort', details).forEach((item, index) => {
    const path = `sort[${index}]`;
    const fields = objectAt(item, path, ['column', 'direction'], details);
    if (fields === undefined) return;
    const column = columnAt(fields.column, `${path}.column`, dataSet, details);
    const direction = oneOfAt(fields.direction, `${path}.direction`, DIRECTIONS, details);
    if (fields.direction === undefined) details.add(`${path}.direction`, 'is required: asc or desc');
    if (column === undefined || direction === undefined) return;
    if (!requested.includes(column)) {
      details.add(`${path}.column`, `'${column.name}' is not one of the requested dimensions and metrics`);
    } else if (order.some(earlier => earlier.column === column)) {
      details.add(`${path}.column`, `duplicate column '${column.name}'`);
    } else {
      order.push({ column, descending: direction === 'desc' });
    }
  });
  return order;
}
