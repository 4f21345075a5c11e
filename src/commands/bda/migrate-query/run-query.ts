import { namesOf } from '../../../apis/bda-v2/query.ts';
import { queryRows } from '../../../apis/bda-v2/query-rows.ts';
import { asGatectl, type MigratedQuery, queryRecord } from '../../../migrate/index.ts';
import { bdaV2Site } from '../../../operations/listings/analytics.ts';
import { shellQuote } from '../../../text/shell-words.ts';
import { QUERY_LIMIT_DEFAULT } from '../../../wire/bda-v2.ts';
import type { Context } from '../../framework/context.ts';
import type { MigrateFlags } from '../flags/migrate-flags.ts';
import { writeRows } from '../output/write-rows.ts';

/** Runs a query and writes the rows as `bda query` does. */
export async function runMigratedQuery(
  migrated: MigratedQuery,
  flags: Pick<MigrateFlags, 'out' | 'strict'>,
  context: Context,
): Promise<void> {
  const query = queryRecord(migrated.query);
  const { limit: _, offset: __, ...request } = query;
  const { limit = QUERY_LIMIT_DEFAULT, offset = 0, date_range: days } = migrated.query;
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
        strict: flags.strict,
      },
      request,
      days,
      // A single response cannot be resumed.
      resumeCommand: '',
      readsStdin: false,
      allCommand: await allCommand(migrated, context),
    },
    context,
  );
}

/** The command line that prints all rows of the query. */
async function allCommand({ query }: MigratedQuery, context: Context): Promise<string> {
  const { limit: _, offset: __, ...unlimited } = query;
  const { brand } = await context.settings();
  return [asGatectl(unlimited, brand.value, true), ...context.connectionWords().map(shellQuote)].join(' ');
}
