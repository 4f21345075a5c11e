import type { BrandNames } from '../../wire/brand.ts';
import { SUBSCRIPTIONS_PREFIX } from '../../wire/subscriptions.ts';
import { isEmail } from '../fixtures/checks.ts';
import type { FixtureReader } from '../fixtures/shape.ts';
import { HttpError } from '../http-error.ts';
import { json, type Route, type SandboxReply, type SandboxRequest } from '../routing.ts';
import type { Site, SiteDomain } from '../site.ts';
import { type AccessTarget, decideAccess, heldProducts, listPurchases } from './access.ts';
import { type IdentitySecrets, mintIdentityToken } from './identity-token.ts';
import { readSessionToken } from './session-token.ts';

export interface SubscriptionsState {
  readonly site: Site;
  readonly brand: BrandNames;
  readonly now: () => number;
  readonly sessionSecret: Buffer;
  readonly identitySecrets: IdentitySecrets;
}

/** The Subscriptions API (spec, Endpoints A). The server adds `Cache-Control: no-store`. */
export function subscriptionsRoutes(state: SubscriptionsState): readonly Route[] {
  const { site, brand, now, sessionSecret } = state;

  const resolve = (request: SandboxRequest) => {
    const domain = ownDomain(request, site);
    const identity = readerIdentity(request, brand);
    const reader = () => {
      checkEnabled(domain);
      return resolveReader(identity, domain, sessionSecret, now());
    };
    return { domain, reader };
  };

  return [
    endpoint('GET', '/access', async request => {
      const { domain, reader } = resolve(request);
      const target = targetFrom(request.query);
      return decideAccess(domain, await reader(), target, now());
    }),
    endpoint('GET', '/products', async request => {
      const { domain, reader } = resolve(request);
      return heldProducts(domain, await reader(), now());
    }),
    endpoint('GET', '/purchases', async request => {
      const { domain, reader } = resolve(request);
      return listPurchases(domain, await reader(), now());
    }),
    endpoint('POST', '/identity-token', request => {
      const domain = ownDomain(request, site);
      const email = emailFrom(request.body);
      checkEnabled(domain);
      return mintIdentityToken(email, domain.domain, state.identitySecrets, now());
    }),
  ];
}

function endpoint(
  method: string,
  path: string,
  dataFor: (request: SandboxRequest) => Promise<unknown>,
): Route {
  return {
    api: 'subscriptions',
    method,
    path: SUBSCRIPTIONS_PREFIX + path,
    key: 'either',
    handle: async (request): Promise<SandboxReply> =>
      json(200, { success: true, data: await dataFor(request) }),
  };
}

function ownDomain({ query }: SandboxRequest, site: Site): SiteDomain {
  const named = query.getAll('domain').filter(name => name !== '');
  const [name] = named;
  if (name === undefined) throw new HttpError(400, 'the domain parameter is required');
  if (named.length > 1) throw new HttpError(400, 'the domain parameter must be given once');
  const domain = site.domains.get(name.toLowerCase());
  if (domain === undefined) throw new HttpError(403, `${name} does not belong to this account`);
  return domain;
}

function checkEnabled({ subscriptions, domain }: SiteDomain): void {
  if (!subscriptions) throw new HttpError(403, `subscriptions are not enabled for ${domain}`);
}

function targetFrom(query: URLSearchParams): AccessTarget {
  const product = query.get('product');
  if (product) return { product };
  const item = query.get('item');
  if (item) return { item };
  throw new HttpError(400, 'a product or an item is required');
}

function emailFrom(body: Buffer): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    throw new HttpError(400, 'the body must be JSON');
  }
  const email = typeof parsed === 'object' && parsed !== null && 'email' in parsed ? parsed.email : undefined;
  if (typeof email !== 'string' || email === '') throw new HttpError(400, 'email is required');
  if (!isEmail(email)) throw new HttpError(400, 'email is not a valid address');
  return email;
}

type ReaderIdentity = { readonly email: string } | { readonly token: string };

/** Node decodes headers as Latin-1; addresses are UTF-8. */
function headerText(value: string | undefined): string {
  return Buffer.from(value ?? '', 'latin1')
    .toString('utf8')
    .trim();
}

/**
 * The one reader header of a request (spec, Reader identity).
 *
 * @throws HttpError 400 if neither header is set, or both.
 */
function readerIdentity(request: SandboxRequest, brand: BrandNames): ReaderIdentity {
  const email = headerText(request.headers[brand.readerEmailHeader.toLowerCase()]);
  const token = headerText(request.headers[brand.readerTokenHeader.toLowerCase()]);
  if (email === '' && token === '') throw new HttpError(400, 'a reader e-mail or token is required');
  if (email !== '' && token !== '') {
    throw new HttpError(400, 'send a reader e-mail or a reader token, not both');
  }
  return email === '' ? { token } : { email };
}

/**
 * Looks up the reader. An unknown address and an expired session return undefined: both are normal outcomes.
 *
 * @throws HttpError 403 for a token that is not valid on the domain.
 */
async function resolveReader(
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
