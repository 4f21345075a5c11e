import { anyFieldOf, isPresent, scalarText } from '../apis/bda/fields.ts';
import type { ValueKind } from '../apis/bda/value-kind.ts';
import { isRecord } from '../json/index.ts';
import type { FilterV2, Scalar } from '../wire/bda-v2.ts';
import { type ColumnSpace, columnProblem, valueKindOf } from './data-set.ts';
import type { MigrationNotes } from './migration-notes.ts';
import { isNumberText, typedValue } from './values.ts';

/** The v1 operations whose v2 words are documented. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['GREATER', 'greater_than'],
  ['GREATER_OR_EQUAL', 'greater_than_or_equal'],
]);

export const UNFILTERED = 'rows that the filter kept out are counted too';

/** One comparison of v1, with the paths of its parts. */
export interface V1Condition {
  readonly field: string;
  readonly column: string;
  readonly columnField: string;
  readonly type: unknown;
  readonly operation: unknown;
  readonly operationField: string;
  readonly value: unknown;
  readonly valueField: string;
}

/** v2's word for a v1 operation id. */
export function operatorOf(operation: unknown): string | undefined {
  return OPERATORS.get(scalarText(operation)?.trim().toUpperCase() ?? '');
}

/** A request's `Filters`; `field` is the path of the list. */
export function migrateFilters(
  value: unknown,
  field: string,
  space: ColumnSpace,
  findings: MigrationNotes,
): FilterV2[] {
  if (!isPresent(value)) return [];
  if (!Array.isArray(value)) {
    findings.leaveOut(field, 'the filters are a list', UNFILTERED);
    return [];
  }
  return value.flatMap((item, index) => {
    const path = `${field}[${index}]`;
    const column = isRecord(item) ? anyFieldOf(item, 'FilterKey') : undefined;
    if (!isRecord(item) || typeof column !== 'string' || column === '') {
      findings.leaveOut(path, 'a filter is an object that names its column (FilterKey)', UNFILTERED);
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
    return migrateCondition(condition, space, findings) ?? [];
  });
}

/** Names of the columns that a request's `Filters` use. */
export function filterColumns(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap(item => (isRecord(item) ? (scalarText(anyFieldOf(item, 'FilterKey')) ?? []) : []));
}

/** One comparison to a v2 filter with a single value; undefined when v2 can't say it. */
export function migrateCondition(
  condition: V1Condition,
  space: ColumnSpace,
  findings: MigrationNotes,
): FilterV2 | undefined {
  const { column, field } = condition;
  const includes = isInclude(condition.type, field, findings);
  const operator = operatorOf(condition.operation);
  if (operator === undefined)
    findings.leaveOut(condition.operationField, operationProblem(condition.operation), UNFILTERED);
  const known = hasColumn(column, condition.columnField, space, findings);
  if (!includes || operator === undefined || !known) return undefined;
  const value = readValue(
    condition.value,
    condition.valueField,
    kindOrGuess(condition, space, findings),
    findings,
  );
  if (value === undefined) return undefined;
  findings.lossless(field, `${column} ${operator} ${shownValue(value)}, as filter`);
  return { column, operator, value };
}

function operationProblem(operation: unknown): string {
  const text = scalarText(operation);
  const which =
    text === undefined ? 'there is no operation' : `the v2 word for the operation ${text} is not documented`;
  return `${which}: known are ${[...OPERATORS.keys()].join(' and ')}`;
}

/** Whether a filter keeps what it matches; the other way round has no documented v2 form. */
export function isInclude(type: unknown, field: string, findings: MigrationNotes): boolean {
  const word = scalarText(type)?.toUpperCase();
  if (!isPresent(type) || word === 'INCLUDE') return true;
  const reason =
    word === 'EXCLUDE'
      ? 'v2 has no documented way to exclude what a filter matches'
      : 'the only documented filter type is INCLUDE';
  findings.leaveOut(`${field}.Type`, reason, UNFILTERED);
  return false;
}

/** Whether v2 can filter on the column, as far as its listing tells. */
export function hasColumn(
  column: string,
  field: string,
  space: ColumnSpace,
  findings: MigrationNotes,
): boolean {
  const problem = columnProblem(space, column);
  if (problem !== undefined) findings.leaveOut(field, problem, UNFILTERED);
  return problem === undefined;
}

function kindOrGuess(
  { column, value, valueField }: V1Condition,
  space: ColumnSpace,
  findings: MigrationNotes,
): ValueKind {
  const kind = valueKindOf(space, column);
  if (kind !== undefined) return kind;
  const text = scalarText(value);
  if (text === undefined || !isNumberText(text)) return 'text';
  findings.changed(
    valueField,
    `sent as a number: the type of ${column} is not known, and the value looks like one`,
  );
  return 'number';
}

/** A filter value with the type of its column. */
export function readValue(
  value: unknown,
  field: string,
  kind: ValueKind,
  findings: MigrationNotes,
): Scalar | undefined {
  const text = scalarText(value);
  if (text === undefined) {
    findings.leaveOut(field, 'the value is text or a number', UNFILTERED);
    return undefined;
  }
  const typed = typedValue(text, kind);
  if (!typed.ok) {
    findings.leaveOut(field, typed.reason, UNFILTERED);
    return undefined;
  }
  return typed.value;
}

/** A filter value in a note. */
export function shownValue(value: Scalar): string {
  return typeof value === 'object' && value !== null ? value.value : JSON.stringify(value);
}
