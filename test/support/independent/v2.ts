// BDA v2, written from the specification alone. Where it is silent, this gateway has chosen: any member or value that is not documented
// is a validation error; conditions on metrics apply to rows, those on dimensions to what is counted; rows without a sort, and equal
// rows, are in the order of their dimensions; a site of another account has no rows; `asc` is a direction.
import {
  type Cell,
  type Condition,
  DIMENSIONS,
  isDay,
  METRICS,
  type Question,
  type Row,
  rowsOf,
  sorted,
} from './facts.ts';

type Body = Record<string, unknown>;

/** The field of a query that v2 rejects. */
export class Invalid extends Error {}

const MEMBERS = [
  'data_set',
  'date_range',
  'dimensions',
  'metrics',
  'filters',
  'sort',
  'limit',
  'offset',
  'domain_id',
  'platform',
  'url_options',
];

/** The response to a query. Throws Invalid. */
export function answerV2(request: unknown): { rows: Row[]; total_rows: number } {
  const query = membersOf(request, MEMBERS, '');
  if (query.data_set !== 'pageview') throw new Invalid('data_set');
  const { start_date, end_date } = membersOf(query.date_range, ['start_date', 'end_date'], 'date_range');
  if (!isDay(start_date) || !isDay(end_date) || start_date > end_date) throw new Invalid('date_range');
  const dimensions = names(query.dimensions, DIMENSIONS, 'dimensions');
  const metrics = names(query.metrics, METRICS, 'metrics');
  if (dimensions.length + metrics.length === 0) throw new Invalid('dimensions');
  const limit = integer(query.limit ?? 100, 1, 100_000, 'limit');
  const offset = integer(query.offset ?? 0, 0, Number.MAX_SAFE_INTEGER, 'offset');
  const options =
    query.url_options === undefined
      ? {}
      : membersOf(query.url_options, ['query_params', 'fragments'], 'url_options');
  for (const name of ['query_params', 'fragments'])
    if (![undefined, 'include', 'exclude'].includes(options[name] as string))
      throw new Invalid(`url_options.${name}`);
  if (![undefined, 'service', 'original', 'all'].includes(query.platform as string))
    throw new Invalid('platform');
  const all = rowsOf({
    ...{ from: start_date, to: end_date, dimensions, metrics },
    conditions: list(query.filters, 'filters').map(conditionOf),
    site:
      query.domain_id === undefined
        ? undefined
        : integer(query.domain_id, 1, Number.MAX_SAFE_INTEGER, 'domain_id'),
    platform: query.platform === 'all' ? undefined : (query.platform as Question['platform']),
    keepsParams: options.query_params !== 'exclude',
    keepsFragments: options.fragments !== 'exclude',
  });
  const inOrder = list(query.sort, 'sort').reduceRight((rows: Row[], item) => {
    const { column, direction } = membersOf(item, ['column', 'direction'], 'sort');
    if (typeof column !== 'string' || ![...dimensions, ...metrics].includes(column))
      throw new Invalid('sort.column');
    if (direction !== 'asc' && direction !== 'desc') throw new Invalid('sort.direction');
    return sorted(rows, column, direction === 'desc');
  }, all);
  return { rows: inOrder.slice(offset, offset + limit), total_rows: all.length };
}

function conditionOf(item: unknown): Condition {
  const { column, operator, value, values } = membersOf(
    item,
    ['column', 'operator', 'value', 'values'],
    'filters',
  );
  if (typeof column !== 'string') throw new Invalid('filters.column');
  const type = Object.hasOwn(METRICS, column)
    ? 'number'
    : Object.hasOwn(DIMENSIONS, column)
      ? 'string'
      : undefined;
  const given = operator === 'in' ? list(values, 'filters.values') : [value];
  if (type === undefined || given.length === 0 || given.some(each => typeof each !== type))
    throw new Invalid('filters.value');
  const [bound] = given as Cell[];
  if (operator === 'in') return { column, matches: cell => given.includes(cell) };
  if (bound === undefined || bound === null) throw new Invalid('filters.value');
  if (operator === 'greater_than') return { column, matches: cell => cell !== null && cell > bound };
  if (operator === 'greater_than_or_equal')
    return { column, matches: cell => cell !== null && cell >= bound };
  throw new Invalid('filters.operator');
}

function membersOf(value: unknown, known: readonly string[], field: string): Body {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Invalid(field);
  for (const name of Object.keys(value)) if (!known.includes(name)) throw new Invalid(`${field}.${name}`);
  return value as Body;
}

function list(value: unknown, field: string): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Invalid(field);
  return value;
}

function names(value: unknown, known: Readonly<Record<string, unknown>>, field: string): string[] {
  const given = list(value, field);
  if (new Set(given).size < given.length) throw new Invalid(field);
  return given.map((name, index) => {
    if (typeof name !== 'string' || !Object.hasOwn(known, name)) throw new Invalid(`${field}[${index}]`);
    return name;
  });
}

function integer(value: unknown, least: number, most: number, field: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most)
    return value;
  throw new Invalid(field);
}
