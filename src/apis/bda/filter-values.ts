import { type Json, type JsonRecord, jsonNumber } from '../../json/index.ts';
import { type ExpressionValue, type FilterExpression, isBareNumber } from './filter-expression.ts';
import type { ValueKind } from './value-kind.ts';

/** Returns the value kind of a column; undefined if unknown. */
export type KindOf = (column: string) => ValueKind | undefined;

/**
 * A filter in v2 format (spec, Endpoints D): `values` with `in` or several values, otherwise `value`. Numbers keep their digits.
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
