import type { CdnSite } from '../../apis/cdn/requests.ts';
import { CDN_TIMEOUT_S } from '../../config/timeouts.ts';
import type { Context } from './context.ts';

/** Maximum number of different texts to print. */
const MOST_SHOWN = 5;

/** Where the CDN API is, from the settings. */
export async function cdnSite(context: Context): Promise<CdnSite> {
  const { prefixCdn, keyIn, timeout } = await context.settings();
  const seconds = timeout.origin === 'default' ? CDN_TIMEOUT_S : timeout.value;
  return { prefix: prefixCdn.value, keyIn: keyIn.value, timeoutMs: seconds * 1000 };
}

/** Warns of error texts that come with successful responses, of each text once. */
export function errorTextWarnings({ log }: Context): (text: string) => void {
  const seen = new Set<string>();
  return text => {
    if (seen.has(text) || seen.size === MOST_SHOWN) return;
    seen.add(text);
    log.warn(`the API reported success, but also an error: ${text}`);
  };
}
