import { DATE_GROUPINGS } from './bda-v1.ts';
import type { BrandNames } from './brand.ts';

/**
 * The values that v1 accepts; it rejects any other. One table for the embedded gateway, the OpenAPI document and the migration. The
 * specification leaves open: the limits of RevenueDecimalPlaces and of lists, `ASC`, `EXCLUDE`, and that words, operations and numbers are
 * accepted in one spelling only.
 */
export type ValueRule =
  | { readonly kind: 'integer'; readonly from: number; readonly to?: number }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: 'text' };

/** A rule for integers; both ends are included. */
export const integer = (from: number, to?: number): ValueRule => ({
  kind: 'integer',
  from,
  ...(to !== undefined && { to }),
});
const oneOf = (...words: readonly string[]): ValueRule => ({ kind: 'word', words });
const TEXT: ValueRule = { kind: 'text' };

/** Members of a data request. */
export const DATA_REQUEST_RULES = {
  StartItem: integer(0),
  MaxItems: integer(1),
  DomainId: integer(1),
  DateGrouping: oneOf(...Object.keys(DATE_GROUPINGS)),
  UrlParams: oneOf('include', 'exclude'),
  UrlFragments: oneOf('include', 'exclude'),
  RevenueDecimalPlaces: integer(0, 6),
};

/** All members of these are required. */
export const COLUMN_RULES = { Data: TEXT, Type: oneOf('string', 'number') };
export const ORDER_RULES = { ColumnNumber: integer(0), Direction: oneOf('ASC', 'DESC') };
export const FILTER_RULES = {
  Type: oneOf('INCLUDE', 'EXCLUDE'),
  FilterKey: TEXT,
  OperationId: TEXT,
  FilterValue: TEXT,
};

/** Maximum number of items of `Filters` and of `SegmentIds`. */
export const LIST_MAX = 100;

/** The operations that the specification names. */
export const OPERATIONS_V1 = ['GREATER', 'GREATER_OR_EQUAL'];

/** Whether the value of a filter on a numeric column is a number: in JSON syntax. */
export function isFilterNumber(text: string): boolean {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text));
}

/** An id in `SegmentIds`. */
export const SEGMENT_ID_RULE = integer(0);

/** The value of `Platform`. */
export function platformRule({ platformV1, platformV1Upper }: BrandNames): ValueRule {
  return oneOf(...new Set([platformV1, platformV1Upper, 'Orig', 'ORIG', 'ALL']));
}

/** Whether v1 accepts a value. `integerOf` reads a JSON number: a safe integer, or undefined. */
export function isAccepted(
  rule: ValueRule,
  value: unknown,
  integerOf: (value: unknown) => number | undefined,
): boolean {
  if (rule.kind !== 'integer')
    return typeof value === 'string' && (rule.kind === 'text' || rule.words.includes(value));
  const number = integerOf(value);
  return number !== undefined && number >= rule.from && number <= (rule.to ?? Number.MAX_SAFE_INTEGER);
}

/** What a value must be: `must be an integer from 1`. */
export function mustBe(rule: ValueRule): string {
  if (rule.kind === 'text') return 'must be a text';
  if (rule.kind === 'word') return `must be ${rule.words.join(', ').replace(/, ([^,]+)$/, ' or $1')}`;
  return `must be an integer from ${rule.from}${rule.to === undefined ? '' : ` to ${rule.to}`}`;
}
