import { columnsOf } from '../../../apis/bda-v2/query.ts';
import { cannotCombine } from '../../../errors/usage.ts';
import { type JsonRecord, stringifyJson } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { checkChartFlags } from '../flags/chart-flags.ts';
import { checkedQuery } from '../flags/checked-query.ts';
import { QUERY_FLAGS, type QueryFlags } from '../flags/query-flags.ts';
import { checkRowFlags, hasLimit, resumeCommand, rowCountOf, tableRowsOf } from '../flags/row-flags.ts';

/** A query to run. */
interface GivenQuery {
  readonly flags: QueryFlags & { readonly print: boolean };
  /** Reads the query as API JSON, which the flags override. */
  readonly readBody: () => Promise<JsonRecord>;
  /** The source of that JSON, as messages name it. */
  readonly source: string | undefined;
  readonly isStdin: boolean;
  /** The command that requests all rows, if this one has no `--all`. */
  readonly allCommand?: string;
}

/** Queries rows and writes them to the output that the flags select. Throws UsageError, ApiError and FileError. */
export async function runQuery(
  { flags, readBody, source, isStdin, allCommand }: GivenQuery,
  context: Context,
): Promise<void> {
  checkRowFlags(flags);
  checkChartFlags(flags);
  const body = await readBody();
  const maySend = !flags.print && !context.globals.curl;
  const { all: isPaged, tableRows } = await rowCountOf(flags, hasLimit(body), context);
  const checked = await checkedQuery(flags, body, context, { source, maySend, isPaged, allCommand });
  const { sites, exactDays } = checked;
  if (sites.length > 1 && flags.print)
    throw cannotCombine('--print and several --domain names', 'name one domain at a time');
  const { fields } = context.globals;
  // A comparison and several sites add columns.
  if (fields !== undefined && flags.compare === undefined && sites.length < 2 && !flags.print)
    (await import('../../../output/pick-fields.ts')).checkNames(fields, columnsOf(checked.first));
  if (flags.print) return await context.out.printText(stringifyJson(checked.first, 2));
  try {
    // The export engine is large, and only a query that is sent needs it.
    const { writeRows } = await import('./write-rows.ts');
    const output = {
      ...(await checked.rows()),
      flags,
      tableRows: tableRowsOf(tableRows, sites),
      resumeCommand: resumeCommand(QUERY_FLAGS, exactDays, context),
      readsStdin: isStdin,
      ...(allCommand && { allCommand }),
    };
    await writeRows(output, context);
  } catch (error) {
    throw await checked.withFlags(error);
  }
}
