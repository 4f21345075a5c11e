import { closeNames } from '../../../apis/bda/catalogue.ts';
import { scalarText } from '../../../apis/bda/fields.ts';
import type { FilterExpression } from '../../../apis/bda/filter-expression.ts';
import { type DataParts, filterV1 } from '../../../apis/bda-v1/data-request.ts';
import { UsageError } from '../../../errors/index.ts';
import { isList, isRecord, type Json, type JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { integer, list, oneOf, string } from '../../framework/define-command.ts';
import { DAY_FLAGS, type DayFlags, daysFromFlags, type RequestedDays } from '../day-flags.ts';
import { readFilterFlags } from '../filter-flags.ts';
import { namesIn } from '../query/query-input.ts';
import { CHART_FLAGS, type ChartFlags } from '../rows/chart-flags.ts';
import { type RowFlags, rowFlags } from '../rows/row-flags.ts';
import { platformOf, SCOPE_FLAGS, type ScopeFlags } from '../scope-flags.ts';
import { PAGE_DEFAULT } from './run-plan.ts';
import { segmentIds } from './saved-reports.ts';

const DECIMALS_MAX = 20;

/** The flags that make a data request. */
export const RUN_FLAGS = {
  id: string('--id <n>', 'run a custom report, by its number', { completes: 'custom-report' }),
  dimension: list('-d, --dimension <columns>', 'without a saved report: columns to group by', {
    completes: 'column',
  }),
  metric: list('-m, --metric <columns>', 'without a saved report: columns to count and measure', {
    completes: 'column',
  }),
  request: string(
    '--request <file>',
    'take the data request from JSON (- for stdin); flags replace its fields',
    {
      completes: 'file',
    },
  ),
  filter: list('--filter <expression>', "a filter that must match, such as 'visits>=3'", {
    completes: 'filter',
  }),
  segment: list('--segment <id|name>', 'split the rows by a segment; may be repeated', {
    completes: 'segment',
  }),
  groupBy: oneOf('--group-by <period>', 'group the rows by', ['day', 'week', 'month']),
  sort: string('--sort <column[:desc]>', 'sort by a column, ascending unless :desc is added', {
    completes: 'sort',
  }),
  ...DAY_FLAGS,
  ...rowFlags(PAGE_DEFAULT),
  ...CHART_FLAGS,
  ...SCOPE_FLAGS,
  revenueDecimals: integer('--revenue-decimals <n>', 'how many decimals revenue is rounded to', {
    min: 0,
    max: DECIMALS_MAX,
  }),
};

export interface RunFlags extends DayFlags, RowFlags, ChartFlags, ScopeFlags {
  readonly id: string | undefined;
  readonly dimension: readonly string[];
  readonly metric: readonly string[];
  readonly request: string | undefined;
  readonly filter: readonly string[];
  readonly segment: readonly string[];
  readonly groupBy: 'day' | 'week' | 'month' | undefined;
  readonly sort: string | undefined;
  readonly revenueDecimals: number | undefined;
}

/** What the flags set of a data request, but for its order, and the days. Throws UsageError. */
export async function partsFromFlags(
  flags: RunFlags,
  body: JsonRecord,
  context: Context,
): Promise<{ parts: DataParts; days: RequestedDays }> {
  const filters = readFilterFlags({ filter: flags.filter, anyOf: [], filterJson: [] }).filters.map(asV1);
  const days = await daysFromFlags(flags, context, { hasEnd: scalarText(body.EndDate) !== undefined });
  const parts: DataParts = {
    from: days.from,
    to: days.to,
    grouping: flags.groupBy,
    segments: flags.segment.length === 0 ? undefined : await segmentIds(flags.segment, context),
    platform: platformOf(flags.platform, (await context.settings()).brand.value),
    domainId: flags.domainId,
    queryParams: flags.queryParams,
    fragments: flags.fragments,
    revenueDecimals: flags.revenueDecimals,
    dimensions: namesIn('--dimension', flags.dimension)?.map(name => ({ name, type: 'string' })),
    metrics: namesIn('--metric', flags.metric)?.map(name => ({ name, type: 'number' })),
    filters: filters.length === 0 ? undefined : filters,
  };
  return { parts, days };
}

function asV1(filter: FilterExpression, index: number, all: readonly FilterExpression[]): JsonRecord {
  const { column, operator, values } = filter;
  if (operator !== 'in' && values.length === 1) return filterV1(filter);
  const shown = values.map(value => value.text).join(',');
  const flag = `--filter ${column}${operator === 'in' ? '=' : `:${operator}:`}${shown}`;
  const which = all.length > 1 ? ` (filter ${index + 1})` : '';
  const instead =
    values.length === 1 ? [`type '${column}:equals:${shown}' if your gateway knows that word`] : [];
  throw new UsageError(`${flag}${which}: a filter of this API compares with one value, by an operator word`, {
    hints: [...instead, 'for one of several values make a segment: gatectl bda segment create --help'],
  });
}

/** The order that `--sort` asks for: the column's index over dimensions, then metrics. Throws UsageError. */
export function orderOf(
  sort: string,
  columns: readonly string[] | undefined,
  name: string,
): NonNullable<DataParts['order']> {
  const [, column = '', direction = 'asc'] = /^(.*?)(?::([^:]*))?$/.exec(sort) ?? [];
  if (column === '' || (direction !== 'asc' && direction !== 'desc'))
    throw new UsageError(`--sort can't be '${sort}'`, { hints: ['type COLUMN, COLUMN:asc or COLUMN:desc'] });
  if (columns === undefined)
    throw new UsageError(`--sort ${sort}: the definition of ${name} does not show its columns`, {
      hints: ['the API wants the number of a column: send it as Order with --request'],
    });
  const index = columns.indexOf(column);
  if (index >= 0) return { index, direction };
  const close = closeNames(columns, column);
  throw new UsageError(`--sort ${sort}: ${name} ${name === 'the columns' ? 'have' : 'has'} no ${column}`, {
    hints: [`${close.length > 0 ? 'close' : 'there'}: ${(close.length > 0 ? close : columns).join(', ')}`],
  });
}

/** The columns that a data request names itself, as an order counts them. */
export function inlineColumns(request: JsonRecord): string[] {
  return [...dataOf(request.DimensionColumns), ...dataOf(request.MetricColumns)];
}

/** Throws UsageError for a column that is there twice: rows can't tell the two apart. */
export function checkColumns(columns: readonly string[]): void {
  const twice = columns.find((column, index) => columns.indexOf(column) < index);
  if (twice !== undefined)
    throw new UsageError(`the column ${twice} is named twice`, { hints: ['name each column once'] });
}

/** The metrics that a data request names itself. */
export function inlineMetrics(request: JsonRecord): string[] {
  return dataOf(request.MetricColumns);
}

function dataOf(refs: Json | undefined): string[] {
  return isList(refs) ? refs.flatMap(ref => (isRecord(ref) ? (scalarText(ref.Data) ?? []) : [])) : [];
}
