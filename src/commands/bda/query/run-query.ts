import { type JsonRecord, stringifyJson } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { checkChartFlags } from '../rows/chart-flags.ts';
import { checkRowFlags } from '../rows/row-flags.ts';
import { checkSites } from '../rows/sites.ts';
import { checkedQuery } from './checked-query.ts';
import type { QueryFlags } from './query-flags.ts';

/** A query to run. */
interface GivenQuery {
  readonly flags: QueryFlags & { readonly print: boolean };
  /** Reads the query as API JSON, which the flags override. */
  readonly readBody: () => Promise<JsonRecord>;
  /** The source of that JSON, as messages name it. */
  readonly source: string | undefined;
  readonly isStdin: boolean;
}

/** Queries rows and writes them to the output that the flags select. Throws UsageError, ApiError and FileError. */
export async function runQuery(
  { flags, readBody, source, isStdin }: GivenQuery,
  context: Context,
): Promise<void> {
  checkRowFlags(flags);
  checkChartFlags(flags);
  const body = await readBody();
  const maySend = !flags.print && !context.globals.curl;
  const checked = await checkedQuery(flags, body, context, { source, isStdin, maySend });
  checkSites(checked.sites, flags);
  if (flags.print) return await context.out.printText(stringifyJson(checked.first, 2));
  try {
    const output = await checked.output();
    // The export engine is large, and only a query that is sent needs it.
    const { writeRows } = await import('../rows/write-rows.ts');
    await writeRows(output, context);
  } catch (error) {
    throw await checked.withFlags(error);
  }
}
