import type { Column } from '../columns.ts';
import { type Comparison, type Condition, comparisonsOf } from '../query-engine/condition.ts';
import { compareNumbers } from './compare-numbers.ts';

/** The value of a column in the row at hand: the JSON text of a number, and the text of everything else. */
export type CellReader = (column: Column) => string;

/** Whether a row matches every condition. */
export function matchesRow(conditions: readonly Condition[], cell: CellReader): boolean {
  return conditions.every(condition =>
    comparisonsOf(condition).some(comparison => matches(comparison, cell(comparison.column))),
  );
}

function matches({ column, operator, values }: Comparison, cell: string): boolean {
  const compare = column.type === 'number' ? compareNumbers : compareTexts;
  const [first = ''] = values;
  switch (operator) {
    case 'in':
      return values.some(value => compare(cell, value) === 0);
    case 'contains':
      return cell.includes(first);
    case 'starts_with':
      return cell.startsWith(first);
    case 'equals':
      return compare(cell, first) === 0;
    case 'not_equals':
      return compare(cell, first) !== 0;
    case 'greater_than':
      return compare(cell, first) > 0;
    case 'greater_than_or_equal':
      return compare(cell, first) >= 0;
    case 'less_than':
      return compare(cell, first) < 0;
    case 'less_than_or_equal':
      return compare(cell, first) <= 0;
  }
}

function compareTexts(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
