import type { Dispatcher } from 'undici';
import connectMethod from 'undici/lib/api/api-connect.js';
import DispatcherBase from 'undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { ProxySettings } from './proxy.ts';

// undici's index does this; tunnels require it.
Object.assign(DispatcherBase.prototype, { connect: connectMethod });

/**
 * Creates the dispatcher for proxies. `tls` has the certificate authorities for both server and proxy; `onConnect` is called for
 * every connection to a server.
 */
export function openProxyDispatcher(
  proxy: ProxySettings,
  connect: { readonly timeout: number; readonly ca?: string[] },
  tls: { readonly ca?: string[] },
  onConnect: () => void,
): Dispatcher {
  return new EnvHttpProxyAgent({
    connect,
    factory: (origin: string, options: Pool.Options) => new Pool(origin, options).on('connect', onConnect),
    requestTls: tls,
    proxyTls: tls,
    httpProxy: proxy.http ?? '',
    httpsProxy: proxy.https ?? '',
    noProxy: proxy.none ?? '',
  });
}
