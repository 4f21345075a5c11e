import { requireValid } from '../../../config/resolve.ts';
import { checkDomain } from '../../../config/values.ts';
import { UsageError } from '../../../errors/index.ts';
import { newJournal } from '../../../operations/purge/journal-folders.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';
import { bareDomain } from './bare-domain.ts';
import { isUnsent, type PurgeFlags } from './flags.ts';
import { type PlannedRun, PrintedPurge } from './purge-run.ts';

/**
 * Purges everything of a domain, after a confirmation. `plan`, if given, returns what the purge is part of. Throws UsageError for more than
 * a bare domain: it is not shortened here.
 */
export async function purgeDomain(
  flags: PurgeFlags,
  context: Context,
  plan?: (run: () => PrintedPurge) => PlannedRun,
): Promise<void> {
  if (flags.domain !== undefined) requireValid(checkDomain(flags.domain), `the domain ${flags.domain}`);
  const domain = await bareDomain(flags.domain, context);
  const journal = await newJournal(lockMachine(context), text => context.log.note(text));
  const planned = plan?.(() => run);
  const parts = { domain, what: 'everything', isResumed: false, ...(planned && { planned }) } as const;
  const run: PrintedPurge = new PrintedPurge(journal, flags, context, parts);
  await run.execute(async () => {
    journal.add(domain);
    await journal.endList(false);
    await run.checkImpact();
    if (!isUnsent(flags, context)) await confirm(flags, domain, context);
    return true;
  });
}

/** Throws UsageError unless the domain was typed at the prompt, or confirmed by a flag. */
async function confirm(flags: PurgeFlags, domain: string, context: Context): Promise<void> {
  const { protected: isProtected, profile } = await context.settings();
  if (flags.confirm !== undefined && flags.confirm !== domain) {
    throw new UsageError(`--confirm is ${flags.confirm}, but the domain is ${domain}`, {
      code: 'confirmation_required',
      hints: ['nothing was purged'],
    });
  }
  if (flags.confirm === domain) return;
  if (isProtected.value) {
    throw new UsageError(`the profile ${profile.value ?? ''} is protected`, {
      code: 'confirmation_required',
      hints: [`to purge all of ${domain}, add --confirm ${domain}`],
    });
  }
  if (flags.yes) return;
  const { prompt } = context;
  if (prompt === undefined) {
    throw new UsageError(`purging all of ${domain} requires confirmation`, {
      code: 'confirmation_required',
      hints: ['add --yes'],
    });
  }
  context.log.note(
    `this empties the cache of ${domain}: every page is fetched from the origin again, which may be slow for a while`,
  );
  const typed = await prompt.input(`Type ${domain} to continue:`);
  if (typed.trim() !== domain)
    throw new UsageError('the domain does not match: nothing was purged', { code: 'confirmation_required' });
}
