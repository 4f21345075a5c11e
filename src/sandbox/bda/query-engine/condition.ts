import type { Column } from '../columns.ts';
import { toUnits } from './decimal.ts';

/** The operators of both versions; each version supports some of them, under its own names. */
export type Operator =
  | 'greater_than'
  | 'greater_than_or_equal'
  | 'less_than'
  | 'less_than_or_equal'
  | 'equals'
  | 'not_equals'
  | 'contains'
  | 'starts_with'
  | 'in';

export interface Comparison {
  readonly column: Column;
  readonly operator: Operator;
  /** One value, or any number for `in`. Numbers keep their text. */
  readonly values: readonly string[];
  /** Negates the comparison. */
  readonly excluded?: boolean;
}

export type Condition = Comparison | { readonly anyOf: readonly Comparison[] };

/** A part of an SQL statement and its parameters, in order. */
export interface Sql {
  readonly text: string;
  readonly values: readonly (string | number | bigint)[];
}

const SIGNS: Partial<Record<Operator, string>> = {
  greater_than: '>',
  greater_than_or_equal: '>=',
  less_than: '<',
  less_than_or_equal: '<=',
  equals: '=',
  not_equals: '<>',
};

function bound(column: Column, value: string): string | number | bigint {
  if (column.type !== 'number') return value;
  const decimals = column.role === 'metric' ? column.decimals : undefined;
  return decimals === undefined ? Number(value) : toUnits(value, decimals);
}

/** Values are bound parameters; `contains` uses `instr`, so that there are no wildcards to escape. */
function comparisonTest({ column, operator, values }: Comparison): Sql {
  const [first = ''] = values;
  switch (operator) {
    case 'in': {
      const list = values.map(value => bound(column, value));
      const json = list.map(value => (typeof value === 'string' ? JSON.stringify(value) : String(value)));
      return { text: `${column.sql} IN (SELECT value FROM json_each(?))`, values: [`[${json.join(',')}]`] };
    }
    case 'contains':
      return { text: `instr(${column.sql}, ?) > 0`, values: [first] };
    case 'starts_with':
      return { text: `substr(${column.sql}, 1, length(?)) = ?`, values: [first, first] };
    default:
      return { text: `${column.sql} ${SIGNS[operator]} ?`, values: [bound(column, first)] };
  }
}

function comparisonSql(comparison: Comparison): Sql {
  const { text, values } = comparisonTest(comparison);
  return comparison.excluded ? { text: `(${text}) IS NOT TRUE`, values } : { text, values };
}

/** The comparisons of a condition. */
export function comparisonsOf(condition: Condition): readonly Comparison[] {
  return 'anyOf' in condition ? condition.anyOf : [condition];
}

/** Whether a condition applies to groups (HAVING). */
export function isAfterGrouping(condition: Condition): boolean {
  return comparisonsOf(condition).some(({ column }) => column.role === 'metric');
}

/** A condition in SQL, in parentheses. */
export function conditionSql(condition: Condition): Sql {
  const parts = comparisonsOf(condition).map(comparisonSql);
  return {
    text: `(${parts.map(part => part.text).join(' OR ')})`,
    values: parts.flatMap(part => part.values),
  };
}
