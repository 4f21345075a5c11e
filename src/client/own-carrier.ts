import { gatewayNetwork } from '../config/network.ts';
import type { Carrier } from '../http/carrier.ts';
import { connectorOf } from '../http/connector.ts';
import { acceptEncoding } from '../http/content-encoding.ts';
import { Transport } from '../http/transport.ts';
import type { Redactor } from '../text/redactor.ts';
import type { ClientSettings } from './settings.ts';

/** Carries requests over connections of its own. `env` names the proxies; undefined to ignore proxies. */
export function ownCarrier(
  { baseUrl, insecureHttp, ca, userAgent, compression }: ClientSettings,
  redactor: Redactor,
  env: Readonly<Record<string, string | undefined>> | undefined,
): () => Carrier {
  const network = gatewayNetwork(baseUrl, { env, ca, userAgent, insecureHttp, redactor });
  return () => new Transport(network, acceptEncoding(compression), connectorOf(network));
}
