import type { DayRange } from '../../../apis/bda/days.ts';
import { GatectlError, InterruptedError } from '../../../errors/index.ts';
import type { Context } from '../../framework/context.ts';
import type { RowsQuery } from './rows-output.ts';

/** Warns where there are no rows because there is no data of the days asked about, and tells whether it is so. */
export async function warnOutsideData(question: RowsQuery | undefined, context: Context): Promise<boolean> {
  const { days } = question ?? {};
  if (question === undefined || days === undefined) return false;
  const data = await dataDaysOf(question);
  if (data === undefined || (days.from <= data.to && days.to >= data.from)) return false;
  const asked = days.from === days.to ? days.from : `${days.from} to ${days.to}`;
  context.log.warn(
    `no rows, because there is data from ${data.from} to ${data.to} alone, and none of ${asked}`,
  );
  return true;
}

/** The days that have data; undefined where the API does not say. The rows are here already, so a failure is none of the command. */
export async function dataDaysOf({ dataDays }: RowsQuery): Promise<DayRange | undefined> {
  try {
    return await dataDays?.();
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return undefined;
  }
}
