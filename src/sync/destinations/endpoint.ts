import { UsageError } from '../../errors/index.ts';
import type { ReasonFacts } from '../../errors/reasons.ts';

type PlainKind = ReasonFacts['plain_destination']['kind'];

/** Where a server listens. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, with an address of IPv6 in brackets. */
export function endpointName({ host, port }: Endpoint): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The host of a URL, without the brackets of IPv6. */
export function bareHost({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Whether a host is this machine: by its name or address, or the folder of a socket. */
export function isThisMachine(host: string): boolean {
  return host.startsWith('/') || /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host);
}

/** Throws UsageError for a connection to another machine that would not be encrypted. */
export function requireEncryption(host: string, place: string, isAllowed: boolean, kind: PlainKind): void {
  if (isAllowed || isThisMachine(host)) return;
  throw new UsageError(`${place} would get the credentials and the rows unencrypted`, {
    code: 'insecure_url',
    reason: { name: 'plain_destination', kind },
  });
}
