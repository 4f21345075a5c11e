import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect, rootCertificates, type TLSSocket } from 'node:tls';
import { networkFailure, TimeoutReached } from './network-errors.ts';
import type { ProxySettings } from './proxy.ts';
import { proxyFor } from './proxy-for.ts';

/** The TLS connection and certificate of a server. */
interface Certificate {
  /** `TLSv1.3`. */
  readonly protocol: string;
  /** The common name of the authority that signed it. */
  readonly issuer: string;
  /** Milliseconds since the epoch. */
  readonly validTo: number;
}

interface ConnectivityProbeOptions {
  readonly proxy: ProxySettings | undefined;
  /** PEM text of an additional certificate authority to trust. */
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

/** The steps of a connection to a gateway, each tested separately. Sends no request and no key. */
export class ConnectivityProbe {
  readonly proxy: ProxySettings | undefined;
  readonly #options: ConnectivityProbeOptions;

  constructor(options: ConnectivityProbeOptions) {
    this.proxy = options.proxy;
    this.#options = options;
  }

  /** The proxy for requests to this address, without its password; undefined for a direct connection. */
  proxyFor(url: URL): string | undefined {
    const address = this.proxy === undefined ? undefined : proxyFor(url, this.proxy);
    return address === undefined ? undefined : withoutPassword(address);
  }

  /** The addresses of a host. Throws NetworkError. */
  async lookUp(url: URL): Promise<readonly string[]> {
    const host = bareHost(url);
    if (isIP(host) !== 0) return [host];
    const found = await this.#timed(url, () => lookup(host, { all: true }));
    return found.map(({ address }) => address);
  }

  /** Opens a TLS connection and closes it. Throws NetworkError. */
  async handshake(url: URL): Promise<Certificate> {
    const { ca } = this.#options;
    const host = bareHost(url);
    return await this.#timed(url, async signal => {
      const socket = connect({
        host,
        port: Number(url.port || 443),
        ...(isIP(host) === 0 && { servername: host }),
        ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
      });
      const stop = () => socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
      signal.addEventListener('abort', stop);
      try {
        await new Promise<void>((resolve, reject) => {
          socket.once('secureConnect', resolve);
          socket.on('error', reject);
          socket.once('close', () => reject(signal.reason));
        });
        return shown(socket);
      } finally {
        signal.removeEventListener('abort', stop);
        socket.destroy();
      }
    });
  }

  async #timed<T>(url: URL, step: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal, timeoutMs } = this.#options;
    signal.throwIfAborted();
    const limit = new AbortController();
    const interrupt = () => limit.abort(signal.reason);
    const late = new TimeoutReached(`no result within ${timeoutMs / 1000} s`);
    const timer = setTimeout(() => limit.abort(late), timeoutMs);
    signal.addEventListener('abort', interrupt);
    const over = new Promise<never>((_, reject) => {
      limit.signal.addEventListener('abort', () => reject(limit.signal.reason));
    });
    try {
      return await Promise.race([step(limit.signal), over]);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw networkFailure(error, { method: 'GET', origin: url.origin, path: '/' }).error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
    }
  }
}

function shown(socket: TLSSocket): Certificate {
  const { issuer, valid_to: validTo } = socket.getPeerCertificate();
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    issuer: String(issuer?.O ?? issuer?.CN ?? 'an unnamed authority'),
    validTo: Date.parse(validTo),
  };
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return 'an address that is none';
  const { protocol, host, username } = new URL(address);
  return `${protocol}//${host}${username === '' ? '' : ' (with credentials)'}`;
}
