import { anyFieldOf, isPresent, scalarText } from '../apis/bda/fields.ts';
import { isRecord } from '../json/index.ts';
import { DATE_GROUPINGS, type DateGrouping } from '../wire/bda-v1.ts';
import { TIME_DIMENSIONS, type TimeDimension } from '../wire/bda-v2.ts';
import { type ColumnSpace, columnProblem } from './data-set.ts';
import type { MigrationNotes } from './migration-notes.ts';

/** A column reference of a v1 request; the name is undefined if it is missing. */
export interface V1Column {
  readonly field: string;
  readonly name: string | undefined;
  readonly type: string | undefined;
}

/** The columns of a v2 query, and the v2 name of each v1 column. */
export interface MigratedColumns {
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  /** The v1 columns, dimensions before metrics, in the order that `ColumnNumber` counts; `v2` is undefined if omitted. */
  readonly byIndex: readonly { readonly v1: string | undefined; readonly v2: string | undefined }[];
}

const isTime = (name: string) => TIME_DIMENSIONS.some(dimension => dimension === name);

/** Reads a list of column references; `field` is its path. A plain name is accepted as a reference. */
export function readV1Columns(value: unknown, field: string, notes: MigrationNotes): V1Column[] {
  if (!isPresent(value)) return [];
  if (!Array.isArray(value)) {
    notes.block(field, 'columns must be a list of objects with Data and Type');
    return [];
  }
  return value.map((item, index) => {
    const name = isRecord(item) ? anyFieldOf(item, 'Data') : item;
    const type = isRecord(item) ? scalarText(anyFieldOf(item, 'Type')) : undefined;
    const column = {
      field: `${field}[${index}]`,
      name: typeof name === 'string' && name.trim() !== '' ? name : undefined,
      type,
    };
    if (column.name === undefined)
      notes.unsupported(column.field, 'the column has no name (Data)', 'the column is missing');
    return column;
  });
}

/** Maps `DateGrouping` to its time dimension. */
export function readGrouping(value: unknown, notes: MigrationNotes): TimeDimension | undefined {
  if (!isPresent(value)) return undefined;
  const word = scalarText(value)?.toUpperCase() ?? '';
  const time = Object.hasOwn(DATE_GROUPINGS, word) ? DATE_GROUPINGS[word as DateGrouping] : undefined;
  if (time === undefined)
    notes.unsupported(
      'DateGrouping',
      'valid groupings are DAILY, WEEKLY and MONTHLY',
      'the time column of the request stays',
    );
  return time;
}

/** Maps v1 columns to unique names, with the time dimension of the grouping. */
export function migrateColumns(
  v1: { readonly dimensions: readonly V1Column[]; readonly metrics: readonly V1Column[] },
  grouping: TimeDimension | undefined,
  space: ColumnSpace,
  notes: MigrationNotes,
): MigratedColumns {
  const used = new Set<string>();
  const mapColumn = (column: V1Column): { v1: string | undefined; v2: string | undefined } => {
    const name = column.name;
    if (name === undefined) return { v1: undefined, v2: undefined };
    const target = grouping !== undefined && isTime(name) ? grouping : name;
    const problem = columnProblem(space, target);
    if (problem !== undefined) {
      notes.unsupported(column.field, problem, 'the column is missing');
      return { v1: name, v2: undefined };
    }
    if (used.has(target)) {
      const twice = target === name ? name : `${target}, which replaces ${name},`;
      notes.changed(column.field, `${twice} is listed already; v2 accepts each column once`);
    }
    used.add(target);
    return { v1: name, v2: target };
  };
  const fromDimensions = v1.dimensions.map(mapColumn);
  noteGrouping(v1.dimensions, grouping, notes);
  const added = grouping === undefined || used.has(grouping) ? undefined : addTime(grouping, space, notes);
  if (added !== undefined) used.add(added);
  const dimensions = unique([added, ...fromDimensions.map(({ v2 }) => v2)]);
  const fromMetrics = v1.metrics.map(mapColumn);
  const metrics = unique(fromMetrics.map(({ v2 }) => v2)).filter(name => !dimensions.includes(name));
  noteColumns(v1.dimensions, dimensions, 'dimensions', notes);
  noteColumns(v1.metrics, metrics, 'metrics', notes);
  return { dimensions, metrics, byIndex: [...fromDimensions, ...fromMetrics] };
}

function unique(names: readonly (string | undefined)[]): string[] {
  return [...new Set(names)].filter(name => name !== undefined);
}

function noteGrouping(
  dimensions: readonly V1Column[],
  grouping: TimeDimension | undefined,
  notes: MigrationNotes,
): void {
  if (grouping === undefined) return;
  const times = dimensions.flatMap(({ name }) => (name !== undefined && isTime(name) ? [name] : []));
  if (times.every(name => name === grouping) && times.length > 0)
    notes.lossless('DateGrouping', `the dimension ${grouping}, which the request lists already`);
  const exchanged = [...new Set(times)].filter(name => name !== grouping);
  if (exchanged.length > 0)
    notes.changed('DateGrouping', `the dimension ${grouping} replaces ${exchanged.join(' and ')}`);
}

function addTime(
  grouping: TimeDimension,
  space: ColumnSpace,
  notes: MigrationNotes,
): TimeDimension | undefined {
  const problem = columnProblem(space, grouping);
  if (problem !== undefined) {
    notes.unsupported('DateGrouping', problem, 'the rows are not split by time');
    return undefined;
  }
  notes.changed('DateGrouping', `the dimension ${grouping} is added as the first column`);
  return grouping;
}

function noteColumns(
  columns: readonly V1Column[],
  migrated: readonly string[],
  list: 'dimensions' | 'metrics',
  notes: MigrationNotes,
): void {
  const [first] = columns;
  if (first === undefined || migrated.length === 0) return;
  notes.lossless(first.field.replace(/\[0\]$/, ''), `${migrated.join(', ')}, as ${list}`);
}
