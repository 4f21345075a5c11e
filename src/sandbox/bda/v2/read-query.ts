import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX } from '../../../wire/bda-v2.ts';
import type { BrandNames } from '../../../wire/brand.ts';
import type { DataSet } from '../columns.ts';
import { type DayRange, readDay } from '../days.ts';
import type { Platform } from '../facts/groups.ts';
import type { UrlOptions } from '../facts/pages.ts';
import { integerOf } from '../json.ts';
import type { RowQuery } from '../query-engine/run-query.ts';
import { type Detail, type Details, noDetails, objectAt, oneOfAt } from './errors.ts';
import { readColumns, readSort } from './read-columns.ts';
import { readFilters } from './read-filters.ts';

export const DATA_SETS = ['pageview', 'visit', 'bulk'] as const satisfies readonly DataSet[];

const FIELDS = [
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
const INCLUDE = ['include', 'exclude'] as const;
const CASES = ['none', 'lower'] as const;

/** A valid query; the ownership of its site is not checked yet. */
export interface ReadQuery {
  readonly dataSet: DataSet;
  readonly rowQuery: RowQuery;
}

function integerAt(
  value: unknown,
  path: string,
  range: { from: number; to: number },
  details: Details,
): number | undefined {
  if (value === undefined) return undefined;
  const number = integerOf(value);
  if (number !== undefined && number >= range.from && number <= range.to) return number;
  const bounds =
    range.to === Number.MAX_SAFE_INTEGER ? `from ${range.from}` : `from ${range.from} to ${range.to}`;
  details.add(path, `must be an integer ${bounds}`);
  return undefined;
}

function readDays(value: unknown, details: Details): DayRange {
  if (value === undefined) details.add('date_range', 'is required, with start_date and end_date');
  const names = ['start_date', 'end_date'];
  const fields = value === undefined ? undefined : objectAt(value, 'date_range', names, details);
  const [first, last] = names.map(name => {
    const text = fields?.[name];
    const day = typeof text === 'string' ? readDay(text) : undefined;
    if (day === undefined && fields !== undefined) {
      details.add(`date_range.${name}`, text === undefined ? 'is required' : 'must be a day as YYYY-MM-DD');
    }
    return day;
  });
  if (first === undefined || last === undefined) return { first: 0, last: 0 };
  if (first > last) details.add('date_range', 'start_date must not be after end_date');
  return { first, last };
}

function readUrlOptions(value: unknown, details: Details): UrlOptions {
  const known = ['query_params', 'fragments', 'case_normalization'];
  const fields = value === undefined ? {} : (objectAt(value, 'url_options', known, details) ?? {});
  const word = <Word extends string>(name: string, words: readonly Word[]) =>
    oneOfAt(fields[name], `url_options.${name}`, words, details);
  return {
    queryParams: word('query_params', INCLUDE) !== 'exclude',
    fragments: word('fragments', INCLUDE) !== 'exclude',
    lowerCase: word('case_normalization', CASES) === 'lower',
  };
}

function readPlatform(value: unknown, brand: BrandNames, details: Details): Platform | undefined {
  const words = [brand.platformV2, 'original', 'all'];
  const word = oneOfAt(value, 'platform', words, details);
  if (word === 'original') return 'original';
  return word === brand.platformV2 ? 'service' : undefined;
}

/** Parses a query (spec, Endpoints D), or returns all invalid fields. */
export function readQuery(value: unknown, brand: BrandNames): ReadQuery | { readonly details: Detail[] } {
  const details = noDetails();
  const fields = objectAt(value, '', FIELDS, details);
  if (fields === undefined) return { details: [{ field: 'body', message: 'must be a JSON object' }] };
  const dataSet = oneOfAt(fields.data_set, 'data_set', DATA_SETS, details);
  if (fields.data_set === undefined) details.add('data_set', 'is required');
  const days = readDays(fields.date_range, details);
  const known = dataSet ?? 'pageview';
  const { dimensions, metrics } = readColumns(fields, known, details);
  const conditions = readFilters(fields.filters, known, dimensions, details);
  const order = readSort(fields.sort, [...dimensions, ...metrics], known, details);
  const limit = integerAt(fields.limit, 'limit', { from: 1, to: QUERY_LIMIT_MAX }, details);
  const any = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const offset = integerAt(fields.offset, 'offset', any, details);
  const domainId = integerAt(fields.domain_id, 'domain_id', any, details);
  const platform = readPlatform(fields.platform, brand, details);
  const url = readUrlOptions(fields.url_options, details);
  if (dataSet === undefined || details.list.length > 0) return { details: details.list };
  return {
    dataSet,
    rowQuery: {
      days,
      domainId,
      platform,
      url,
      dimensions,
      metrics,
      parts: [{ conditions }],
      order,
      offset: offset ?? 0,
      limit: limit ?? QUERY_LIMIT_DEFAULT,
    },
  };
}
