import type { PlanOptions } from '../../../sync/plan.ts';
import { planOptions } from '../../../sync/run.ts';
import type { UnitContext } from '../../../sync/unit-record.ts';
import type { Context } from '../../framework/context.ts';
import { machineClock } from '../../framework/lock-machine.ts';
import type { PlanFlags } from './flags.ts';
import { latestDaysOf, lookbackOf, type PreparedSync } from './prepare.ts';
import { refetchDays } from './refetch-days.ts';

/** What units are planned with now, here and for other processes. Throws UsageError and the gateway's typed errors. */
export async function planOf(
  prepared: PreparedSync,
  flags: PlanFlags,
  context: Context,
): Promise<{ readonly options: PlanOptions; readonly unitContext: UnitContext }> {
  const refetch = await refetchDays(flags.refetch, prepared);
  const lookback = await lookbackOf(flags.lookback, prepared, context);
  const latestDays = await latestDaysOf(prepared, lookback, context);
  const options = await planOptions({ ...prepared, lookback, refetch, latestDays });
  const { config, kindOf, today } = prepared;
  const plannedAt = new Date(machineClock(context).now()).toISOString();
  return {
    options,
    unitContext: { destination: config.destination, today, plannedAt, lookback, latestDays, kindOf },
  };
}
