import { GRAINS } from '../../../analysis/periods.ts';
import { closeNames } from '../../../apis/bda/catalogue.ts';
import { isFilledStructure, isPresent, scalarText, wholeNumberOf } from '../../../apis/bda/fields.ts';
import type { FilterExpression } from '../../../apis/bda/filter-expression.ts';
import {
  columnRef,
  dataDayFields,
  dateGrouping,
  filterV1,
  orderBy,
  PAGE_ROWS,
  withDataFields,
} from '../../../apis/bda-v1/data-request.ts';
import { invalidInput, invalidUsage, invalidValue, unknownName } from '../../../errors/usage.ts';
import type { Plan } from '../../../export/plan.ts';
import type { Json, JsonRecord } from '../../../json/index.ts';
import type { Site } from '../../../operations/rows/requested-rows.ts';
import type { Context } from '../../framework/context.ts';
import { inGroup, integer, list, oneOf, string, type ValuesOf } from '../../framework/define-command.ts';
import { CHART_FLAGS } from './chart-flags.ts';
import { DAY_FLAGS, daysFromFlags, type RequestedDays } from './day-flags.ts';
import { DOMAIN_FLAG, sitesFromFlags } from './domain-flag.ts';
import { readFilterFlags } from './filter-flags.ts';
import { fieldsFromFlags, readSort, setsField } from './request-flags.ts';
import { ALLOW_UNKNOWN } from './request-input.ts';
import { type RowFlags, rowFlags } from './row-flags.ts';
import { SCOPE_FLAGS } from './scope-flags.ts';
import { segmentIds } from './segments.ts';

/** Default limit; the API requires one. */
const ROWS_DEFAULT = 100;

const MAX_DECIMALS = 20;

/** The flags of a data request. */
export const RUN_FLAGS = {
  ...inGroup('Report', {
    id: string('--id <n>', 'run a custom report, by its id', { completes: 'custom-report' }),
    dimension: setsField(list('-d, --dimension <columns>', 'without a saved report: columns to group by'), {
      v1: { path: 'DimensionColumns', toJson: name => columnRef(name, 'string') },
    }),
    metric: setsField(list('-m, --metric <columns>', 'without a saved report: columns to measure'), {
      v1: { path: 'MetricColumns', toJson: name => columnRef(name, 'number') },
    }),
    request: string('--request <file>', 'data request as JSON (- for stdin); flags override'),
    allowUnknown: ALLOW_UNKNOWN,
    filter: list('--filter <expression>', "condition, such as 'visits>=3'", {
      completes: 'filter',
    }),
    segment: list('--segment <id|name>', 'split the rows by a segment; repeatable'),
    groupBy: setsField(oneOf('--group-by <period>', 'group the rows by day, week or month', GRAINS), {
      v1: { path: 'DateGrouping', toJson: dateGrouping },
    }),
    sort: string('--sort <column[:desc]>', 'sort by a column, ascending unless :desc or -column'),
  }),
  ...DAY_FLAGS,
  ...rowFlags(PAGE_ROWS),
  ...CHART_FLAGS,
  ...inGroup('Pages', DOMAIN_FLAG),
  ...SCOPE_FLAGS,
  ...inGroup('Report', {
    revenueDecimals: setsField(
      integer('--revenue-decimals <n>', 'number of decimals to round revenue to', {
        min: 0,
        max: MAX_DECIMALS,
      }),
      { v1: 'RevenueDecimalPlaces' },
    ),
  }),
};

type RunFlags = ValuesOf<typeof RUN_FLAGS>;

/** The name of a report, and the flags that a data request is built from; those that a caller does not have are absent. */
export type ReportFlags = Partial<RunFlags> &
  Pick<RunFlags, 'filter' | 'segment' | 'domain' | 'domainId'> & { readonly name: string | undefined };

