import type { Carrier } from '../http/carrier.ts';
import { FetchTransport } from '../http/fetch-transport.ts';
import type { ClientSettings } from './settings.ts';

/** Carries requests with a `fetch`, which asks for compressed responses unless the settings forbid them. */
export function fetchCarrier(
  send: typeof fetch,
  { userAgent, compression }: Pick<ClientSettings, 'userAgent' | 'compression'>,
): () => Carrier {
  const headers = { 'User-Agent': userAgent, ...(!compression && { 'Accept-Encoding': 'identity' }) };
  return () => new FetchTransport(send, headers);
}
