import { type Json, type JsonRecord, jsonNumber } from '../../json/index.ts';
import { type ExpressionValue, type FilterExpression, isBareNumber } from './filter-expression.ts';
import type { ValueKind } from './value-kind.ts';

/** The kind of a column's values; undefined when nothing is known of it. */
export type KindOf = (column: string) => ValueKind | undefined;

/**
 * The filter as v2 takes it (spec, Endpoints D): `values` with `in` and wherever there are several, otherwise `value`. Numbers
 * keep the digits that were typed.
 */
export function filterJson({ column, operator, values }: FilterExpression, kindOf: KindOf): JsonRecord {
  const kind = kindOf(column);
  const typed = values.map(value => typedValue(value, kind));
  if (operator === 'in' || typed.length > 1) return { column, operator, values: typed };
  return { column, operator, value: typed[0] ?? null };
}

function typedValue({ text, quoted }: ExpressionValue, kind: ValueKind | undefined): Json {
  if (quoted || kind === 'text') return text;
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return isBareNumber(text) ? jsonNumber(text) : text;
}
