import type { Chart, OrderV1 } from '../../../wire/bda-v1.ts';
import { COLUMN_RULES, isAccepted, mustBe, ORDER_RULES } from '../../../wire/bda-v1-rules.ts';
import { HttpError, suggestion } from '../../http-error.ts';
import { COLUMNS_V1, type Column, type Dimension, type Metric } from '../columns.ts';
import { integerOf, isObject } from '../json.ts';
import { typeV1 } from './filters.ts';

const NAMES = COLUMNS_V1.map(({ name }) => name);

/** The columns of v1, as column references with label and description. */
export function columnListingV1(): unknown {
  return COLUMNS_V1.map(column => ({
    Data: column.name,
    Type: typeV1(column),
    Title: column.label,
    Kind: column.role,
    Description: column.description,
  }));
}

/** @throws HttpError for an unknown column. */
export function columnV1(name: unknown, field: string): Column {
  const column = COLUMNS_V1.find(candidate => candidate.name === name);
  if (column !== undefined) return column;
  const near = typeof name === 'string' ? suggestion(name, NAMES) : '';
  throw new HttpError(400, `${field}: unknown column '${String(name)}'${near}`);
}

function columnRefs(value: unknown, field: string): Column[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new HttpError(400, `${field} must be a list`);
  const columns = value.map((item: unknown, index) => {
    const path = `${field}[${index}]`;
    if (!isObject(item)) throw new HttpError(400, `${path} must be an object with Data and Type`);
    const { Data, Type } = item;
    if (!isAccepted(COLUMN_RULES.Type, Type, integerOf))
      throw new HttpError(400, `${path}.Type ${mustBe(COLUMN_RULES.Type)}`);
    return columnV1(Data, `${path}.Data`);
  });
  const duplicate = columns.find((column, index) => columns.indexOf(column) !== index);
  if (duplicate) throw new HttpError(400, `${field} contains ${duplicate.name} twice`);
  return columns;
}

export interface ColumnChoice {
  readonly dimensions: readonly Dimension[];
  readonly metrics: readonly Metric[];
}

/**
 * Reads `DimensionColumns` and `MetricColumns`.
 *
 * @throws HttpError for unknown columns, for a dimension in the metrics or vice versa, and if both are empty.
 */
export function readColumnChoice(fields: Record<string, unknown>, path = ''): ColumnChoice {
  const dimensions = columnRefs(fields.DimensionColumns, `${path}DimensionColumns`).map(column => {
    if (column.role === 'dimension') return column;
    throw new HttpError(400, `${path}DimensionColumns: ${column.name} is a metric`);
  });
  const metrics = columnRefs(fields.MetricColumns, `${path}MetricColumns`).map(column => {
    if (column.role === 'metric') return column;
    throw new HttpError(400, `${path}MetricColumns: ${column.name} is a dimension`);
  });
  if (dimensions.length + metrics.length === 0) {
    throw new HttpError(400, `${path}DimensionColumns or ${path}MetricColumns must name a column`);
  }
  return { dimensions, metrics };
}

/**
 * Reads an `Order`: an index over the dimensions, then the metrics.
 *
 * @throws HttpError for an index out of range and for an unknown direction.
 */
export function readOrder(value: unknown, columns: number, path = ''): OrderV1 | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw new HttpError(400, `${path}Order must be an object`);
  const ColumnNumber = integerOf(value.ColumnNumber);
  if (ColumnNumber === undefined || ColumnNumber < 0 || ColumnNumber >= columns) {
    throw new HttpError(400, `${path}Order.ColumnNumber must be an integer from 0 to ${columns - 1}`);
  }
  const { Direction } = value;
  if (!isAccepted(ORDER_RULES.Direction, Direction, integerOf))
    throw new HttpError(400, `${path}Order.Direction ${mustBe(ORDER_RULES.Direction)}`);
  return { ColumnNumber, Direction: String(Direction) };
}

/** Creates a chart from column names. */
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
