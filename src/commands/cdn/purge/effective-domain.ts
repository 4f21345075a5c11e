import type { Context } from '../../framework/context.ts';
import type { PurgeFlags } from './flags.ts';

/** The domain to which URLs are restricted: that of `--domain`, or of the settings; undefined if none is set. */
export async function effectiveDomain(
  { domain }: Pick<PurgeFlags, 'domain'>,
  context: Context,
): Promise<string | undefined> {
  return domain ?? (await context.settings()).domain.value;
}
