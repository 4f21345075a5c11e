import { UsageError } from '../../errors/index.ts';
import type { ReasonFacts } from '../../errors/reasons.ts';

type PlainKind = ReasonFacts['plain_destination']['kind'];

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
