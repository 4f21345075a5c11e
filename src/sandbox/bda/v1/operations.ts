import { suggestion } from '../../suggestion.ts';
import type { Column } from '../columns.ts';
import { type Comparison, NUMBER_SHAPE, type Operator } from '../query-engine/condition.ts';
import { Refused } from './refused.ts';

/** v1's operation ids. The first two are the spec's, the others the sandbox's; v2 has no word for the last. */
const OPERATIONS: Readonly<Record<string, Operator>> = {
  GREATER: 'greater_than',
  GREATER_OR_EQUAL: 'greater_than_or_equal',
  LESS: 'less_than',
  LESS_OR_EQUAL: 'less_than_or_equal',
  EQUALS: 'equals',
  NOT_EQUALS: 'not_equals',
  CONTAINS: 'contains',
  STARTS_WITH: 'starts_with',
};

const TEXT_ALONE: readonly Operator[] = ['contains', 'starts_with'];

/** The operation ids that a column can be filtered by. */
export function operationsFor(column: Column): string[] {
  return Object.entries(OPERATIONS)
    .filter(([, operator]) => column.type !== 'number' || !TEXT_ALONE.includes(operator))
    .map(([id]) => id);
}

/**
 * A comparison from an operation id and a value, both texts in v1.
 *
 * @throws Refused for an operation that the column lacks, and for text where the column holds numbers.
 */
export function comparisonOf(column: Column, operation: unknown, value: unknown): Comparison {
  const offered = operationsFor(column);
  const operator = typeof operation === 'string' ? OPERATIONS[operation] : undefined;
  if (typeof operation !== 'string' || operator === undefined || !offered.includes(operation)) {
    const near = typeof operation === 'string' ? suggestion(operation, offered) : '';
    throw new Refused(
      `unknown operation '${String(operation)}' for ${column.name}: use ${offered.join(', ')}${near}`,
    );
  }
  if (typeof value !== 'string') throw new Refused(`FilterValue for ${column.name} must be a string`);
  if (column.type === 'number' && !(NUMBER_SHAPE.test(value) && Number.isFinite(Number(value)))) {
    throw new Refused(`FilterValue '${value}' is not a number, as ${column.name} is`);
  }
  return { column, operator, values: [value] };
}
