import type { Network } from '../http/dispatcher.ts';

import { proxySecrets, proxySettings } from '../http/proxy.ts';
import type { Redactor } from '../text/redactor.ts';
import { isLoopbackHost } from './values.ts';

export interface NetworkOptions {
  /** The environment that names the proxies; undefined to ignore proxies. */
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
  /** PEM text of a further authority to trust. */
  readonly ca: string | undefined;
  readonly userAgent: string;
  /** Learns the passwords of proxies. */
  readonly redactor: Redactor;
}

/** The proxies and additional certificate authorities. Throws UsageError for an invalid proxy variable. */
export function networkOf({ env, ca, userAgent, redactor }: NetworkOptions): Network {
  const proxy = env === undefined ? undefined : proxySettings(env);
  if (proxy !== undefined) for (const secret of proxySecrets(proxy)) redactor.add(secret);
  return { userAgent, ...(proxy && { proxy }), ...(ca !== undefined && { ca }) };
}

/**
 * The network for requests with a key. For a loopback base URL it disables proxies and addresses off this machine, unless
 * `insecureHttp` allows them, to protect the key.
 */
export function gatewayNetwork(
  baseUrl: URL,
  { insecureHttp, ...options }: NetworkOptions & { readonly insecureHttp: boolean },
): Network {
  const isLocal = isLoopbackHost(baseUrl.hostname) && !insecureHttp;
  const network = networkOf(options);
  if (!isLocal) return network;
  const { proxy: _, ...without } = network;
  return baseUrl.protocol === 'http:' ? { ...without, loopbackOnly: true } : without;
}
