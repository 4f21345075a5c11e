import { rootCertificates } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import type { Dispatcher } from 'undici';

export interface DispatcherOptions {
  /** Milliseconds for name look-up, connection and TLS. */
  readonly connectTimeoutMs: number;
  /** PEM text of a further authority to trust. */
  readonly ca?: string;
  /** Proxy settings by their environment names; leave out to connect directly. */
  readonly proxy?: ProxySettings;
}

export interface ProxySettings {
  readonly http?: string;
  readonly https?: string;
  readonly none?: string;
}

/** The proxy variables of an environment, lower case first as curl has it; undefined when none is set. */
export function proxySettings(env: Readonly<Record<string, string | undefined>>): ProxySettings | undefined {
  const http = env.http_proxy || env.HTTP_PROXY;
  const https = env.https_proxy || env.HTTPS_PROXY;
  const none = env.no_proxy || env.NO_PROXY;
  if (!http && !https) return undefined;
  return { ...(http && { http }), ...(https && { https }), ...(none && { none }) };
}

/** Loads undici's HTTP/1 client and makes the dispatcher through which every request of this process goes. */
export async function openDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  // V8 would otherwise optimise undici's WebAssembly parser in the background and hold up the exit of a short command.
  setFlagsFromString('--liftoff-only');
  const tls = options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] };
  const connect = { timeout: options.connectTimeoutMs, ...tls };
  const { Agent, EnvHttpProxyAgent } = await import('./undici.ts');
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
