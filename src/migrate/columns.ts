import { anyFieldOf, isPresent, scalarText } from '../apis/bda/fields.ts';
import { isRecord } from '../json/index.ts';
import { DATE_GROUPINGS, type DateGrouping } from '../wire/bda-v1.ts';
import { TIME_DIMENSIONS, type TimeDimension } from '../wire/bda-v2.ts';
import { type ColumnSpace, columnProblem } from './data-set.ts';
import type { MigrationNotes } from './migration-notes.ts';

/** A column as a v1 request names it; the name is absent where none could be read. */
export interface V1Column {
  readonly field: string;
  readonly name: string | undefined;
  readonly type: string | undefined;
}

/** The columns of a v2 query, and what became of each v1 column. */
export interface MigratedColumns {
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  /** v1's columns, dimensions before metrics: what an order index counts. The v2 name, or undefined where left out. */
  readonly byIndex: readonly { readonly v1: string | undefined; readonly v2: string | undefined }[];
}

const isTime = (name: string) => TIME_DIMENSIONS.some(dimension => dimension === name);

/** Reads a list of column references; `field` is its path. A plain name is read as a reference too. */
export function readV1Columns(value: unknown, field: string, findings: MigrationNotes): V1Column[] {
  if (!isPresent(value)) return [];
  if (!Array.isArray(value)) {
    findings.refuse(field, 'the columns are a list of objects with Data and Type');
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
      findings.leaveOut(column.field, 'the column has no name (Data)', 'the column is missing');
    return column;
  });
}

/** The time dimension that `DateGrouping` asks for. */
export function readGrouping(value: unknown, findings: MigrationNotes): TimeDimension | undefined {
  if (!isPresent(value)) return undefined;
  const word = scalarText(value)?.toUpperCase() ?? '';
  const time = Object.hasOwn(DATE_GROUPINGS, word) ? DATE_GROUPINGS[word as DateGrouping] : undefined;
  if (time === undefined)
    findings.leaveOut(
      'DateGrouping',
      'the groupings are DAILY, WEEKLY and MONTHLY',
      'the rows keep the time column they name',
    );
  return time;
}

/** v1's columns to plain names without duplicates, with the time dimension that the grouping asks for. */
export function migrateColumns(
  v1: { readonly dimensions: readonly V1Column[]; readonly metrics: readonly V1Column[] },
  grouping: TimeDimension | undefined,
  space: ColumnSpace,
  findings: MigrationNotes,
): MigratedColumns {
  const taken = new Set<string>();
  const keep = (column: V1Column): { v1: string | undefined; v2: string | undefined } => {
    const name = column.name;
    if (name === undefined) return { v1: undefined, v2: undefined };
    const wanted = grouping !== undefined && isTime(name) ? grouping : name;
    const problem = columnProblem(space, wanted);
    if (problem !== undefined) {
      findings.leaveOut(column.field, problem, 'the column is missing');
      return { v1: name, v2: undefined };
    }
    if (taken.has(wanted)) {
      const twice = wanted === name ? name : `${wanted}, which takes the place of ${name},`;
      findings.changed(column.field, `${twice} is there already; v2 wants each column once`);
    }
    taken.add(wanted);
    return { v1: name, v2: wanted };
  };
  const fromDimensions = v1.dimensions.map(keep);
  noteGrouping(v1.dimensions, grouping, findings);
  const added =
    grouping === undefined || taken.has(grouping) ? undefined : addTime(grouping, space, findings);
  if (added !== undefined) taken.add(added);
  const dimensions = unique([added, ...fromDimensions.map(({ v2 }) => v2)]);
  const fromMetrics = v1.metrics.map(keep);
  const metrics = unique(fromMetrics.map(({ v2 }) => v2)).filter(name => !dimensions.includes(name));
  noteKept(v1.dimensions, dimensions, 'dimensions', findings);
  noteKept(v1.metrics, metrics, 'metrics', findings);
  return { dimensions, metrics, byIndex: [...fromDimensions, ...fromMetrics] };
}

function unique(names: readonly (string | undefined)[]): string[] {
  return [...new Set(names)].filter(name => name !== undefined);
}

function noteGrouping(
  dimensions: readonly V1Column[],
  grouping: TimeDimension | undefined,
  findings: MigrationNotes,
): void {
  if (grouping === undefined) return;
  const times = dimensions.flatMap(({ name }) => (name !== undefined && isTime(name) ? [name] : []));
  if (times.every(name => name === grouping) && times.length > 0)
    findings.lossless('DateGrouping', `the dimension ${grouping}, which is there already`);
  const exchanged = [...new Set(times)].filter(name => name !== grouping);
  if (exchanged.length > 0)
    findings.changed(
      'DateGrouping',
      `the dimension ${grouping} takes the place of ${exchanged.join(' and ')}`,
    );
}

function addTime(
  grouping: TimeDimension,
  space: ColumnSpace,
  findings: MigrationNotes,
): TimeDimension | undefined {
  const problem = columnProblem(space, grouping);
  if (problem !== undefined) {
    findings.leaveOut('DateGrouping', problem, 'the rows are not split by time');
    return undefined;
  }
  findings.changed('DateGrouping', `the dimension ${grouping} is added as the first column`);
  return grouping;
}

function noteKept(
  columns: readonly V1Column[],
  kept: readonly string[],
  list: 'dimensions' | 'metrics',
  findings: MigrationNotes,
): void {
  const [first] = columns;
  if (first === undefined || kept.length === 0) return;
  findings.lossless(first.field.replace(/\[0\]$/, ''), `${kept.join(', ')}, as ${list}`);
}
