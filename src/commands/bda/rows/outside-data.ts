import type { DayRange } from '../../../apis/bda/days.ts';
import { GatectlError, InterruptedError } from '../../../errors/index.ts';
import type { Context } from '../../framework/context.ts';
import type { RowsQuery } from './rows-output.ts';

/** Warns if there are no rows because the requested days have no data, and returns whether that is so. */
export async function warnOutsideData(question: RowsQuery | undefined, context: Context): Promise<boolean> {
  const { days } = question ?? {};
  if (question === undefined || days === undefined) return false;
  const data = await dataDaysOf(question);
  if (data === undefined || (days.from <= data.to && days.to >= data.from)) return false;
  const requested = days.from === days.to ? days.from : `${days.from} to ${days.to}`;
  context.log.warn(`no rows: data is available from ${data.from} to ${data.to}, and not for ${requested}`);
  return true;
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
