import { knownMetricKind, SELECTED_BY_FIGURES } from '../../analysis/metric-kinds.ts';
import type { OwnValues } from '../../analysis/period-totals.ts';
import type { DayRange } from '../../apis/bda/days.ts';
import { namesOf, withDays, withQueryFields } from '../../apis/bda-v2/query.ts';
import { fetchRows } from '../../apis/bda-v2/query-rows.ts';
import type { BdaV2Site } from '../../apis/bda-v2/requests.ts';
import { GatectlError, InterruptedError } from '../../errors/index.ts';
import type { Sender } from '../../http/sender.ts';
import { isList, isRecord, type Json, type JsonRecord, stringifyJson } from '../../json/index.ts';
import { sentence } from '../../output/sentence.ts';
import { QUERY_LIMIT_MAX } from '../../wire/bda-v2.ts';
import { DAY_COLUMN } from '../rows/missing-days.ts';
import type { RowsByDay } from '../rows/requested-rows.ts';

/**
 * The gateway's own values of the metrics of a query over some days: the query without dimensions. A failure is a reason, because the
 * rows are already there.
 */
export async function periodValues(
  query: JsonRecord,
  days: DayRange,
  sender: Sender,
  site: BdaV2Site,
): Promise<OwnValues> {
  if (selectsByFigures(query)) return { reason: SELECTED_BY_FIGURES };
  const { dimensions: _, sort: __, limit: ___, offset: ____, ...rest } = query;
  try {
    const { rows } = await fetchRows(sender, site, withDays(rest, days));
    const [values] = rows;
    if (values === undefined) return { reason: sentence`the gateway gave none for ${days}` };
    return rows.length === 1 ? { values } : { reason: 'the gateway gave several rows for the period' };
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return { reason: `the gateway gave no total: ${error.message}` };
  }
}

/** What was requested of each gateway, which a report has in several sections. */
const requested = new WeakMap<Sender, Map<string, Promise<RowsByDay>>>();

/** The metrics of a query by day, requested once; a failure is a reason, as of `periodValues`. */
export function valuesByDay(
  query: JsonRecord,
  days: DayRange,
  sender: Sender,
  site: BdaV2Site,
): Promise<RowsByDay> {
  const { sort: _, limit: __, offset: ___, ...rest } = query;
  const byDay = withDays(withQueryFields(rest, new Map([['dimensions', [DAY_COLUMN]]])), days);
  const known = requested.get(sender) ?? new Map<string, Promise<RowsByDay>>();
  requested.set(sender, known);
  const key = stringifyJson(byDay);
  const found = known.get(key) ?? rowsByDay({ ...byDay, limit: QUERY_LIMIT_MAX }, sender, site);
  known.set(key, found);
  return found;
}

async function rowsByDay(query: JsonRecord, sender: Sender, site: BdaV2Site): Promise<RowsByDay> {
  try {
    const { rows, total = rows.length } = await fetchRows(sender, site, query);
    return total > rows.length ? { reason: 'the gateway sent only some of the days' } : { rows };
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return { reason: error.message };
  }
}

/**
 * Whether filters may apply to figures: without dimensions, they would apply to the total, and with them they drop days and sites. Only
 * texts are surely dimensions.
 */
export function selectsByFigures({ filters, metrics }: JsonRecord): boolean {
  const figures = new Set(namesOf(metrics));
  const isSafe = (filter: Json): boolean => {
    if (!isRecord(filter)) return false;
    const { any_of: group, column, value, values } = filter;
    if (isList(group)) return group.every(isSafe);
    if (typeof column !== 'string' || figures.has(column) || knownMetricKind(column) !== undefined)
      return false;
    return (isList(values) ? values : [value]).every(each => typeof each === 'string');
  };
  if (filters === undefined || filters === null) return false;
  return !isList(filters) || !filters.every(isSafe);
}
