import { Decimal } from 'decimal.js';
import { quoted } from '../apis/bda/catalogue.ts';
import type { ValueKind } from '../apis/bda/value-kind.ts';
import { jsonNumber } from '../json/index.ts';
import { isFilterNumber } from '../wire/bda-v1-rules.ts';
import type { Scalar } from '../wire/bda-v2.ts';

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

export function isNumberText(text: string): boolean {
  return NUMBER.test(text.trim());
}

type TypedValue =
  | { readonly ok: true; readonly value: Scalar }
  | { readonly ok: false; readonly reason: string };

/**
 * Converts a v1 filter value, which is always text, to the type that v2 requires. A number that a double cannot represent keeps
 * its digits, so a query must be serialized with `stringifyJson`.
 */
export function typedValue(text: string, kind: ValueKind): TypedValue {
  if (kind === 'text') return { ok: true, value: text };
  if (kind === 'boolean') {
    const word = text.trim().toLowerCase();
    if (word === 'true' || word === 'false') return { ok: true, value: word === 'true' };
    return { ok: false, reason: `the column is boolean, and ${quoted(text)} is not true or false` };
  }
  if (!isFilterNumber(text))
    return { ok: false, reason: `the column is numeric, and ${quoted(text)} is not a number` };
  const number = Number(text);
  const exact = new Decimal(text).equals(new Decimal(String(number)));
  return { ok: true, value: exact ? number : jsonNumber(text) };
}
