import { knownMetricKind, SELECTED_BY_FIGURES } from '../../analysis/metric-kinds.ts';
import type { OwnValues } from '../../analysis/period-totals.ts';
import type { DayRange } from '../../apis/bda/days.ts';
import { namesOf, withDays } from '../../apis/bda-v2/query.ts';
import { fetchRows } from '../../apis/bda-v2/query-rows.ts';
import type { BdaV2Site } from '../../apis/bda-v2/requests.ts';
import { GatectlError, InterruptedError } from '../../errors/index.ts';
import type { Sender } from '../../http/sender.ts';
import { isList, isRecord, type Json, type JsonRecord } from '../../json/index.ts';
import { sentence } from '../../output/sentence.ts';

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
