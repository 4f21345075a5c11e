import { cannotCombine } from '../../errors/usage.ts';
import { isThere } from '../../files/if-there.ts';
import type { PurgeEvent } from '../../operations/purge/purge.ts';
import { type Applied, applyPlan } from '../../operations/writes/apply-plan.ts';
import { readApprovalKey } from '../../operations/writes/approval.ts';
import { type Plan, readPlan } from '../../operations/writes/plan.ts';
import type { Progress } from '../../terminal/progress.ts';
import type { Context } from './context.ts';
import { gatewayName } from './lock-machine.ts';
import { approvalKeyPath, planFolder, storedPlanPath } from './make-plan.ts';
import { purgeOwner, purgeWork } from './purge-work.ts';
import { rawRequest } from './raw-request.ts';

/** The path of a plan: a file, or the id of one that MCP made on this machine. */
export async function planPath(given: string, context: Context): Promise<string> {
  if (!/^[\w-]{16}$/.test(given) || (await isThere(given))) return given;
  const stored = storedPlanPath(given, context);
  return (await isThere(stored)) ? stored : given;
}

/** Applies the plan of a file or an id, and shows its progress. Throws what `applyPlan` and `readPlan` throw. */
export async function appliedPlan(
  given: string,
  context: Context,
): Promise<Applied & { readonly plan: Plan }> {
  const plan = await readPlan(await planPath(given, context));
  if (context.globals.curl) throw cannotCombine('--curl and a plan');
  const own = await readApprovalKey(approvalKeyPath(context));
  const applied = await applyPlan(plan, {
    ownKey: own?.key,
    ...purgeWork(context),
    report: progressOf(context),
    note: text => context.log.note(text),
    isResumable: false,
    owner: salt => purgeOwner(undefined, salt, context),
    writes: await context.writes(),
    gatewayName: await gatewayName(context),
    folder: planFolder(context),
    impact: async ({ what, domain, targets, keys }) => {
      const { measuredImpact } = await import('../../operations/purge/site-traffic.ts');
      const urls = async function* () {
        yield targets.map(url => ({ url }));
      };
      return await measuredImpact(
        { domain, urls: what === 'everything' ? undefined : urls, keys: keys.length },
        context,
      );
    },
    request: async planned => {
      const { request } = await rawRequest({ ...planned, readerHeaders: {} }, context);
      return (await (await context.gateway()).send(request)).body;
    },
  });
  return { ...applied, plan };
}

/** Shows the progress of a purge. */
function progressOf({ log }: Context): (event: PurgeEvent) => void {
  let progress: Progress | undefined;
  return event => {
    if (event.kind === 'sending' && event.what !== 'everything')
      progress = log.progress(event.count, `${event.what}s`);
    if (event.kind === 'response' && (event.event.cleared || !event.event.split))
      progress?.advance(event.event.batch.targets.length);
    if (event.kind === 'sent') progress?.finish();
  };
}
