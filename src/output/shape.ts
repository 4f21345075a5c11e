import { fieldOf, isList, isRecord, type Json, type JsonRecord } from '../json/index.ts';
import type { Column, View } from './view.ts';

/** The shape of data of any API. The items of `strings` are scalars and arrays. */
type Shape =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'rows'; readonly items: readonly Json[] }
  | { readonly kind: 'strings'; readonly items: readonly Json[] }
  | { readonly kind: 'record'; readonly record: JsonRecord }
  | { readonly kind: 'scalar'; readonly value: Json };

/** The column of values that have no field name. */
const VALUE = 'value';

/**
 * Detects the shape of data. An array with at least one object is rows, any other array strings. An object with exactly one array
 * field is treated as that array, unless it has one of the `columns`; any other object is a record. Null and empty values are
 * nothing.
 */
export function shapeOf(data: Json, columns: readonly Column[] = []): Shape {
  if (data === null) return { kind: 'nothing' };
  if (isList(data)) return listShape(data);
  if (!isRecord(data)) return { kind: 'scalar', value: data };
  const keys = Object.keys(data);
  if (keys.length === 0) return { kind: 'nothing' };
  const lists = keys.map(key => data[key]).filter(isList);
  const [list] = lists;
  if (list !== undefined && lists.length === 1 && !hasAny(data, columns)) return listShape(list);
  return { kind: 'record', record: data };
}

function listShape(list: readonly Json[]): Shape {
  if (list.length === 0) return { kind: 'nothing' };
  return { kind: list.some(isRecord) ? 'rows' : 'strings', items: list };
}

/** Data as rows and columns. */
export interface Grid {
  readonly kind: Shape['kind'];
  readonly columns: readonly Column[];
  readonly rows: readonly JsonRecord[];
}

/**
 * Converts data to rows and columns. The columns are those of the view if at least one of them occurs, else the fields of the data.
 * A value that is not an object becomes a row with the field `value`.
 */
export function gridOf(data: Json, view: View): Grid {
  const shape = shapeOf(data, view.columns);
  if (shape.kind === 'nothing') return { kind: shape.kind, columns: view.columns ?? [], rows: [] };
  if (shape.kind === 'record') {
    return { kind: 'record', columns: columnsOf([shape.record], view.columns), rows: [shape.record] };
  }
  if (shape.kind === 'rows') {
    const rows = shape.items.map(item => (isRecord(item) ? item : { [VALUE]: item }));
    const columns = columnsOf(rows, view.columns);
    return columns.length === 0 ? { kind: 'nothing', columns, rows: [] } : { kind: 'rows', columns, rows };
  }
  const items = shape.kind === 'strings' ? shape.items : [shape.value];
  const column = (view.columns?.length === 1 ? view.columns[0] : undefined) ?? { key: VALUE };
  return { kind: shape.kind, columns: [column], rows: items.map(item => ({ [column.key]: item })) };
}

/** The grid without `whenPresent` columns that have no value in any row. */
export function withoutAbsent(grid: Grid): Grid {
  const isShown = (column: Column) => {
    const present = (row: JsonRecord) => (valueIn(row, column) ?? null) !== null;
    return column.whenPresent !== true || grid.rows.some(present);
  };
  return { ...grid, columns: grid.columns.filter(isShown) };
}

/** The listed columns of a record, followed by its other fields. */
export function withUnlisted(columns: readonly Column[], record: JsonRecord): readonly Column[] {
  const listed = new Set(columns.map(column => column.key));
  const present = columns.filter(column => Object.hasOwn(record, column.key));
  const others = Object.keys(record).filter(key => !listed.has(key));
  return [...present, ...others.map(key => ({ key }))];
}

/** The cell of a row. */
export function valueIn(row: JsonRecord, column: Column): Json | undefined {
  return fieldOf(row, column.key);
}

function columnsOf(rows: readonly JsonRecord[], listed: readonly Column[] = []): readonly Column[] {
  if (rows.some(row => hasAny(row, listed))) return listed;
  const keys = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  return [...keys].map(key => ({ key }));
}

function hasAny(record: JsonRecord, columns: readonly Column[]): boolean {
  return columns.some(column => Object.hasOwn(record, column.key));
}
