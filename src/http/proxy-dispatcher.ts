import type { Dispatcher } from 'undici';
import connectMethod from 'undici/lib/api/api-connect.js';
import DispatcherBase from 'undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { ProxySettings } from './proxy.ts';

// What undici's index would do: tunnels are made with it.
Object.assign(DispatcherBase.prototype, { connect: connectMethod });

/**
 * Makes the dispatcher that goes through proxies. `tls` are the authorities, for server and proxy alike; `onConnect` is called for
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
