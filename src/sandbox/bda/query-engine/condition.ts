import type { Column } from '../columns.ts';
import { scaled } from './decimal.ts';

/** What both versions' filters come down to; v1 and v2 each know a part of them under words of their own. */
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

/** A number that a request may carry, as JSON writes it. */
export const NUMBER_SHAPE = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

export interface Comparison {
  readonly column: Column;
  readonly operator: Operator;
  /** One, or for `in` any number. Numbers as they were written. */
  readonly values: readonly string[];
  /** Keeps what does not match. */
  readonly excluded?: boolean;
}

export type Condition = Comparison | { readonly anyOf: readonly Comparison[] };

/** A piece of SQL and the values that its question marks stand for, in order. */
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
  return decimals === undefined ? Number(value) : scaled(value, decimals);
}

/** Values reach the database bound; `contains` compares literally, so that there are no wildcards to escape. */
function matched({ column, operator, values }: Comparison): Sql {
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
  const { text, values } = matched(comparison);
  return comparison.excluded ? { text: `(${text}) IS NOT TRUE`, values } : { text, values };
}

/** The comparisons of a condition. */
export function comparisonsOf(condition: Condition): readonly Comparison[] {
  return 'anyOf' in condition ? condition.anyOf : [condition];
}

/** Whether a condition can only be decided after grouping. */
export function isAfterGrouping(condition: Condition): boolean {
  return comparisonsOf(condition).some(({ column }) => column.role === 'metric');
}

/** A condition in SQL, in brackets. */
export function conditionSql(condition: Condition): Sql {
  const parts = comparisonsOf(condition).map(comparisonSql);
  return {
    text: `(${parts.map(part => part.text).join(' OR ')})`,
    values: parts.flatMap(part => part.values),
  };
}
