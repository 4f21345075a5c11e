/**
 * How numbers of a response are returned. Only a custom function can lose digits.
 * - `'string'`: their digits as sent, such as `'1234.50'`
 * - `'bigint'`: integers as bigint, all others as their digits
 * - a function of the digits, such as `digits => new Decimal(digits)` or `Number`
 */
export type Numbers = 'string' | 'bigint' | ((digits: string) => unknown);

/** A JSON value of a response whose shape the API documentation leaves open. Numbers are strings of their digits. */
export type JsonValue =
  | string
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** A value of a row: text, a number in the chosen form, a boolean or null. */
export type Cell<Number = string> = string | Number | boolean | null;
