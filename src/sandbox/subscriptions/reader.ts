import type { BrandNames } from '../../wire/brand.ts';
import type { FixtureReader } from '../fixtures/shape.ts';
import { Refusal } from '../refusal.ts';
import type { SandboxRequest } from '../routing.ts';
import type { SiteDomain } from '../site.ts';
import { readSessionToken } from './session-token.ts';

export type ReaderIdentity = { readonly email: string } | { readonly token: string };

/** Node hands header bytes over as Latin-1; addresses come as UTF-8. */
function headerText(value: string | undefined): string {
  return Buffer.from(value ?? '', 'latin1')
    .toString('utf8')
    .trim();
}

/**
 * The one reader header of a request (spec, Reader identity).
 *
 * @throws Refusal 400 when neither header is there, or both.
 */
export function readerIdentity(request: SandboxRequest, brand: BrandNames): ReaderIdentity {
  const email = headerText(request.headers[brand.readerEmailHeader.toLowerCase()]);
  const token = headerText(request.headers[brand.readerTokenHeader.toLowerCase()]);
  if (email === '' && token === '') throw new Refusal(400, 'a reader e-mail or token is required');
  if (email !== '' && token !== '') {
    throw new Refusal(400, 'send a reader e-mail or a reader token, not both');
  }
  return email === '' ? { token } : { email };
}

/**
 * Looks the reader up. An address that never subscribed and a session that has ended give undefined: both are
 * normal outcomes.
 *
 * @throws Refusal 403 for a token that is not valid on the domain.
 */
export async function resolveReader(
  identity: ReaderIdentity,
  domain: SiteDomain,
  secret: Buffer,
  now: number,
): Promise<FixtureReader | undefined> {
  if ('email' in identity) return domain.readers.get(identity.email.toLowerCase());
  const id = await readSessionToken(identity.token, secret, domain.domain, now);
  const known = id === undefined ? undefined : domain.sessions.get(id);
  return known?.session.state === 'active' ? known.reader : undefined;
}
