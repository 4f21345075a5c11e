import { Decimal } from 'decimal.js';
import { quoted } from '../apis/bda/catalogue.ts';
import type { ValueKind } from '../apis/bda/value-kind.ts';
import { jsonNumber } from '../json/index.ts';
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
  const trimmed = text.trim();
  if (kind === 'boolean') {
    const word = trimmed.toLowerCase();
    if (word === 'true' || word === 'false') return { ok: true, value: word === 'true' };
    return { ok: false, reason: `the column is boolean, and ${quoted(text)} is not true or false` };
  }
  if (!NUMBER.test(trimmed))
    return { ok: false, reason: `the column is numeric, and ${quoted(text)} is not a number` };
  const number = Number(trimmed);
  if (!Number.isFinite(number)) return { ok: false, reason: 'the number is out of range' };
  const exact = new Decimal(trimmed).equals(new Decimal(String(number)));
  return { ok: true, value: exact ? number : jsonNumber(jsonDigits(trimmed)) };
}

/** Rewrites a number in JSON syntax: `+.50` is `0.50`, `007.` is `7`. */
function jsonDigits(text: string): string {
  const [, sign = '', integer = '', fraction = '', exponent = ''] =
    /^([+-]?)0*(\d*)\.?(\d*)(e[+-]?\d+)?$/i.exec(text) ?? [];
  return `${sign === '-' ? '-' : ''}${integer || '0'}${fraction && `.${fraction}`}${exponent}`;
}
