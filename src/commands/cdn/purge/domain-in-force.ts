import type { Context } from '../../framework/context.ts';
import type { PurgeFlags } from './flags.ts';

/** The one domain that URLs may be on; undefined where none is set. */
export async function domainInForce(
  { domain }: Pick<PurgeFlags, 'domain'>,
  context: Context,
): Promise<string | undefined> {
  return domain ?? (await context.settings()).domain.value;
}
