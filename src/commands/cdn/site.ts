import type { CdnSite } from '../../apis/cdn/requests.ts';
import { CDN_TIMEOUT_S } from '../../config/timeouts.ts';
import type { Context } from '../framework/context.ts';

/** Where the CDN API is, from the settings. */
export async function cdnSite(context: Context): Promise<CdnSite> {
  const { prefixCdn, keyIn, timeout } = await context.settings();
  const seconds = timeout.origin === 'default' ? CDN_TIMEOUT_S : timeout.value;
  return { prefix: prefixCdn.value, keyIn: keyIn.value, timeoutMs: seconds * 1000 };
}
