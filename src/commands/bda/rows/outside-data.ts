import { GatectlError, InterruptedError } from '../../../errors/index.ts';
import type { DayRange } from '../../../families/bda/dates.ts';
import type { Context } from '../../context.ts';
import type { Question } from './delivery.ts';

/** Warns where there are no rows because there is no data of the days asked about, and tells whether it is so. */
export async function warnOutsideData(question: Question | undefined, context: Context): Promise<boolean> {
  const { days } = question ?? {};
  if (question?.dataDays === undefined || days === undefined) return false;
  const data = await told(question.dataDays);
  if (data === undefined || (days.from <= data.to && days.to >= data.from)) return false;
  const asked = days.from === days.to ? days.from : `${days.from} to ${days.to}`;
  context.warn(`no rows, because there is data from ${data.from} to ${data.to} alone, and none of ${asked}`);
  return true;
}

/** The rows are here already: a refusal of this question is nobody's trouble. */
async function told(dataDays: () => Promise<DayRange | undefined>): Promise<DayRange | undefined> {
  try {
    return await dataDays();
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return undefined;
  }
}
