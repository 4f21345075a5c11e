import { checkedBareDomain } from '../../../operations/purge/bare-domain.ts';
import type { Context } from '../../framework/context.ts';

/** The domain to purge, without a subdomain. Throws UsageError. */
export async function bareDomain(flag: string | undefined, context: Context): Promise<string> {
  return await checkedBareDomain(await context.domain(flag));
}
