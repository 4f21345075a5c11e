import type { Connections } from './direct-connections.ts';
import type { Network } from './dispatcher.ts';

/** Opens connections for requests to the host of a URL. */
export type Connect = (url: URL, timeoutMs: number) => Promise<Connections>;

/** Loads what opens connections when the first request needs it, because undici takes longest to load. */
export function connectorOf(network: Network): Connect {
  return async (url, timeoutMs) => {
    const { openDispatcher } = await import('./dispatcher.ts');
    const connectTimeoutMs = Math.min(timeoutMs, 10_000);
    return await openDispatcher({ connectTimeoutMs, secure: url.protocol === 'https:', ...network });
  };
}
