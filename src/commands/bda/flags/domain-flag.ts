import { cannotCombine } from '../../../errors/usage.ts';
import type { Site } from '../../../operations/rows/requested-rows.ts';
import type { Context } from '../../framework/context.ts';
import { list } from '../../framework/define-command.ts';
import { splitNames } from './request-flags.ts';

/** The flag that selects sites by their names. */
export const DOMAIN_FLAG = {
  domain: list('--domain <names>', 'only these sites, comma-separated or repeated', { completes: 'domain' }),
};

interface DomainFlags {
  readonly domain: readonly string[];
  readonly domainId: number | undefined;
}

/** The sites that `--domain` names, as `sitesNamed`. Throws UsageError, also for `--domain` together with `--domain-id`. */
export async function sitesFromFlags(
  { domain, domainId }: DomainFlags,
  api: 'v1' | 'v2',
  context: Context,
  { maySend }: { readonly maySend: boolean },
): Promise<readonly Site[]> {
  const typed = splitNames('--domain', domain) ?? [];
  if (typed.length === 0) return [];
  if (domainId !== undefined) throw cannotCombine('--domain and --domain-id', 'pass one of them');
  const { sitesNamed } = await import('../../../operations/listings/sites.ts');
  return await sitesNamed(typed, api, context, { maySend });
}
