import { assertSuccess, purgeDomainRequest } from '../../../apis/cdn/requests.ts';
import { UsageError } from '../../../errors/index.ts';
import type { Context } from '../../framework/context.ts';
import { cdnSite } from '../site.ts';
import { printDryRun } from './dry-run.ts';
import type { PurgeFlags } from './flags.ts';
import { ownDomain } from './keys.ts';
import { repeatLater } from './repeat.ts';
import { Tally } from './tally.ts';

/** Purges everything of a domain, once it is clear that this is meant. */
export async function purgeDomain(flags: PurgeFlags, context: Context): Promise<void> {
  const domain = await ownDomain(flags.domain, context);
  const site = await cdnSite(context);
  const request = purgeDomainRequest(site, domain);
  if (flags.dryRun) return await printDryRun([request], context);
  if (!context.globals.curl) await makeSure(flags, domain, context);
  const sender = await context.gateway();
  const tally = new Tally();
  tally.requested(1);
  tally.request();
  const send = async () => assertSuccess(await sender.send(request));
  await send();
  tally.succeeded(1);
  await repeatLater(flags, context, send);
  await tally.conclude(context, flags.failedFile);
}

/** Throws UsageError unless a person typed the domain, or a script said that it means it. */
async function makeSure(flags: PurgeFlags, domain: string, context: Context): Promise<void> {
  const { protected: isProtected, profile } = await context.settings();
  if (flags.confirm !== undefined && flags.confirm !== domain) {
    throw new UsageError(`--confirm says ${flags.confirm}, and the domain is ${domain}`, {
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
    throw new UsageError(`purging all of ${domain} wants a confirmation`, {
      code: 'confirmation_required',
      hints: ['add --yes'],
    });
  }
  context.log.note(
    `this empties the whole cache of ${domain}: every page is fetched from the origin anew, which may be slow for a while`,
  );
  const typed = await prompt.input(`Type ${domain} to go on:`);
  if (typed.trim() !== domain)
    throw new UsageError('that is not the domain: nothing was purged', { code: 'confirmation_required' });
}
