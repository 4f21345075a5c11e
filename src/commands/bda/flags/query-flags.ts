import { grainsOf } from '../../../analysis/periods.ts';
import { dayFields, namesOf, withQueryFields } from '../../../apis/bda-v2/query.ts';
import { isRecord, type Json, type JsonRecord } from '../../../json/index.ts';
import { columnKinds } from '../../../operations/listings/column-catalogue.ts';
import type { Site } from '../../../operations/rows/requested-rows.ts';
import { QUERY_LIMIT_MAX } from '../../../wire/bda-v2.ts';
import type { Context } from '../../framework/context.ts';
import { inGroup, list, string, type ValuesOf } from '../../framework/define-command.ts';
import { CHART_FLAGS } from './chart-flags.ts';
import { DAY_FLAGS, daysFromFlags, type RequestedDays } from './day-flags.ts';
import { DOMAIN_FLAG, sitesFromFlags } from './domain-flag.ts';
import { FILTER_FLAGS, filtersOf, readFilterFlags } from './filter-flags.ts';
import { fieldsFromFlags, readSort, setsField } from './request-flags.ts';
import { rowFlags } from './row-flags.ts';
import { SCOPE_FLAGS } from './scope-flags.ts';

/** The flags of a query. A flag that sets a field of the request names it. */
export const QUERY_FLAGS = {
  ...inGroup('Query', {
    dataSet: setsField(
      string('--data-set <name>', 'data set to query (default: pageview)', {
        completes: 'data-set',
      }),
      { v2: 'data_set' },
    ),
    dimension: setsField(
      list('-d, --dimension <columns>', 'columns to group by, comma-separated or repeated'),
      { v2: 'dimensions' },
    ),
    metric: setsField(list('-m, --metric <columns>', 'columns to measure, comma-separated or repeated'), {
      v2: 'metrics',
    }),
    ...FILTER_FLAGS,
    sort: setsField(list('--sort <column[:desc]>', 'sort by a column, ascending unless :desc or -column'), {
      v2: { path: 'sort', toJson: text => ({ ...readSort(text) }) },
    }),
  }),
  ...DAY_FLAGS,
  ...rowFlags(QUERY_LIMIT_MAX),
  ...CHART_FLAGS,
  ...inGroup('Pages', DOMAIN_FLAG),
  ...SCOPE_FLAGS,
  ...inGroup('Pages', {
    caseNormalization: setsField(
      string('--case-normalization <value>', 'treatment of letter case in page addresses'),
      { v2: 'url_options.case_normalization' },
    ),
  }),
};

export type QueryFlags = ValuesOf<typeof QUERY_FLAGS>;

/** The flags that a request of v2 is built from; those that a command does not have are absent. */
export type RequestFlags = Partial<QueryFlags> &
  Pick<QueryFlags, 'filter' | 'anyOf' | 'filterJson' | 'domain' | 'domainId'>;

/** A query from JSON and flags. */
interface QueryFromFlags {
  readonly query: JsonRecord;
  /** Field path to the flag that set it, as typed. */
  readonly origins: ReadonlyMap<string, string>;
  readonly days: RequestedDays;
  /** The sites that `--domain` names; the query is of the first one. */
  readonly sites: readonly Site[];
}

/** Overrides the fields of a JSON query with flags; `isRanked`: the first rows are to be the largest. Throws UsageError. */
export async function queryFromFlags(
  flags: RequestFlags,
  body: JsonRecord,
  context: Context,
  { maySend, isRanked = false }: { readonly maySend: boolean; readonly isRanked?: boolean },
): Promise<QueryFromFlags> {
  const { brand, dataSet } = await context.settings();
  const { fields, origins } = fieldsFromFlags('v2', QUERY_FLAGS, flags, brand.value);
  const read = readFilterFlags(flags, context.log);
  const hasEnd = isRecord(body.date_range) && body.date_range.end_date !== undefined;
  const days = await daysFromFlags(flags, context, { hasEnd });
  const kindOf = await columnKinds([...read.filters, ...read.anyOf], context, { maySend });
  const filters = filtersOf(flags, read, kindOf);
  const sites = await sitesFromFlags(flags, 'v2', context, { maySend });
  const [site] = sites;
  const usesDefault = flags.dataSet === undefined && body.data_set === undefined;
  if (usesDefault && dataSet.origin === 'default')
    context.log.note(`data set ${dataSet.value}; --data-set NAME selects another`);
  const largest = flags.limit === undefined && !isRanked ? undefined : largestFirst(body, fields);
  if (largest !== undefined && !isRanked)
    context.log.note(`sorted by ${largest}, the largest first; --sort COLUMN sets another order`);
  const all = new Map<string, Json>([
    ...(usesDefault ? [['data_set', dataSet.value] as const] : []),
    ...fields,
    ...(largest === undefined ? [] : [['sort', [{ column: largest, direction: 'desc' }]] as const]),
    ...dayFields(days),
    ...(site === undefined ? [] : [['domain_id', site.id] as const]),
    ...(filters === undefined ? [] : [['filters', filters.filters] as const]),
  ]);
  return {
    query: withQueryFields(body, all),
    origins: new Map([
      ...(flags.pageSize === undefined ? [] : [['limit', `--page-size ${flags.pageSize}`] as const]),
      ...(usesDefault ? [['data_set', `data-set ${dataSet.value}, ${dataSet.origin}`] as const] : []),
      ...origins,
      ...(site === undefined ? [] : [['domain_id', `--domain ${flags.domain.join(',')}`] as const]),
      ...dayOrigins(flags, days),
      ...(filters?.origin ?? []),
    ]),
    days,
    sites,
  };
}

/** The metric by which a limited number of rows is sorted: the first one, unless the order is set or the rows are of days. */
function largestFirst(body: JsonRecord, fields: ReadonlyMap<string, Json>): string | undefined {
  const [sort, dimensions, metrics] = ['sort', 'dimensions', 'metrics'].map(
    name => fields.get(name) ?? body[name],
  );
  const grouped = namesOf(dimensions);
  if (sort !== undefined || grouped.length === 0 || grainsOf(grouped).length > 0) return undefined;
  return namesOf(metrics)[0];
}

function dayOrigins(flags: RequestFlags, { from, to, origin }: RequestedDays): [string, string][] {
  if (origin === undefined) return [];
  return [
    ['date_range', origin],
    ...(from === undefined
      ? []
      : [
          ['date_range.start_date', flags.from === undefined ? origin : `--from ${flags.from}`] as [
            string,
            string,
          ],
        ]),
    ...(to === undefined
      ? []
      : [['date_range.end_date', flags.to === undefined ? origin : `--to ${flags.to}`] as [string, string]]),
  ];
}
