import { problemsOf, REQUIRED } from '../../../apis/bda-v2/check-query.ts';
import { withQueryFields } from '../../../apis/bda-v2/query.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { checkChartFlags } from '../flags/chart-flags.ts';
import { checkDayFlags } from '../flags/day-flags.ts';
import { readFilterFlags } from '../flags/filter-flags.ts';
import { throwProblems } from '../flags/origins.ts';
import { QUERY_FLAGS, type QueryFlags } from '../flags/query-flags.ts';
import { fieldsFromFlags } from '../flags/request-flags.ts';

/**
 * Checks a query that is about to be saved, without a request. Returns whether it sets the days. Flags that it lacks
 * may be given when it runs. Throws UsageError.
 */
export async function checkSavedQuery(
  flags: QueryFlags,
  body: JsonRecord,
  source: string | undefined,
  context: Context,
): Promise<boolean> {
  checkChartFlags(flags);
  await checkDayFlags(flags, context);
  readFilterFlags(flags, context.log);
  const { brand } = await context.settings();
  const { fields, origins } = fieldsFromFlags('v2', QUERY_FLAGS, flags, brand.value);
  const problems = problemsOf(withQueryFields(body, fields));
  throwProblems(
    problems.filter(({ message }) => message !== REQUIRED),
    origins,
    source,
  );
  const { from, last, this: thisPeriod, previous, month, period } = flags;
  const own = [from, last, thisPeriod, previous, month, period].some(value => value !== undefined);
  return own || body.date_range !== undefined;
}
