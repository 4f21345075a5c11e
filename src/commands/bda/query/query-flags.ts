import type { QueryParts, SortKey } from '../../../apis/bda-v2/query.ts';
import { UsageError } from '../../../errors/index.ts';
import { isRecord, type JsonRecord } from '../../../json/index.ts';
import { QUERY_LIMIT_MAX } from '../../../wire/bda-v2.ts';
import { brandNames } from '../../../wire/brand.ts';
import type { Context } from '../../framework/context.ts';
import { list, string } from '../../framework/define-command.ts';
import { columnKinds } from '../column-catalogue.ts';
import { DAY_FLAGS, type DayFlags, daysFromFlags, type RequestedDays } from '../day-flags.ts';
import { FILTER_FLAGS, type FilterFlags, filtersOf, readFilterFlags } from '../filter-flags.ts';
import { CHART_FLAGS, type ChartFlags } from '../rows/chart-flags.ts';
import { type RowFlags, rowFlags } from '../rows/row-flags.ts';
import { platformOf, SCOPE_FLAGS, type ScopeFlags } from '../scope-flags.ts';
import { namesIn } from './query-input.ts';

/** The flags that make a query. */
export const QUERY_FLAGS = {
  dataSet: string('--data-set <name>', 'what to query; gatectl bda data-sets lists the names', {
    completes: 'data-set',
  }),
  dimension: list('-d, --dimension <columns>', 'columns to group by, with commas or repeated', {
    completes: 'column',
  }),
  metric: list('-m, --metric <columns>', 'columns to count and measure, with commas or repeated', {
    completes: 'column',
  }),
  ...FILTER_FLAGS,
  sort: list('--sort <column[:desc]>', 'sort by a column, ascending unless :desc is added', {
    completes: 'sort',
  }),
  ...DAY_FLAGS,
  ...rowFlags(QUERY_LIMIT_MAX),
  ...CHART_FLAGS,
  ...SCOPE_FLAGS,
  caseNormalization: string(
    '--case-normalization <value>',
    'how upper and lower case in addresses are treated',
  ),
};

export interface QueryFlags extends DayFlags, FilterFlags, RowFlags, ChartFlags, ScopeFlags {
  readonly dataSet: string | undefined;
  readonly dimension: readonly string[];
  readonly metric: readonly string[];
  readonly sort: readonly string[];
  readonly caseNormalization: string | undefined;
}

/** What the flags set of a query, what was typed for which field, and the days. Throws UsageError. */
export async function partsFromFlags(
  flags: QueryFlags,
  body: JsonRecord,
  context: Context,
  { maySend }: { readonly maySend: boolean },
): Promise<{ parts: QueryParts; origin: Map<string, string>; days: RequestedDays }> {
  const dimensions = namesIn('--dimension', flags.dimension);
  const metrics = namesIn('--metric', flags.metric);
  const sort = sortKeys(flags.sort);
  const read = readFilterFlags(flags);
  const hasEnd = isRecord(body.date_range) && body.date_range.end_date !== undefined;
  const days = await daysFromFlags(flags, context, { hasEnd });
  const kindOf = await columnKinds([...read.filters, ...read.anyOf], context, { maySend });
  const filters = filtersOf(flags, read, kindOf);
  const brand = (await context.settings()).brand.value;
  const platform = platformOf(flags.platform, brand);
  const parts: QueryParts = {
    dataSet: flags.dataSet,
    from: days.from,
    to: days.to,
    dimensions,
    metrics,
    filters: filters?.filters,
    sort,
    limit: flags.limit,
    offset: flags.offset,
    domainId: flags.domainId,
    platform: platform === 'service' ? brandNames(brand).platformV2 : platform,
    queryParams: flags.queryParams,
    fragments: flags.fragments,
    caseNormalization: flags.caseNormalization,
  };
  const origin = new Map([
    ...named('dimensions', '--dimension', dimensions),
    ...named('metrics', '--metric', metrics),
    ...named(
      'sort',
      '--sort',
      sort?.map(({ column, direction }) => `${column}:${direction}`),
    ),
    ...single(flags, days),
    ...(filters?.origin ?? []),
  ]);
  return { parts, origin, days };
}

function sortKeys(texts: readonly string[]): SortKey[] | undefined {
  return namesIn('--sort', texts)?.map(text => {
    const [, column = '', direction = 'asc'] = /^(.*?)(?::([^:]*))?$/.exec(text) ?? [];
    if (column !== '' && (direction === 'asc' || direction === 'desc')) return { column, direction };
    throw new UsageError(`--sort can't be '${text}'`, { hints: ['type COLUMN, COLUMN:asc or COLUMN:desc'] });
  });
}

function named(field: string, flag: string, names: readonly string[] | undefined): [string, string][] {
  const each = (names ?? []).map((name, index): [string, string] => [`${field}.${index}`, `${flag} ${name}`]);
  return each.length === 0 ? [] : [[field, flag], ...each];
}

function single(flags: QueryFlags, days: RequestedDays): [string, string][] {
  const start = flags.from === undefined ? days.origin : `--from ${flags.from}`;
  const end = flags.to === undefined ? days.origin : `--to ${flags.to}`;
  const given: [string, string | undefined][] = [
    ['data_set', flag('--data-set', flags.dataSet)],
    ['date_range', days.origin],
    ['date_range.start_date', days.from === undefined ? undefined : start],
    ['date_range.end_date', days.to === undefined ? undefined : end],
    ['limit', flag('--limit', flags.limit) ?? flag('--page-size', flags.pageSize)],
    ['offset', flag('--offset', flags.offset)],
    ['domain_id', flag('--domain-id', flags.domainId)],
    ['platform', flag('--platform', flags.platform)],
    ['url_options.query_params', flag('--query-params', flags.queryParams)],
    ['url_options.fragments', flag('--fragments', flags.fragments)],
    ['url_options.case_normalization', flag('--case-normalization', flags.caseNormalization)],
  ];
  return given.flatMap(([field, text]) => (text === undefined ? [] : [[field, text]]));
}

function flag(name: string, value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : `${name} ${value}`;
}
