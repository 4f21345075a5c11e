import { scalarText } from '../apis/bda/fields.ts';
import { type ExpressionValue, printFilter } from '../apis/bda/filter-expression.ts';
import { isNumberText, type JsonRecord, stringifyJson } from '../json/index.ts';
import { shellQuote } from '../text/shell-words.ts';
import { type AnyOf, BDA_V2_PREFIX, type FilterV2, type Query, type Scalar } from '../wire/bda-v2.ts';
import { brandNames } from '../wire/brand.ts';
import { API_KEY_HEADER } from '../wire/key.ts';

/**
 * The `curl` command that runs the query, for a POSIX shell. It reads the key from `GATECTL_API_KEY`.
 *
 * @param baseUrl the gateway root, which may carry a path
 * @param prefix path of v2 below it
 */
export function asCurl(query: Query, baseUrl: string, prefix: string = BDA_V2_PREFIX): string {
  const url = `${baseUrl.replace(/\/+$/, '')}/${prefix.replace(/^\/+|\/+$/g, '')}/query`;
  return [
    `curl -sS -X POST ${shellQuote(url)}`,
    `-H "${API_KEY_HEADER}: $GATECTL_API_KEY"`,
    "-H 'Content-Type: application/json'",
    `--data-raw ${shellQuote(queryJson(query))}`,
  ].join(' \\\n  ');
}

/**
 * The `gatectl bda query` command line that runs the query, for a POSIX shell. `brand` is the service's brand word; with `isCapped`, the
 * limit of the query is not that of the request, and the command fetches all rows.
 */
export function asGatectl(query: Query, brand: string, isCapped = false): string {
  const words = ['gatectl', 'bda', 'query', '--data-set', query.data_set];
  for (const dimension of query.dimensions ?? []) words.push('-d', dimension);
  for (const metric of query.metrics ?? []) words.push('-m', metric);
  words.push(...filterFlags(query.filters ?? []));
  for (const { column, direction } of query.sort ?? []) words.push('--sort', `${column}:${direction}`);
  words.push('--from', query.date_range.start_date, '--to', query.date_range.end_date);
  if (isCapped) words.push('--all');
  else if (query.limit !== undefined) words.push('--limit', String(query.limit));
  if (query.offset !== undefined) words.push('--offset', String(query.offset));
  if (query.domain_id !== undefined) words.push('--domain-id', String(query.domain_id));
  if (query.platform !== undefined) words.push('--platform', platformFlag(query.platform, brand));
  const { query_params, fragments, case_normalization } = query.url_options ?? {};
  if (query_params !== undefined) words.push('--query-params', query_params);
  if (fragments !== undefined) words.push('--fragments', fragments);
  const normalization = scalarText(case_normalization);
  if (normalization !== undefined) words.push('--case-normalization', normalization);
  return words.map(shellQuote).join(' ');
}

const platformFlag = (platform: string, brand: string) =>
  platform === brandNames(brand).platformV2 ? 'service' : platform;

function filterFlags(filters: readonly (FilterV2 | AnyOf)[]): string[] {
  let groups = 0;
  return filters.flatMap(filter => {
    if (!('any_of' in filter)) {
      const expression = filterExpression(filter);
      return expression === undefined ? ['--filter-json', queryJson(filter)] : ['--filter', expression];
    }
    const expressions = filter.any_of.map(filterExpression);
    groups += 1;
    // All --any-of flags of a command form one group, so a second group requires --filter-json.
    if (groups > 1 || expressions.length === 0 || expressions.includes(undefined))
      return ['--filter-json', queryJson(filter)];
    return expressions.flatMap(expression => (expression === undefined ? [] : ['--any-of', expression]));
  });
}

/** The filter as an expression; undefined for one that has no expression. */
function filterExpression({ column, operator, value, values }: FilterV2): string | undefined {
  if (!/^[^\s\p{Cc}:=<>!,"]+$/u.test(column) || !/^[A-Za-z][\w-]*$/.test(operator)) return undefined;
  const listed = operator === 'in' ? values : value === undefined ? undefined : [value];
  const typed = listed?.map(expressionValue).filter(one => one !== undefined) ?? [];
  if (typed.length === 0 || typed.length !== listed?.length) return undefined;
  return printFilter({ column, operator, values: typed });
}

/** The value in an expression, quoted where a text could be read as another type; true, false and null have no unambiguous form. */
function expressionValue(value: Scalar): ExpressionValue | undefined {
  if (typeof value === 'number') return { text: String(value), quoted: false };
  if (typeof value === 'object' && value !== null) return { text: value.value, quoted: false };
  if (typeof value !== 'string' || /\p{Cc}/u.test(value)) return undefined;
  return { text: value, quoted: isNumberText(value) || /^(true|false)$/.test(value) };
}

/** A query, or one filter, as JSON. */
export function queryRecord(query: Query | FilterV2 | AnyOf): JsonRecord {
  // A Query is JSON: only the type of url_options.case_normalization is unknown, which TypeScript rejects here.
  return query as unknown as JsonRecord;
}

/** A query, or one filter, as JSON text. `JSON.stringify` would write an exact number as an object. */
export function queryJson(query: Query | FilterV2 | AnyOf, indent = 0): string {
  return stringifyJson(queryRecord(query), indent);
}
