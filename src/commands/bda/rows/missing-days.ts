import { missingText } from '../../../analysis/data-days.ts';
import type { DayRange } from '../../../apis/bda/days.ts';
import { GatectlError, InterruptedError } from '../../../errors/index.ts';
import type { Context } from '../../framework/context.ts';
import type { RowsQuery } from './rows-output.ts';

/**
 * Warns if the requested days have no data, or data for some of them only, and returns which: `data for 3 of the 7 days …`. `rows` is
 * how many were written.
 */
export async function warnMissingDays(
  query: RowsQuery | undefined,
  rows: number | undefined,
  context: Context,
): Promise<string | undefined> {
  const { days } = query ?? {};
  if (query === undefined || days === undefined) return undefined;
  const data = await dataDaysOf(query);
  const missing = data === undefined ? undefined : missingText(days, data);
  if (missing !== undefined) context.log.warn(`${rows === 0 ? 'no rows: ' : ''}there is ${missing}`);
  return missing;
}

/** The days with data; undefined if unknown. A failure is ignored, because the rows are already fetched. */
export async function dataDaysOf({ dataDays }: RowsQuery): Promise<DayRange | undefined> {
  try {
    return await dataDays?.();
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return undefined;
  }
}
