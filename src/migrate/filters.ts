import { anyFieldOf, isPresent, scalarText } from '../apis/bda/fields.ts';
import type { ValueKind } from '../apis/bda/value-kind.ts';
import { isRecord } from '../json/index.ts';
import type { FilterV2, Scalar } from '../wire/bda-v2.ts';
import { type ColumnSpace, columnProblem, valueKindOf } from './data-set.ts';
import type { MigrationNotes } from './migration-notes.ts';
import { isNumberText, typedValue } from './values.ts';

/** The v1 operations with a documented v2 operator. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['GREATER', 'greater_than'],
  ['GREATER_OR_EQUAL', 'greater_than_or_equal'],
]);

export const UNFILTERED = 'the query also counts rows that the filter excluded';

/** One v1 filter, with the paths of its parts. */
interface V1Condition {
  readonly field: string;
  readonly column: string;
  readonly columnField: string;
  readonly type: unknown;
  readonly operation: unknown;
  readonly operationField: string;
  readonly value: unknown;
  readonly valueField: string;
}

/** The v2 operator for a v1 operation id. */
export function operatorOf(operation: unknown): string | undefined {
  return OPERATORS.get(scalarText(operation)?.trim().toUpperCase() ?? '');
}

/** A request's `Filters`; `field` is the path of the list. */
export function migrateFilters(
  value: unknown,
  field: string,
  space: ColumnSpace,
  notes: MigrationNotes,
): FilterV2[] {
  if (!isPresent(value)) return [];
  if (!Array.isArray(value)) {
    notes.unsupported(field, 'filters must be a list', UNFILTERED);
    return [];
  }
  return value.flatMap((item, index) => {
    const path = `${field}[${index}]`;
    const column = isRecord(item) ? anyFieldOf(item, 'FilterKey') : undefined;
    if (!isRecord(item) || typeof column !== 'string' || column === '') {
      notes.unsupported(path, 'a filter must be an object with a column name (FilterKey)', UNFILTERED);
      return [];
    }
    const condition: V1Condition = {
      field: path,
      column,
      columnField: `${path}.FilterKey`,
      type: anyFieldOf(item, 'Type'),
      operation: anyFieldOf(item, 'OperationId'),
      operationField: `${path}.OperationId`,
      value: anyFieldOf(item, 'FilterValue'),
      valueField: `${path}.FilterValue`,
    };
    return migrateCondition(condition, space, notes) ?? [];
  });
}

/** The columns that a request's `Filters` use. */
export function filterColumns(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap(item => (isRecord(item) ? (scalarText(anyFieldOf(item, 'FilterKey')) ?? []) : []));
}

/** Maps one filter to a v2 filter with a single value; undefined if v2 cannot express it. */
export function migrateCondition(
  condition: V1Condition,
  space: ColumnSpace,
  notes: MigrationNotes,
): FilterV2 | undefined {
  const { column, field } = condition;
  const includes = isInclude(condition.type, field, notes);
  const operator = operatorOf(condition.operation);
  if (operator === undefined)
    notes.unsupported(condition.operationField, operationProblem(condition.operation), UNFILTERED);
  const known = hasColumn(column, condition.columnField, space, notes);
  if (!includes || operator === undefined || !known) return undefined;
  const value = readValue(condition.value, condition.valueField, kindOrGuess(condition, space, notes), notes);
  if (value === undefined) return undefined;
  notes.lossless(field, `${column} ${operator} ${formatValue(value)}, as filter`);
  return { column, operator, value };
}

function operationProblem(operation: unknown): string {
  const text = scalarText(operation);
  const which =
    text === undefined
      ? 'the operation is missing'
      : `no v2 operator is documented for the operation ${text}`;
  return `${which}; supported: ${[...OPERATORS.keys()].join(', ')}`;
}

/** Whether a filter includes what it matches; v2 documents no way to exclude. */
export function isInclude(type: unknown, field: string, notes: MigrationNotes): boolean {
  const word = scalarText(type)?.toUpperCase();
  if (!isPresent(type) || word === 'INCLUDE') return true;
  const reason =
    word === 'EXCLUDE'
      ? 'v2 documents no way to exclude what a filter matches'
      : 'the only documented filter type is INCLUDE';
  notes.unsupported(`${field}.Type`, reason, UNFILTERED);
  return false;
}

/** Whether v2 can filter on the column, according to its listing. */
export function hasColumn(column: string, field: string, space: ColumnSpace, notes: MigrationNotes): boolean {
  const problem = columnProblem(space, column);
  if (problem !== undefined) notes.unsupported(field, problem, UNFILTERED);
  return problem === undefined;
}

function kindOrGuess(
  { column, value, valueField }: V1Condition,
  space: ColumnSpace,
  notes: MigrationNotes,
): ValueKind {
  const kind = valueKindOf(space, column);
  if (kind !== undefined) return kind;
  const text = scalarText(value);
  if (text === undefined || !isNumberText(text)) return 'text';
  notes.changed(valueField, `sent as a number, because it looks like one: the type of ${column} is unknown`);
  return 'number';
}

/** Converts a filter value to the type of its column. */
export function readValue(
  value: unknown,
  field: string,
  kind: ValueKind,
  notes: MigrationNotes,
): Scalar | undefined {
  const text = scalarText(value);
  if (text === undefined) {
    notes.unsupported(field, 'the value must be text or a number', UNFILTERED);
    return undefined;
  }
  const typed = typedValue(text, kind);
  if (!typed.ok) {
    notes.unsupported(field, typed.reason, UNFILTERED);
    return undefined;
  }
  return typed.value;
}

/** Formats a filter value for a note. */
export function formatValue(value: Scalar): string {
  return typeof value === 'object' && value !== null ? value.value : JSON.stringify(value);
}
