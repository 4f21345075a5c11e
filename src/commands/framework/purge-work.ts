import type { PurgeOwner } from '../../apis/cdn/journal.ts';
import type { PurgeWork } from '../../operations/purge/purge.ts';
import { cdnSite, errorTextWarnings } from './cdn-site.ts';
import type { Context } from './context.ts';
import { lockMachine } from './lock-machine.ts';
import { recordPurge } from './purge-history.ts';

/** What a purge takes, from the context of a command; its events are left to the caller. */
export function purgeWork(context: Context): Omit<PurgeWork, 'report'> {
  return {
    clock: context.clock,
    signal: context.signal,
    machine: lockMachine(context),
    gateway: () => context.gateway(),
    site: () => cdnSite(context),
    onErrorText: errorTextWarnings(context),
    record: (facts, targets) => recordPurge(facts, targets, context),
  };
}

/** The account that a journal records as the owner of a purge. `salt` is new for each. Throws AuthError without a key. */
export async function purgeOwner(
  domain: string | undefined,
  salt: string,
  context: Context,
): Promise<PurgeOwner> {
  const { baseUrl, profile } = await context.settings();
  return {
    baseUrl: baseUrl.value ?? '',
    ...(profile.value !== undefined && { profile: profile.value }),
    ...(domain !== undefined && { domain }),
    key: { salt, hash: await context.keyHash(salt) },
  };
}
