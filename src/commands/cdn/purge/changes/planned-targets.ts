import { newJournal } from '../../../../operations/purge/journal-folders.ts';
import type { Context } from '../../../framework/context.ts';
import { lockMachine } from '../../../framework/lock-machine.ts';
import { collectUrls } from '../collect-urls.ts';
import type { PurgeFlags } from '../flags.ts';
import { type PlannedRun, PrintedPurge } from '../purge-run.ts';

/** What a map leads to. */
interface PlannedTargets {
  readonly urls: readonly string[];
  readonly keys: readonly string[];
  /** Where they are from, for messages. */
  readonly place: string;
}

/** Purges the URLs and keys that a map leads to. `planned` returns what the purge of `run` does besides. */
export async function purgeTargetsOf(
  { urls, keys, place }: PlannedTargets,
  domain: string,
  flags: PurgeFlags,
  context: Context,
  planned: (run: () => PrintedPurge) => PlannedRun,
): Promise<void> {
  if (keys.length > 0) {
    const { bareDomain } = await import('../bare-domain.ts');
    await bareDomain(domain, context);
  }
  const journal = await newJournal(lockMachine(context), text => context.log.note(text));
  const run: PrintedPurge = new PrintedPurge(journal, flags, context, {
    domain,
    isResumed: false,
    planned: planned(() => run),
  });
  await run.execute(async () => {
    const entries = [urls.map(text => ({ place, text }))];
    if (urls.length > 0) await collectUrls({ ...flags, domain }, journal, context, entries);
    await journal.endList(false);
    await run.checkImpact();
    return true;
  });
}
