import { rootCertificates } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import type { Dispatcher } from 'undici';
// undici's parts by their own files: its index loads four times as much as a request needs.
import connectMethod from 'undici/lib/api/api-connect.js';
import requestMethod from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import DispatcherBase from 'undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import type { ProxySettings } from './proxy.ts';

// What undici's index would do for all of its methods; proxies need `connect`.
Object.assign(DispatcherBase.prototype, { request: requestMethod, connect: connectMethod });

export interface DispatcherOptions {
  /** Milliseconds for name look-up, connection and TLS. */
  readonly connectTimeoutMs: number;
  /** PEM text of a further authority to trust. */
  readonly ca?: string;
  /** Proxy settings by their environment names; leave out to connect directly. */
  readonly proxy?: ProxySettings;
}

/** Makes the dispatcher through which every request of this process goes. */
export function openDispatcher(options: DispatcherOptions): Dispatcher {
  // V8 would otherwise optimise undici's WebAssembly parser in the background and hold up the exit of a short command.
  setFlagsFromString('--liftoff-only');
  const tls = options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] };
  const connect = { timeout: options.connectTimeoutMs, ...tls };
  if (options.proxy === undefined) return new Agent({ connect });
  return new EnvHttpProxyAgent({
    connect,
    requestTls: tls,
    proxyTls: tls,
    httpProxy: options.proxy.http ?? '',
    httpsProxy: options.proxy.https ?? '',
    noProxy: options.proxy.none ?? '',
  });
}
