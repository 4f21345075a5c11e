import type { Context } from './context.ts';
import { duration, inGroup, outputFile } from './define-command.ts';
import type { PlanFlags } from './make-plan.ts';

const DAY = 86_400_000;

/** The flags of commands whose writes can be planned. */
export const PLAN_FLAGS = inGroup('Plan', {
  planOut: outputFile(
    '--plan-out <file>',
    'write a plan, for others to approve, instead of sending anything',
  ),
  planFor: duration(
    '--plan-for <time>',
    'with --plan-out: time until the plan expires, such as 2h (at most 30d)',
    {
      min: 1000,
      max: 30 * DAY,
      fallback: DAY,
      shownDefault: '24h',
    },
  ),
});

/** From now on the request that changes something becomes a plan, if the flags say so. */
export async function planInstead(flags: PlanFlags, context: Context): Promise<void> {
  if (flags.planOut === undefined) return;
  const { printRequestPlan } = await import('./make-plan.ts');
  (await context.writes()).planInstead(async ({ sent }) => await printRequestPlan(flags, sent, context));
}