/** Overrides the fields of a data request, except its order, with flags. Throws UsageError. */
export async function requestFromFlags(
  flags: ReportFlags,
  body: JsonRecord,
  context: Context,
): Promise<{
  request: JsonRecord;
  days: RequestedDays;
  hasFilters: boolean;
  /** The sites that `--domain` names; the request is of the first one. */
  sites: readonly Site[];
}> {
  const { brand } = await context.settings();
  const filters = readFilterFlags(
    { filter: flags.filter, anyOf: [], filterJson: [] },
    context.log,
  ).filters.map(asV1);
  const days = await daysFromFlags(flags, context, { hasEnd: scalarText(body.EndDate) !== undefined });
  const hasFilters = filters.length > 0;
  const fields = new Map<string, Json>([
    ...fieldsFromFlags('v1', RUN_FLAGS, flags, brand.value).fields,
    ...dataDayFields(days),
    ...(hasFilters ? [['Filters', filters] as const] : []),
  ]);
  const sites = await sitesFromFlags(flags, 'v1', context, { maySend: !context.globals.curl });
  const [site] = sites;
  if (site !== undefined) fields.set('DomainId', site.id);
  if (flags.segment.length > 0) fields.set('SegmentIds', await segmentIds(flags.segment, context));
  return { request: withDataFields(body, fields), days, hasFilters, sites };
}

function asV1(filter: FilterExpression, index: number, all: readonly FilterExpression[]): JsonRecord {
  const { column, operator, values } = filter;
  if (operator !== 'in' && values.length === 1) return filterV1(filter);
  const shown = values.map(value => value.text).join(',');
  const flag = `--filter ${column}${operator === 'in' ? '=' : `:${operator}:`}${shown}`;
  const which = all.length > 1 ? ` (filter ${index + 1})` : '';
  const instead =
    values.length === 1 ? [`pass '${column}:equals:${shown}' if your gateway supports that operator`] : [];
  throw invalidUsage(
    `${flag}${which}: v1 filters compare with one value, by a named operator`,
    ...instead,
    'to match several values, create a segment: gatectl bda segment create --help',
  );
}

/** The order that `--sort` requests: the column's index over the dimensions, then the metrics. Throws UsageError. */
export function orderOf(sort: string, columns: readonly string[] | undefined, name: string): JsonRecord {
  const { column, direction } = readSort(sort);
  if (columns === undefined)
    throw invalidUsage(
      `--sort ${sort}: the definition of ${name} has no columns`,
      'the API requires the index of a column: pass it as Order with --request',
    );
  const index = columns.indexOf(column);
  if (index >= 0) return orderBy(index, direction);
  const close = closeNames(columns, column);
  throw unknownName(
    `--sort ${sort}: ${name} ${name === 'the columns' ? 'have' : 'has'} no ${column}`,
    close.length > 0 ? `did you mean ${close.join(' or ')}?` : `columns: ${columns.join(', ')}`,
  );
}

/** Throws UsageError for a duplicate column, because rows are keyed by column. */
export function checkColumns(columns: readonly string[]): void {
  const duplicate = columns.find((column, index) => columns.indexOf(column) < index);
  if (duplicate !== undefined) throw invalidValue(`duplicate column ${duplicate}`, 'pass each column once');
}

/** The flags of paging. */
type PagingFlags = Partial<Pick<RowFlags, 'limit' | 'offset' | 'pageSize' | 'concurrency'>>;

/** Limit, offset and paging from the flags, or else from the request. Throws UsageError for an invalid count. */
export function planOf(body: JsonRecord, flags: PagingFlags, all: boolean): Plan {
  const start = flags.offset ?? countIn(body, 'StartItem', 0) ?? 0;
  const rows = requestsAllRows(body) ? undefined : countIn(body, 'MaxItems', 1);
  if (all) return allRows(start, flags, rows);
  const limit = flags.limit ?? rows;
  if (limit === undefined) return { start, pageSize: ROWS_DEFAULT, single: true, endsByItself: true };
  return { start, pageSize: limit, single: true };
}

/** All rows from `start`; `rows` is the page size of the request. */
export function allRows(start: number, { pageSize, concurrency }: PagingFlags, rows?: number): Plan {
  return {
    start,
    pageSize: pageSize ?? rows ?? PAGE_ROWS,
    pagesInFlight: concurrency,
    expectsPages: pageSize !== undefined,
  };
}

/** Whether a request for columns requests all rows: only saved reports require a page size. */
export function requestsAllRows(body: JsonRecord): boolean {
  const isInline = [body.DimensionColumns, body.MetricColumns].some(isFilledStructure);
  return isInline && isPresent(body.MaxItems) && wholeNumberOf(body.MaxItems) === 0;
}

function countIn(body: JsonRecord, field: string, min: number): number | undefined {
  const value = body[field];
  if (!isPresent(value)) return undefined;
  const count = wholeNumberOf(value);
  if (count !== undefined && count >= min) return count;
  throw invalidInput(`${field} in the request must be an integer from ${min}`);
}
