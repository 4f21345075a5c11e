import { join } from 'node:path';
import type { PurgeOwner } from '../../apis/cdn/journal.ts';
import { PurgedTargets, type RecordedTargets } from '../../apis/cdn/purged-targets.ts';
import { stateFolder } from '../../config/platform.ts';
import { FileError, LockedError } from '../../errors/index.ts';
import type { PurgeWork } from '../../operations/purge/purge.ts';
import type { PurgeFacts } from '../../operations/purge/purge-counts.ts';
import { cdnSite, errorTextWarnings } from './cdn-site.ts';
import type { Context } from './context.ts';
import { lockMachine } from './lock-machine.ts';

/** What a purge takes, from the context of a command; its events are left to the caller. */
export function purgeWork(context: Context): Omit<PurgeWork, 'report'> {
  return {
    clock: context.clock,
    signal: context.signal,
    machine: lockMachine(context),
    gateway: () => context.gateway(),
    site: () => cdnSite(context),
    onErrorText: errorTextWarnings(context),
    weigh: async purge =>
      await (await context.writes()).weigh(purge, async () => {
        const { measuredImpact } = await import('../../operations/purge/site-traffic.ts');
        return await measuredImpact(purge, context);
      }),
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

/** The targets of the last purges; undefined where there is no folder for them. */
export function purgedTargets({ io }: Pick<Context, 'io'>): PurgedTargets | undefined {
  const folder = stateFolder(io);
  return folder === undefined ? undefined : new PurgedTargets(join(folder, 'purged-targets'));
}

/** Stores a purge and returns its id. A failure is a warning, because the purge itself is done; it returns undefined then. */
async function recordPurge(
  purge: PurgeFacts,
  targets: RecordedTargets,
  context: Context,
): Promise<string | undefined> {
  try {
    const redact = (text: string) => context.redactor.redact(text);
    const id = await purgedTargets(context)?.add(purge.startedAt, targets, redact);
    const log = await (await context.writes()).log();
    if (id !== undefined) await log?.purged(id, purge);
    return id;
  } catch (error) {
    if (!(error instanceof FileError || error instanceof LockedError)) throw error;
    context.log.warn(`the purge is not in the history: ${error.message}`);
    return undefined;
  }
}
