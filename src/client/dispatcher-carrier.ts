import type { Carrier } from '../http/carrier.ts';
import { acceptEncoding } from '../http/content-encoding.ts';
import type { Connections } from '../http/direct-connections.ts';
import { Transport } from '../http/transport.ts';
import type { ClientSettings } from './settings.ts';

/** Carries requests with a dispatcher of undici, which the program closes itself. */
export function dispatcherCarrier(
  dispatcher: NonNullable<ClientSettings['dispatcher']>,
  { userAgent, compression }: Pick<ClientSettings, 'userAgent' | 'compression'>,
): () => Carrier {
  const given = dispatcher as Pick<Connections, 'dispatch'>;
  const connections: Connections = {
    dispatch: (request, handler) => given.dispatch(request, handler),
    destroy: async () => {},
  };
  return () => new Transport({ userAgent }, acceptEncoding(compression), async () => connections);
}
