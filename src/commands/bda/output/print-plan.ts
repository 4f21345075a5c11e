import { columnsOf } from '../../../apis/bda-v2/query.ts';
import { PartialError } from '../../../errors/index.ts';
import type { Json, JsonRecord } from '../../../json/index.ts';
import { queryRecord, type RowPlan } from '../../../migrate/index.ts';
import { bdaV2Site } from '../../../operations/listings/analytics.ts';
import { fetchPart, queryFetcher } from '../../../operations/migrate/fetch-rows.ts';
import { NO_ROWS } from '../../../output/row-scope.ts';
import type { Column } from '../../../output/view.ts';
import type { Context } from '../../framework/context.ts';
import { rowWork } from './row-work.ts';

/** The column with the label of the query. */
const LABEL = 'query';

/**
 * Runs a plan and prints its rows, each with the label of its query; those of several parts one after another. Throws PartialError with
 * `strict` if rows are missing.
 */
export async function printPlan(
  parts: readonly RowPlan[],
  { strict }: { readonly strict: boolean },
  context: Context,
): Promise<void> {
  const fetchQuery = queryFetcher(await context.gateway(), await bdaV2Site(context), await rowWork(context));
  const rows: Json[] = [];
  let isIncomplete = false;
  for (const part of parts) {
    const found = await fetchPart(part, fetchQuery);
    for (const { query, flaw } of found.flaws) context.log.warn(`${query.label}: ${flaw}`);
    isIncomplete ||= found.flaws.length > 0;
    rows.push(...found.rows.map(({ query, row }): JsonRecord => ({ [LABEL]: query.label, ...row })));
  }
  await context.out.print(rows, { columns: columnsOfPlan(parts), empty: NO_ROWS });
  if (isIncomplete && strict)
    throw new PartialError('the rows are not complete (--strict)', { code: 'rows_incomplete' });
}

/** Queries of several charts have different columns. */
function columnsOfPlan(parts: readonly RowPlan[]): Column[] {
  const queries = parts.flatMap(part => part.queries.map(({ query }) => query));
  const names = [...new Set(queries.flatMap(query => columnsOf(queryRecord(query))))];
  const metrics = new Set(queries.flatMap(query => query.metrics ?? []));
  const columns = names.map((key): Column => (metrics.has(key) ? { key, kind: 'number' } : { key }));
  return [{ key: LABEL }, ...columns];
}
