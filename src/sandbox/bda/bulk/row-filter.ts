import type { Column } from '../columns.ts';
import { type Comparison, type Condition, comparisonsOf } from '../query-engine/condition.ts';

/** Returns the value of a column in the current row: the JSON text of a number, or a string. */
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

/** Compares two JSON numbers exactly: negative, 0 or positive if the first is smaller, equal or larger. */
function compareNumbers(one: string, other: string): number {
  const a = read(one);
  const b = read(other);
  if (a.sign !== b.sign || a.sign === 0) return a.sign - b.sign;
  if (a.magnitude !== b.magnitude) return a.magnitude < b.magnitude ? -a.sign : a.sign;
  const width = Math.max(a.digits.length, b.digits.length);
  const [left, right] = [a.digits.padEnd(width, '0'), b.digits.padEnd(width, '0')];
  return left === right ? 0 : left < right ? -a.sign : a.sign;
}

/** A number as `0.digits × 10^magnitude`; `digits` has no leading or trailing zeros. */
interface Decimal {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly magnitude: number;
}

function read(text: string): Decimal {
  const [, minus, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = whole + fraction;
  const digits = all.replace(/^0+/, '');
  if (digits === '') return { sign: 0, digits: '', magnitude: 0 };
  const magnitude = Number(exponent) + whole.length - (all.length - digits.length);
  return { sign: minus === '-' ? -1 : 1, digits: digits.replace(/0+$/, ''), magnitude };
}
