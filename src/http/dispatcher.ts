import { setFlagsFromString } from 'node:v8';
import { type Connections, DirectConnections } from './direct-connections.ts';
import type { ProxySettings } from './proxy.ts';

/** How hosts are reached. */
export interface Network {
  /** PEM text of a further authority to trust. */
  readonly ca?: string;
  /** Proxy settings by their environment names; leave out to connect directly. */
  readonly proxy?: ProxySettings;
  /** Connects to this machine only, whatever its names resolve to. */
  readonly loopbackOnly?: boolean;
}

export interface DispatcherOptions extends Network {
  /** Milliseconds for name look-up, connection and TLS. */
  readonly connectTimeoutMs: number;
  /** Whether TLS will be needed. */
  readonly secure: boolean;
}

/** Makes the connections over which every request of this process goes. */
export async function openDispatcher(options: DispatcherOptions): Promise<Connections> {
  // Before V8's flags change: while they differ, V8 takes none of the compiled code that Node brings with its own modules.
  if (options.secure) await import('node:tls');
  const tls = options.ca === undefined ? {} : { ca: [...(await rootCertificates()), options.ca] };
  const connect = {
    timeout: options.connectTimeoutMs,
    ...tls,
    ...(options.loopbackOnly && { lookup: (await import('./loopback-lookup.ts')).loopbackLookup }),
  };
  if (options.proxy === undefined) {
    simplifyParser();
    return new DirectConnections(connect, parserIsCompiled);
  }
  const { openProxyDispatcher } = await import('./proxy-dispatcher.ts');
  simplifyParser();
  return openProxyDispatcher(options.proxy, connect, tls, parserIsCompiled);
}

/** Whether V8's flags are set as the compilation of undici's parser wants them. */
let isSimplifying = false;

/**
 * V8 would otherwise optimise undici's WebAssembly parser in the background and hold up the exit of a short command. With the first
 * connection all of the parser is compiled, and the flags have done their work.
 */
function simplifyParser(): void {
  setFlagsFromString('--liftoff-only --no-wasm-lazy-compilation');
  isSimplifying = true;
}

/** Other WebAssembly is to be optimised: what the first flag implied is taken back too, which Node 20 would leave behind. */
function parserIsCompiled(): void {
  if (isSimplifying)
    setFlagsFromString('--no-liftoff-only --wasm-lazy-compilation --wasm-tier-up --wasm-dynamic-tiering');
  isSimplifying = false;
}

async function rootCertificates(): Promise<readonly string[]> {
  const { rootCertificates: known } = await import('node:tls');
  return known;
}
