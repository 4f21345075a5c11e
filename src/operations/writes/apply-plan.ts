import { join } from 'node:path';
import { checkDomain } from '../../config/values.ts';
import { UsageError } from '../../errors/index.ts';
import { makePrivateFolder } from '../../files/folders.ts';
import { withLock } from '../../files/lock.ts';
import type { Json } from '../../json/index.ts';
import { checkedKeys, checkedUrls } from '../purge/check-targets.ts';
import { type Impact, impactVerdict } from '../purge/impact.ts';
import { type CheckedTargets, purgeTargets, type TargetWork } from '../purge/purge-targets.ts';
import type { PurgeTally } from '../purge/tally.ts';
import { isValidAt, type Plan, type PlannedPurge, type PlannedRequest } from './plan.ts';
import type { WriteGovernor } from './write-governor.ts';
import { assertUnchanged, readWriteLog, writeLogFolder } from './write-log.ts';

/** What applying a plan takes. */
interface PlanWork extends TargetWork {
  readonly writes: WriteGovernor;
  /** The public key of whoever applies it, if they have one: their own approval does not count. */
  readonly ownKey: string | undefined;
  /** As plans name it. */
  readonly gatewayName: string;
  /** The folder of plans. */
  readonly folder: string;
  readonly impact: (purge: CheckedTargets) => Promise<Impact>;
  readonly request: (request: PlannedRequest) => Promise<Json>;
}

/** What became of a plan. */
export type Applied =
  | { readonly kind: 'purge'; readonly purge: CheckedTargets; readonly tally: PurgeTally }
  | { readonly kind: 'request'; readonly response: Json };

/**
 * Does what a plan says, once: under a lock, and only if the log has not that it was done. A purge that was interrupted, or cleared nothing, can be applied
 * again; what
 * cannot be undone cannot. Throws UsageError `denied` for a plan that must not be applied, before anything is sent, and what its requests
 * throw.
 */
export async function applyPlan(plan: Plan, work: PlanWork): Promise<Applied> {
  const { machine, folder, writes } = work;
  await makePrivateFolder(folder);
  return await withLock(join(folder, plan.hash), { machine, wait: 0 }, async () => {
    await assertApplicable(plan, work);
    const { hash, approvals, by, write } = plan;
    const others = approvals.filter(({ key }) => key !== work.ownKey);
    const applied = await writes.applying(
      { hash, author: by.key, approvals: new Set(others.map(({ key }) => key)) },
      async (): Promise<Applied> =>
        write.kind === 'request'
          ? { kind: 'request', response: await work.request(write) }
          : await purged(write, work),
    );
    // What cleared nothing can be tried again.
    const isDone = applied.kind === 'request' || applied.tally.counts.cleared > 0;
    if (isDone) await (await writes.log())?.applied(hash);
    return applied;
  });
}

async function assertApplicable(plan: Plan, { machine, gatewayName }: PlanWork): Promise<void> {
  const denied = (message: string) => new UsageError(`${message}; nothing was sent`, { code: 'denied' });
  if (plan.gateway !== gatewayName) throw denied(`the plan is for the gateway ${plan.gateway}`);
  if (!isValidAt(plan, machine.now()))
    throw denied(`the plan is valid from ${plan.created} to ${plan.expires} only`);
  const folder = writeLogFolder(machine);
  if (folder === undefined) throw denied('there is no folder for the log, without which no plan is applied');
  const { applied, writes } = assertUnchanged(await readWriteLog(folder));
  if (applied.has(plan.hash)) throw denied('the plan was already applied');
  const begun = writes.some(({ record }) => record.plan === plan.hash);
  const { write } = plan;
  if (begun && (write.kind === 'request' || write.what === 'everything'))
    throw denied('the plan was started before, and cannot be undone');
}

async function purged(write: PlannedPurge, work: PlanWork): Promise<Applied> {
  const purge = await checkedPurge(write);
  const { maxImpact } = write;
  if (
    maxImpact !== undefined &&
    impactVerdict(await work.impact(purge), maxImpact.replace('%', '')) !== 'passes'
  )
    throw new UsageError(
      `the pages have more than ${maxImpact} of the page views now, or this is not known; nothing was sent`,
      { code: 'impact_exceeded' },
    );
  return { kind: 'purge', purge, tally: await purgeTargets(purge, work) };
}

/** The targets, checked as if they had been typed: anybody can write a plan. Throws UsageError. */
async function checkedPurge(write: PlannedPurge): Promise<CheckedTargets> {
  const { what, targets, keys, domain } = write;
  if (domain !== undefined && !('value' in checkDomain(domain))) throw invalidPlan();
  const checked = { domain, keys: await checkedKeys(keys) };
  switch (what) {
    case 'URL':
      return { ...checked, what, targets: await checkedUrls(targets, domain) };
    case 'key':
      return { ...checked, what, targets: await checkedKeys(targets) };
    case 'everything':
      if (domain === undefined || targets.length !== 1 || targets[0] !== domain) throw invalidPlan();
      return { ...checked, what, targets: [domain] };
  }
}

function invalidPlan(): UsageError {
  return new UsageError('the plan has no targets; nothing was sent', { code: 'denied' });
}
