import { request } from 'node:http';
import type { CacheKey } from './cache.ts';

/** A cache in front of the origin that is purged together with the embedded one, such as Varnish. */
export interface Downstream {
  /** Each resolves to the problem, or to undefined once the cache has confirmed it. */
  purgePage(key: CacheKey): Promise<string | undefined>;
  /** All pages of a domain, or those with a surrogate key. */
  ban(domain: string, surrogateKey?: string): Promise<string | undefined>;
}

const TIMEOUT_MS = 5000;

/** Sends PURGE for pages, and BAN with `X-Ban-Domain` and `X-Ban-Key` for groups, to an address of this machine. */
export function createDownstream(address: URL): Downstream {
  const send = (method: string, path: string, headers: Record<string, string>): Promise<string | undefined> =>
    new Promise(resolve => {
      const { hostname, port } = address;
      const sent = request({
        host: hostname,
        port,
        method,
        path,
        headers,
        timeout: TIMEOUT_MS,
        agent: false,
      });
      sent.on('response', response => {
        response.resume();
        const { statusCode = 0 } = response;
        resolve(
          statusCode === 200 ? undefined : `${method} to the cache in front failed: status ${statusCode}`,
        );
      });
      sent.on('timeout', () => sent.destroy(new Error('timeout')));
      sent.on('error', error => resolve(`${method} to the cache in front failed: ${error.message}`));
      sent.end();
    });
  return {
    purgePage: ({ host, target }) => send('PURGE', target, { host }),
    ban: (domain, surrogateKey) =>
      send('BAN', '/', {
        host: domain,
        'x-ban-domain': domain,
        ...(surrogateKey !== undefined && { 'x-ban-key': surrogateKey }),
      }),
  };
}
