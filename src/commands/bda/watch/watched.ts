import { rowNumber } from '../../../analysis/column-roles.ts';
import type { DayFigure } from '../../../analysis/metric-health.ts';
import { knownMetricKind } from '../../../analysis/metric-kinds.ts';
import { type Day, type DayRange, isDay } from '../../../apis/bda/days.ts';
import { problemsOf, REQUIRED } from '../../../apis/bda-v2/check-query.ts';
import { namesOf, withDays, withQueryFields, withTotalOrder } from '../../../apis/bda-v2/query.ts';
import { queryRows } from '../../../apis/bda-v2/query-rows.ts';
import { ApiError, InvalidResponseError, UsageError } from '../../../errors/index.ts';
import { completenessOf } from '../../../export/export-audit.ts';
import { fieldOf, type Json, type JsonRecord, textOf } from '../../../json/index.ts';
import { bdaV2Site } from '../../../operations/listings/analytics.ts';
import { columnNames } from '../../../operations/listings/column-catalogue.ts';
import { collectRows, recordsOf } from '../../../operations/rows/collect-rows.ts';
import type { Site } from '../../../operations/rows/requested-rows.ts';
import type { WatchedFigures } from '../../../operations/watch/watch-metrics.ts';
import { QUERY_LIMIT_MAX } from '../../../wire/bda-v2.ts';
import type { Context } from '../../framework/context.ts';
import { throwProblems, withOrigins } from '../flags/origins.ts';
import { queryFromFlags } from '../flags/query-flags.ts';
import { rowWork } from '../output/row-work.ts';
import type { WatchedFlags } from './flags.ts';

const DAY = 'report_day';

/** A checked query of daily figures. */
export interface WatchedQuery {
  readonly metrics: readonly string[];
  readonly dataSet: string | undefined;
  /** The named sites; undefined for those that the query selects. */
  readonly sites: readonly (Site | undefined)[];
  /** The query without days, dimensions and site, which identifies what is watched. */
  readonly query: JsonRecord;
  /** The figures of all metrics by day, as the API has them. */
  figures(site: Site | undefined, days: DayRange): Promise<WatchedFigures>;
}

/** Checks what is to be watched. Throws UsageError. */
export async function watchedQuery(
  flags: WatchedFlags,
  body: JsonRecord,
  source: string | undefined,
  context: Context,
): Promise<WatchedQuery> {
  const maySend = !context.globals.curl;
  const { query, origins, sites } = await queryFromFlags(flags, body, context, { maySend });
  const {
    date_range: _days,
    dimensions: _dimensions,
    sort: _sort,
    limit: _limit,
    offset: _offset,
    ...baseQuery
  } = query;
  const metrics = namesOf(baseQuery.metrics);
  if (metrics.length === 0)
    throw new UsageError('--metric is missing', {
      code: 'missing_argument',
      hints: ['type -m visits,revenue; gatectl bda columns lists the metrics'],
    });
  throwProblems(
    problemsOf(baseQuery).filter(({ field, message }) => field !== 'date_range' || message !== REQUIRED),
    origins,
    source,
  );
  const weights = metrics.map(weightOf);
  const columns = [...new Set([...metrics, ...weights.filter(weight => weight !== undefined)])];
  return {
    metrics,
    dataSet: typeof baseQuery.data_set === 'string' ? baseQuery.data_set : undefined,
    sites: sites.length === 0 ? [undefined] : sites,
    query: baseQuery,
    async figures(site, days) {
      const fields = new Map<string, Json>([
        ['dimensions', [DAY]],
        ['metrics', columns],
        ...(site === undefined ? [] : [['domain_id', site.id] as const]),
      ]);
      const sent = withTotalOrder(withDays(withQueryFields(baseQuery, fields), days));
      try {
        const { rows, isComplete } = await dailyRows(sent, context);
        const byMetric = new Map(
          metrics.map((metric, at) => [metric, figuresIn(rows, metric, weights[at] ?? metric)] as const),
        );
        return { byMetric, isComplete };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        throw await withOrigins(error, origins, source, options => columnNames(context, options));
      }
    },
  };
}

/** What a ratio is based on; undefined for a sum, and for a metric that is not known to be a ratio. */
function weightOf(metric: string): string | undefined {
  const kind = knownMetricKind(metric);
  return kind?.kind === 'ratio' ? kind.weight : undefined;
}

async function dailyRows(
  query: JsonRecord,
  context: Context,
): Promise<{ readonly rows: readonly JsonRecord[]; readonly isComplete: boolean }> {
  const source = queryRows(await context.gateway(), await bdaV2Site(context), query, { paged: true });
  const plan = { start: 0, pageSize: QUERY_LIMIT_MAX, pagesInFlight: 1 };
  const { rows, stats } = await collectRows({ source, plan }, await rowWork(context), () => {});
  const { isComplete, flaws } = completenessOf(stats);
  for (const flaw of flaws) context.log.warn(flaw);
  return { rows: recordsOf(rows), isComplete };
}

/** The figures of a metric; none for null and for a day without a row. Throws InvalidResponseError. */
function figuresIn(
  rows: readonly JsonRecord[],
  metric: string,
  weight: string,
): Map<Day, DayFigure & { json: Json }> {
  const found = new Map<Day, DayFigure & { json: Json }>();
  for (const row of rows) {
    const day = textOf(columnIn(row, DAY)).slice(0, 10);
    if (!isDay(day)) throw unexpected(`a row whose ${DAY} is not a day`);
    if (found.has(day)) throw unexpected(`two rows for ${day}`);
    const [value, volume] = [numberIn(row, metric), numberIn(row, weight)];
    if (value !== undefined && volume !== undefined)
      found.set(day, { value, volume, json: columnIn(row, metric) });
  }
  return found;
}

function numberIn(row: JsonRecord, column: string): number | undefined {
  const value = columnIn(row, column);
  if (value === null) return undefined;
  const digits = rowNumber(value);
  const number = digits === undefined ? Number.NaN : Number(digits);
  if (Number.isFinite(number)) return number;
  throw unexpected(`'${textOf(value)}' as ${column}, which is not a number`);
}

function columnIn(row: JsonRecord, column: string): Json {
  const value = fieldOf(row, column);
  if (value === undefined) throw unexpected(`a row without the column ${column}`);
  return value;
}

function unexpected(what: string): InvalidResponseError {
  return new InvalidResponseError(`the response has ${what}`, { code: 'unexpected_shape' });
}
