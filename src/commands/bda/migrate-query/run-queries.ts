import { fetchRows } from '../../../apis/bda-v2/fetch-rows.ts';
import { columnsOf, namesOf } from '../../../apis/bda-v2/query.ts';
import { queryRows } from '../../../apis/bda-v2/query-rows.ts';
import { UsageError } from '../../../errors/index.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { type MigratedQuery, queryRecord } from '../../../migrate/index.ts';
import type { Column } from '../../../output/view.ts';
import { shellQuote } from '../../../terminal/shell-words.ts';
import { QUERY_LIMIT_DEFAULT } from '../../../wire/bda-v2.ts';
import type { Context } from '../../framework/context.ts';
import { writeRows } from '../rows/write-rows.ts';
import { bdaV2Site } from '../site.ts';
import type { MigrateFlags } from './flags.ts';

/** The column that tells whose rows they are, where several queries are run. */
const LABEL = 'query';

/** Asks v2, and brings the rows to where `bda query` would; those of several queries stand under each other, labelled. */
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
      flags: { out: flags.out, resume: false, autoResume: true, manifest: false, strict: flags.strict },
      request,
      days,
      // One response is the whole export.
      resumeCommand: '',
      readsStdin: false,
      allBy: 'gatectl bda query',
    },
    context,
  );
}

async function runSeveral(
  queries: readonly MigratedQuery[],
  { out }: Pick<MigrateFlags, 'out'>,
  context: Context,
): Promise<void> {
  if (out !== undefined)
    throw new UsageError(`--out takes the rows of one query, and there are ${queries.length}`, {
      hints: queries.map(({ label }) => `choose one with --label ${shellQuote(label)}`),
    });
  const [sender, site] = [await context.gateway(), await bdaV2Site(context)];
  const rows: JsonRecord[] = [];
  for (const one of queries) {
    const page = await fetchRows(sender, site, queryRecord(one.query));
    rows.push(...page.rows.map(row => ({ [LABEL]: one.label, ...row })));
  }
  // The queries of one request differ in their filters alone, unless its report has several charts.
  const names = [...new Set(queries.flatMap(one => columnsOf(queryRecord(one.query))))];
  const metrics = new Set(queries.flatMap(({ query }) => query.metrics ?? []));
  const columns = names.map((key): Column => (metrics.has(key) ? { key, kind: 'number' } : { key }));
  await context.out.print(rows, { columns: [{ key: LABEL }, ...columns], empty: 'no rows match' });
}
