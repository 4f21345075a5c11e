import { convertedByGitBash, PATH_CONVERSION_HINT } from '../../files/git-bash.ts';
import { isNumberText, type Json, type JsonRecord, jsonNumber } from '../../json/index.ts';
import type { ValueKind } from './value-kind.ts';

/**
 * A parsed filter expression: `visits>=3`, `country=DE,AT`, `page_url:contains:"a,b"`. Unquoted values are trimmed; double quotes
 * allow any text, with the escapes `\"` and `\\`.
 */
export interface FilterExpression {
  readonly column: string;
  /** The API operator: `>` is `greater_than`, `>=` is `greater_than_or_equal`, `=` is `in`; others are unchanged. */
  readonly operator: string;
  readonly values: readonly ExpressionValue[];
}

export interface ExpressionValue {
  readonly text: string;
  /** Quoted values are always text. */
  readonly quoted: boolean;
}

/** An invalid filter expression. The message completes a sentence that starts with the expression. */
export class FilterSyntax extends Error {
  override readonly name = 'FilterSyntax';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

const SIGNS = { '>=': 'greater_than_or_equal', '>': 'greater_than', '=': 'in' } as const;
const HEAD = /^\s*([^\s:=<>!,"]+)\s*(>=|>|==|=|<=|<|!=|:)/;
const WORD = /^\s*([A-Za-z][\w-]*)\s*:/;
const FORMS = "such as 'visits>=3', 'country=DE,AT' or 'page_url:contains:news'";

/** A second condition in the value of the first. */
const SECOND = /\s(or|and|&&|\|\|)\s+[a-z_]+\s*(?:[<>=]|:[a-z_]+:)/i;

/** Operators with one value. */
const SINGLE = new Set<string>([SIGNS['>'], SIGNS['>=']]);

/** Throws FilterSyntax. */
export function parseFilter(text: string): FilterExpression {
  const head = HEAD.exec(text);
  const column = head?.[1];
  const sign = head?.[2];
  if (head === null || column === undefined || sign === undefined)
    throw new FilterSyntax('is not a filter', `pass a column, an operator and a value, ${FORMS}`);
  let rest = text.slice(head[0].length);
  let operator: string;
  if (sign === ':') {
    const word = WORD.exec(rest);
    if (word?.[1] === undefined) throw new FilterSyntax('has no operator', `pass ${column}:operator:value`);
    operator = word[1];
    rest = rest.slice(word[0].length);
  } else if (sign in SIGNS) {
    operator = SIGNS[sign as keyof typeof SIGNS];
  } else {
    throw new FilterSyntax(
      `uses ${sign}, for which the API documents no operator`,
      insteadOf(sign, column, rest),
    );
  }
  const values = readValues(rest, column);
  if (SINGLE.has(operator) && values.length > 1)
    throw new FilterSyntax(
      'compares with several values',
      'pass one value, or quote a value that contains a comma',
    );
  return { column, operator, values };
}

/** Formats a filter so that `parseFilter` returns the same filter. */
export function printFilter({ column, operator, values }: FilterExpression): string {
  const sign = Object.entries(SIGNS).find(([, word]) => word === operator)?.[0] ?? `:${operator}:`;
  const list = values.map(printValue).join(',');
  return `${column}${sign}${list.startsWith('=') ? ' ' : ''}${list}`;
}

function printValue({ text, quoted }: ExpressionValue): string {
  const plain = !quoted && text !== '' && text.trim() === text && !/^"|,/.test(text) && !SECOND.test(text);
  return plain ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function insteadOf(sign: string, column: string, rest: string): string {
  const value = rest.trim();
  if (sign === '==') return `pass ${column}=${value}`;
  const guess = { '<': 'less_than', '<=': 'less_than_or_equal', '!=': 'not_equals' }[sign];
  return `if your gateway supports it, pass '${column}:${guess}:${value}'`;
}

function readValues(text: string, column: string): ExpressionValue[] {
  const values: ExpressionValue[] = [];
  for (let at = 0; at <= text.length; ) {
    const { value, end } = readValue(text, at, column);
    values.push(value);
    at = end + 1;
  }
  return values;
}

/** Reads one value; `end` is the index of the comma after it, or the end of the text. */
function readValue(text: string, from: number, column: string): { value: ExpressionValue; end: number } {
  const quote = /^\s*"((?:[^"\\]|\\[\s\S])*)(")?\s*/.exec(text.slice(from));
  if (quote === null) {
    const comma = text.indexOf(',', from);
    const end = comma === -1 ? text.length : comma;
    const bare = text.slice(from, end).trim();
    if (bare === '') throw new FilterSyntax('has an empty value', `to match empty text, pass ${column}=""`);
    const [, joined] = SECOND.exec(bare) ?? [];
    if (joined !== undefined)
      throw new FilterSyntax(
        `has a second condition after ${joined}`,
        /or|\|\|/i.test(joined)
          ? `for one of several values, pass ${column}=A,B; for other columns, pass each condition with --any-of`
          : 'pass each condition with a --filter of its own; all of them must match',
      );
    const typed = convertedByGitBash(bare)?.typed;
    if (typed !== undefined)
      throw new FilterSyntax(`contains a path that Git Bash made of ${typed}`, PATH_CONVERSION_HINT);
    return { value: { text: bare, quoted: false }, end };
  }
  const end = from + quote[0].length;
  if (quote[2] === undefined) throw new FilterSyntax('has an unterminated quote', 'end the value with "');
  if (end < text.length && text[end] !== ',')
    throw new FilterSyntax('has text after a closing quote', 'escape a quote inside quotes as \\"');
  const inner = (quote[1] ?? '').replace(/\\(["\\])/g, '$1');
  return { value: { text: inner, quoted: true }, end };
}

/** Whether a value is ambiguous without the type of the column: `id=123` may be a number or text. */
export function needsColumnType({ operator, values }: FilterExpression): boolean {
  return values.some(
    ({ text, quoted }) =>
      !quoted && (/^(true|false)$/.test(text) || (isNumberText(text) && !SINGLE.has(operator))),
  );
}

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
  return isNumberText(text) ? jsonNumber(text) : text;
}
