import { setFlagsFromString } from 'node:v8';
import { type Connections, DirectConnections } from './direct-connections.ts';
import type { ProxySettings } from './proxy.ts';

/** How to connect to hosts. */
export interface Network {
  /** The User-Agent of each request that sets none. */
  readonly userAgent: string;
  /** PEM text of an additional certificate authority to trust. */
  readonly ca?: string;
  /** Proxy settings; omit them to connect directly. */
  readonly proxy?: ProxySettings;
  /** Rejects names that resolve to other machines. */
  readonly loopbackOnly?: boolean;
  /** Changes V8's flags during the first connection, for a process that ends soon. */
  readonly compilesQuickly?: boolean;
}

interface DispatcherOptions extends Omit<Network, 'userAgent'> {
  /** Milliseconds for DNS, connection and TLS. */
  readonly connectTimeoutMs: number;
  /** Whether TLS is needed. */
  readonly secure: boolean;
}

/** Opens the connections that all requests of this process use. */
export async function openDispatcher(options: DispatcherOptions): Promise<Connections> {
  // Before V8's flags change: while they differ, V8 rejects the compiled code that ships with Node's own modules.
  if (options.secure) await import('node:tls');
  const tls = options.ca === undefined ? {} : { ca: [...(await rootCertificates()), options.ca] };
  const connect = {
    timeout: options.connectTimeoutMs,
    ...tls,
    ...(options.loopbackOnly && { lookup: (await import('./loopback-lookup.ts')).loopbackLookup }),
  };
  if (options.proxy === undefined) {
    if (options.compilesQuickly) simplifyParser();
    return new DirectConnections(connect, parserIsCompiled);
  }
  const { openProxyDispatcher } = await import('./proxy-dispatcher.ts');
  if (options.compilesQuickly) simplifyParser();
  return openProxyDispatcher(options.proxy, connect, tls, parserIsCompiled);
}

/** Whether V8's flags are set for compiling undici's parser. */
let isSimplifying = false;

/**
 * Without these flags, V8 optimizes undici's WebAssembly parser in the background, which delays the exit of a short command. The
 * first connection compiles the parser; then the flags are reset.
 */
function simplifyParser(): void {
  setFlagsFromString('--liftoff-only --no-wasm-lazy-compilation');
  isSimplifying = true;
}

/** Restores optimization for other WebAssembly, including an implied flag that Node 20 would leave set. */
function parserIsCompiled(): void {
  if (isSimplifying)
    setFlagsFromString('--no-liftoff-only --wasm-lazy-compilation --wasm-tier-up --wasm-dynamic-tiering');
  isSimplifying = false;
}

async function rootCertificates(): Promise<readonly string[]> {
  const { rootCertificates: known } = await import('node:tls');
  return known;
}
