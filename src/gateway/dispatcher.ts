import { setFlagsFromString } from 'node:v8';
import type { Dispatcher } from 'undici';
// undici's parts by their own files: its index loads four times as much as a request needs.
import Agent from 'undici/lib/dispatcher/agent.js';
import type { ProxySettings } from './proxy.ts';

/** How hosts are reached. */
export interface Network {
  /** PEM text of a further authority to trust. */
  readonly ca?: string;
  /** Proxy settings by their environment names; leave out to connect directly. */
  readonly proxy?: ProxySettings;
}

export interface DispatcherOptions extends Network {
  /** Milliseconds for name look-up, connection and TLS. */
  readonly connectTimeoutMs: number;
  /** Whether TLS will be needed. */
  readonly secure: boolean;
}

/** Makes the dispatcher through which every request of this process goes. */
export async function openDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  // Before V8's flags change: while they differ, V8 takes none of the compiled code that Node brings with its own modules.
  if (options.secure) await import('node:tls');
  const tls = options.ca === undefined ? {} : { ca: [...(await rootCertificates()), options.ca] };
  const connect = { timeout: options.connectTimeoutMs, ...tls };
  if (options.proxy === undefined) return withSimpleParser(new Agent({ connect }));
  const { openProxyDispatcher } = await import('./proxy-dispatcher.ts');
  return withSimpleParser(openProxyDispatcher(options.proxy, connect, tls));
}

/**
 * V8 would otherwise optimise undici's WebAssembly parser in the background and hold up the exit of a short command. With the first
 * connection the parser is compiled, and the flag has done its work.
 */
function withSimpleParser(dispatcher: Dispatcher): Dispatcher {
  setFlagsFromString('--liftoff-only');
  return dispatcher.once('connect', () => {
    setFlagsFromString('--no-liftoff-only');
    // What the flag implied stays behind, and other WebAssembly is to be optimised.
    setFlagsFromString('--wasm-tier-up');
    setFlagsFromString('--wasm-dynamic-tiering');
  });
}

async function rootCertificates(): Promise<readonly string[]> {
  const { rootCertificates: known } = await import('node:tls');
  return known;
}
