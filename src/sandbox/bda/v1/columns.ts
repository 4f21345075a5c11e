import type { Chart, OrderV1 } from '../../../wire/bda-v1.ts';
import { suggestion } from '../../suggestion.ts';
import { COLUMNS_V1, type Column, type Dimension, type Metric } from '../columns.ts';
import { isObject, wholeNumber } from '../json.ts';
import { typeV1 } from './filters.ts';
import { Refused } from './refused.ts';

const NAMES = COLUMNS_V1.map(({ name }) => name);

/** v1's columns, as column references with their label and description. */
export function columnListingV1(): unknown {
  return COLUMNS_V1.map(column => ({
    Data: column.name,
    Type: typeV1(column),
    Title: column.label,
    Kind: column.role,
    Description: column.description,
  }));
}

/** @throws Refused when no column has the name. */
export function columnV1(name: unknown, field: string): Column {
  const column = COLUMNS_V1.find(candidate => candidate.name === name);
  if (column !== undefined) return column;
  const near = typeof name === 'string' ? suggestion(name, NAMES) : '';
  throw new Refused(`${field}: unknown column '${String(name)}'${near}`);
}

function columnRefs(value: unknown, field: string): Column[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Refused(`${field} must be a list`);
  const columns = value.map((item: unknown, index) => {
    const path = `${field}[${index}]`;
    if (!isObject(item)) throw new Refused(`${path} must be an object with Data and Type`);
    const { Data, Type } = item;
    if (Type !== 'string' && Type !== 'number') throw new Refused(`${path}.Type must be string or number`);
    return columnV1(Data, `${path}.Data`);
  });
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice) throw new Refused(`${field} names ${twice.name} twice`);
  return columns;
}

export interface ColumnChoice {
  readonly dimensions: readonly Dimension[];
  readonly metrics: readonly Metric[];
}

/**
 * Reads `DimensionColumns` and `MetricColumns`.
 *
 * @throws Refused for unknown columns, for a dimension among the metrics or the other way round, and for none at all.
 */
export function readColumnChoice(fields: Record<string, unknown>, path = ''): ColumnChoice {
  const dimensions = columnRefs(fields.DimensionColumns, `${path}DimensionColumns`).map(column => {
    if (column.role === 'dimension') return column;
    throw new Refused(`${path}DimensionColumns: ${column.name} is a metric`);
  });
  const metrics = columnRefs(fields.MetricColumns, `${path}MetricColumns`).map(column => {
    if (column.role === 'metric') return column;
    throw new Refused(`${path}MetricColumns: ${column.name} is a dimension`);
  });
  if (dimensions.length + metrics.length === 0) {
    throw new Refused(`${path}DimensionColumns or ${path}MetricColumns must name a column`);
  }
  return { dimensions, metrics };
}

/**
 * Reads an `Order`: an index over the dimensions, then the metrics.
 *
 * @throws Refused for an index beyond the columns and for an unknown direction.
 */
export function readOrder(value: unknown, columns: number, path = ''): OrderV1 | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw new Refused(`${path}Order must be an object`);
  const ColumnNumber = wholeNumber(value.ColumnNumber);
  if (ColumnNumber === undefined || ColumnNumber < 0 || ColumnNumber >= columns) {
    throw new Refused(`${path}Order.ColumnNumber must be a whole number from 0 to ${columns - 1}`);
  }
  const { Direction } = value;
  if (Direction !== 'ASC' && Direction !== 'DESC') {
    throw new Refused(`${path}Order.Direction must be ASC or DESC`);
  }
  return { ColumnNumber, Direction };
}

/** A chart over columns named here. */
export function chart(
  Name: string,
  dimensions: readonly string[],
  metrics: readonly string[],
  more: { segments?: number[]; order?: OrderV1 } = {},
): Chart {
  const ref = (name: string) => ({ Data: name, Type: typeV1(columnV1(name, Name)) });
  return {
    Name,
    DimensionColumns: dimensions.map(ref),
    MetricColumns: metrics.map(ref),
    Segments: more.segments ?? [],
    ...(more.order ? { Order: more.order } : {}),
  };
}
