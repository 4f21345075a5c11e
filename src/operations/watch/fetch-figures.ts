import { rowNumber } from '../../analysis/column-roles.ts';
import type { DayFigure } from '../../analysis/metric-health.ts';
import { basisMetric, knownMetricKind } from '../../analysis/metric-kinds.ts';
import { type Day, type DayRange, isDay } from '../../apis/bda/days.ts';
import { withDays, withQueryFields, withTotalOrder } from '../../apis/bda-v2/query.ts';
import { queryRows } from '../../apis/bda-v2/query-rows.ts';
import { InvalidResponseError } from '../../errors/index.ts';
import { completenessOf } from '../../export/export-audit.ts';
import { fieldOf, type Json, type JsonRecord, textOf } from '../../json/index.ts';
import { QUERY_LIMIT_MAX } from '../../wire/bda-v2.ts';
import type { FigureWork } from '../explain/period-figures.ts';
import { collectRows, recordsOf } from '../rows/collect-rows.ts';
import type { Site } from '../rows/requested-rows.ts';
import type { WatchedFigures } from './watch-metrics.ts';

const DAY = 'report_day';

/** The metrics of a query, and of a site instead of its own, by day. Throws ApiError and InvalidResponseError. */
export async function fetchFigures(
  { query, metrics }: { readonly query: JsonRecord; readonly metrics: readonly string[] },
  site: Site | undefined,
  days: DayRange,
  { gateway, site: apiSite, warn, ...work }: FigureWork,
): Promise<WatchedFigures> {
  const fields = new Map<string, Json>([
    ['dimensions', [DAY]],
    ['metrics', [...new Set([...metrics, ...metrics.map(basisMetric)])]],
    ...(site === undefined ? [] : [['domain_id', site.id] as const]),
  ]);
  const sent = withTotalOrder(withDays(withQueryFields(query, fields), days));
  const source = queryRows(gateway, apiSite, sent, { paged: true });
  const plan = { start: 0, pageSize: QUERY_LIMIT_MAX, pagesInFlight: 1 };
  const { rows, stats } = await collectRows({ source, plan }, work, () => {});
  const { isComplete, flaws } = completenessOf(stats);
  for (const flaw of flaws) warn(flaw);
  const records = recordsOf(rows);
  return {
    isComplete,
    byMetric: new Map(metrics.map(metric => [metric, figuresIn(records, metric)] as const)),
  };
}

/** The figures of a metric; none for null and for a day without a row. Throws InvalidResponseError. */
function figuresIn(rows: readonly JsonRecord[], metric: string): Map<Day, DayFigure & { json: Json }> {
  const found = new Map<Day, DayFigure & { json: Json }>();
  const basis = basisMetric(metric);
  const isRatio = knownMetricKind(metric)?.kind === 'ratio';
  for (const row of rows) {
    const day = textOf(columnIn(row, DAY)).slice(0, 10);
    if (!isDay(day)) throw unexpected(`a row whose ${DAY} is not a day`);
    if (found.has(day)) throw unexpected(`two rows for ${day}`);
    const [value, weight] = [numberIn(row, metric), numberIn(row, basis)];
    if (value === undefined || (isRatio && weight === undefined)) continue;
    const volume = Math.abs((isRatio ? weight : value) ?? 0);
    const visits = isRatio || basis === metric ? undefined : weight;
    found.set(day, { value, volume, visits, json: columnIn(row, metric) });
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
