import { assertSuccess, purgeDomainRequest } from '../../../apis/cdn/requests.ts';
import { requireValid } from '../../../config/resolve.ts';
import { checkDomain } from '../../../config/values.ts';
import { UsageError } from '../../../errors/index.ts';
import { cdnSite, errorTextWarnings } from '../../framework/cdn-site.ts';
import type { Context } from '../../framework/context.ts';
import { bareDomain } from './bare-domain.ts';
import { printDryRun } from './dry-run.ts';
import type { PurgeFlags } from './flags.ts';
import { repeatLater } from './repeat.ts';
import { PurgeResult } from './result.ts';
import type { ImpactOutput } from './traffic/impact.ts';
import type { Warmer } from './traffic/warmer.ts';

/** What a purge of a domain is part of. */
interface DomainPurgeHooks {
  /** Called once it is confirmed, before anything is sent. */
  readonly onStart?: () => Promise<void>;
  /** Called once everything is purged, with the id in the history. */
  readonly onEnd?: (id: string | undefined, result: PurgeResult) => Promise<void>;
}

/** Purges everything of a domain, after a confirmation. Throws UsageError for more than a bare domain: it is not shortened here. */
export async function purgeDomain(
  flags: PurgeFlags,
  context: Context,
  { onStart = async () => {}, onEnd = async () => {} }: DomainPurgeHooks = {},
): Promise<void> {
  if (flags.domain !== undefined) requireValid(checkDomain(flags.domain), `the domain ${flags.domain}`);
  const domain = await bareDomain(flags.domain, context);
  const site = await cdnSite(context);
  const request = purgeDomainRequest(site, domain);
  const impact = await impactOf(domain, flags, context);
  if (flags.dryRun) return await printDryRun([request], context);
  if (!context.globals.curl) await confirm(flags, domain, context);
  const warmer = await warmerOf(domain, flags, context);
  const sender = await context.gateway();
  const startedAt = new Date(context.clock.now()).toISOString();
  await onStart();
  const result = new PurgeResult({ what: 'everything', domain });
  if (impact !== undefined) result.describe(impact.fields, impact.section);
  result.addRequested(1);
  const onErrorText = errorTextWarnings(context);
  const send = async () => {
    result.addRequest();
    assertSuccess(await sender.send(request), onErrorText);
  };
  await send();
  result.addCleared([domain]);
  await repeatLater(flags, context, send);
  const { recordPurge } = await import('./history.ts');
  const id = await recordPurge(
    { startedAt, domain, what: 'everything', ...result.outcome },
    { domain },
    context,
  );
  await onEnd(id, result);
  if (warmer !== undefined) {
    await warmer.warm(warmer.mostViewed);
    result.describe({ warm: warmer.finish() });
  }
  await result.finish(context, flags);
}

async function warmerOf(domain: string, flags: PurgeFlags, context: Context): Promise<Warmer | undefined> {
  if (flags.warm === undefined || context.globals.curl) return undefined;
  const { Warmer } = await import('./traffic/warmer.ts');
  return await Warmer.open(undefined, domain, flags, context);
}

async function impactOf(
  domain: string,
  flags: PurgeFlags,
  context: Context,
): Promise<ImpactOutput | undefined> {
  if (!flags.impact && flags.maxImpact === undefined) return undefined;
  const { checkImpact } = await import('./traffic/impact.ts');
  return await checkImpact({ pages: undefined, keys: 0, domain }, flags, context);
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
