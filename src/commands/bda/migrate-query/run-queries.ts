import { columnsOf, namesOf } from '../../../apis/bda-v2/query.ts';
import { queryRows } from '../../../apis/bda-v2/query-rows.ts';
import { PartialError, UsageError } from '../../../errors/index.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { type MigratedQuery, queryRecord } from '../../../migrate/index.ts';
import { bdaV2Site } from '../../../operations/listings/analytics.ts';
import type { Column } from '../../../output/view.ts';
import { shellQuote } from '../../../text/shell-words.ts';
import { QUERY_LIMIT_DEFAULT } from '../../../wire/bda-v2.ts';
import type { Context } from '../../framework/context.ts';
import { writeRows } from '../output/write-rows.ts';
import { fetchAllRows, limitedPlan } from './fetched-rows.ts';
import type { MigrateFlags } from './flags.ts';

/** The column with the label of the query, if there are several. */
const LABEL = 'query';

/** Runs the queries and writes the rows as `bda query` does; rows of several queries are printed one after another, with labels. */
export async function runQueries(
  queries: readonly MigratedQuery[],
  flags: Pick<MigrateFlags, 'out' | 'strict'>,
  context: Context,
): Promise<void> {
  const [only] = queries;
  if (only === undefined) return;
  if (queries.length > 1) return await runSeveral(queries, flags, context);
  const query = queryRecord(only.query);
  const { limit: _, offset: __, ...request } = query;
  const { limit = QUERY_LIMIT_DEFAULT, offset = 0, date_range: days } = only.query;
  await writeRows(
    {
      source: queryRows(await context.gateway(), await bdaV2Site(context), query, { paged: false }),
      plan: { start: offset, pageSize: limit, single: true },
      figures: namesOf(query.metrics),
      flags: {
        out: flags.out,
        resume: false,
        autoResume: true,
        manifest: false,
        units: false,
        strict: flags.strict,
      },
      request,
      days,
      // A single response cannot be resumed.
      resumeCommand: '',
      readsStdin: false,
      allCommand: 'gatectl bda query',
    },
    context,
  );
}

async function runSeveral(
  queries: readonly MigratedQuery[],
  { out, strict }: Pick<MigrateFlags, 'out' | 'strict'>,
  context: Context,
): Promise<void> {
  if (out !== undefined)
    throw new UsageError(`--out writes the rows of one query, and there are ${queries.length}`, {
      hints: queries.map(({ label }) => `select one with --label ${shellQuote(label)}`),
    });
  const [sender, site] = [await context.gateway(), await bdaV2Site(context)];
  const rows: JsonRecord[] = [];
  let isIncomplete = false;
  for (const one of queries) {
    const { limit = QUERY_LIMIT_DEFAULT, offset = 0 } = one.query;
    const source = queryRows(sender, site, queryRecord(one.query), { paged: false });
    const page = await fetchAllRows({ source, plan: limitedPlan(offset, limit) }, context);
    for (const flaw of page.flaws) context.log.warn(`${one.label}: ${flaw}`);
    isIncomplete ||= page.flaws.length > 0;
    rows.push(...page.rows.map(row => ({ [LABEL]: one.label, ...row })));
  }
  // Queries of several charts have different columns.
  const names = [...new Set(queries.flatMap(one => columnsOf(queryRecord(one.query))))];
  const metrics = new Set(queries.flatMap(({ query }) => query.metrics ?? []));
  const columns = names.map((key): Column => (metrics.has(key) ? { key, kind: 'number' } : { key }));
  await context.out.print(rows, { columns: [{ key: LABEL }, ...columns], empty: 'no rows match' });
  if (isIncomplete && strict)
    throw new PartialError('the rows are not complete (--strict)', { code: 'rows_incomplete' });
}
