import { Decimal } from 'decimal.js';
import { quoted } from '../apis/bda/catalogue.ts';
import type { ValueKind } from '../apis/bda/value-kind.ts';
import { jsonNumber } from '../json/index.ts';
import type { Scalar } from '../wire/bda-v2.ts';

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

export function isNumberText(text: string): boolean {
  return NUMBER.test(text.trim());
}

export type TypedValue =
  | { readonly ok: true; readonly value: Scalar }
  | { readonly ok: false; readonly reason: string };

/**
 * A v1 filter value, which is always text, with the type that v2 wants. A number that a double can't hold is carried by
 * its digits, so such a query is to be written by `stringifyJson`.
 */
export function typedValue(text: string, kind: ValueKind): TypedValue {
  if (kind === 'text') return { ok: true, value: text };
  const trimmed = text.trim();
  if (kind === 'boolean') {
    const word = trimmed.toLowerCase();
    if (word === 'true' || word === 'false') return { ok: true, value: word === 'true' };
    return { ok: false, reason: `the column holds true or false, not ${quoted(text)}` };
  }
  if (!NUMBER.test(trimmed)) return { ok: false, reason: `the column holds numbers, not ${quoted(text)}` };
  const number = Number(trimmed);
  if (!Number.isFinite(number)) return { ok: false, reason: 'the number is larger than any that v2 reads' };
  const exact = new Decimal(trimmed).equals(new Decimal(String(number)));
  return { ok: true, value: exact ? number : jsonNumber(jsonDigits(trimmed)) };
}

/** The number as JSON writes it: `+.50` is `0.50`, `007.` is `7`. */
function jsonDigits(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = ''] =
    /^([+-]?)0*(\d*)\.?(\d*)(e[+-]?\d+)?$/i.exec(text) ?? [];
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction && `.${fraction}`}${exponent}`;
}
