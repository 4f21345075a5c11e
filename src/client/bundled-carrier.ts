import { gatewayNetwork } from '../config/network.ts';
import { UsageError } from '../errors/index.ts';
import { proxyFor } from '../http/proxy-for.ts';
import { fetchCarrier } from './fetch-carrier.ts';
import type { ownCarrier } from './own-carrier.ts';

/**
 * Carries requests with Node's own `fetch`, in place of undici's connections in programs that a bundler makes (see
 * scripts/build/library.js). Throws UsageError for what it cannot do.
 */
export const bundledCarrier: typeof ownCarrier = (settings, redactor, env) => {
  const { proxy, ca } = gatewayNetwork(settings.baseUrl, { ...settings, ca: settings.ca, env, redactor });
  if (ca !== undefined) throw unsupported('ca', 'new Agent({ connect: { ca } })');
  // Then Node's `fetch` uses the same proxies.
  const isUsedByFetch = env?.NODE_USE_ENV_PROXY === '1';
  if (proxy !== undefined && proxyFor(settings.baseUrl, proxy) !== undefined && !isUsedByFetch)
    throw unsupported('a proxy of the environment', 'new EnvHttpProxyAgent()');
  return fetchCarrier(fetch, settings);
};

function unsupported(what: string, dispatcher: string): UsageError {
  return new UsageError(
    `${what} requires the option dispatcher in a bundle, such as undici's ${dispatcher}`,
    {
      code: 'invalid_value',
    },
  );
}
