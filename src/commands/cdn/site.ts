import type { CdnSite } from '../../apis/cdn/requests.ts';
import type { Context } from '../framework/context.ts';

/** A purge of a whole domain takes long: without a setting, a CDN call may take twice the usual time. */
const DEFAULT_TIMEOUT_S = 60;

/** The CDN API as the settings have it. */
export async function cdnSite(context: Context): Promise<CdnSite> {
  const { prefixCdn, keyIn, timeout } = await context.settings();
  const seconds = timeout.origin === 'default' ? DEFAULT_TIMEOUT_S : timeout.value;
  return { prefix: prefixCdn.value, keyIn: keyIn.value, timeoutMs: seconds * 1000 };
}
