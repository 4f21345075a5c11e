import type { BrandNames } from '../../wire/brand.ts';
import { SUBSCRIPTIONS_PREFIX } from '../../wire/subscriptions.ts';
import { Refusal } from '../refusal.ts';
import { json, type Route, type SandboxReply, type SandboxRequest } from '../routing.ts';
import type { Site, SiteDomain } from '../site.ts';
import { decideAccess, heldProducts, listPurchases, type Wanted } from './access.ts';
import { isEmail } from './email.ts';
import { type IdentitySecrets, mintIdentityToken } from './identity-token.ts';
import { readerIdentity, resolveReader } from './reader.ts';

export interface SubscriptionsState {
  readonly site: Site;
  readonly brand: BrandNames;
  readonly now: () => number;
  readonly sessionSecret: Buffer;
  readonly identitySecrets: IdentitySecrets;
}

/** The Subscriptions API (spec, Endpoints A). Its answers are never cacheable, which the server sees to. */
export function subscriptionsRoutes(state: SubscriptionsState): readonly Route[] {
  const { site, brand, now, sessionSecret } = state;

  const asked = (request: SandboxRequest) => {
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
      const { domain, reader } = asked(request);
      const wanted = wantedFrom(request.query);
      return decideAccess(domain, await reader(), wanted, now());
    }),
    endpoint('GET', '/products', async request => {
      const { domain, reader } = asked(request);
      return heldProducts(domain, await reader(), now());
    }),
    endpoint('GET', '/purchases', async request => {
      const { domain, reader } = asked(request);
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
  answer: (request: SandboxRequest) => Promise<unknown>,
): Route {
  return {
    api: 'subscriptions',
    method,
    path: SUBSCRIPTIONS_PREFIX + path,
    key: 'either',
    answer: async (request): Promise<SandboxReply> =>
      json(200, { success: true, data: await answer(request) }),
  };
}

function ownDomain({ query }: SandboxRequest, site: Site): SiteDomain {
  const named = query.getAll('domain').filter(name => name !== '');
  const [name] = named;
  if (name === undefined) throw new Refusal(400, 'the domain parameter is required');
  if (named.length > 1) throw new Refusal(400, 'the domain parameter may be given once');
  const domain = site.domains.get(name.toLowerCase());
  if (domain === undefined) throw new Refusal(403, `${name} does not belong to this account`);
  return domain;
}

function checkEnabled({ subscriptions, domain }: SiteDomain): void {
  if (!subscriptions) throw new Refusal(403, `subscriptions are not enabled for ${domain}`);
}

function wantedFrom(query: URLSearchParams): Wanted {
  const product = query.get('product');
  if (product) return { product };
  const item = query.get('item');
  if (item) return { item };
  throw new Refusal(400, 'a product or an item is required');
}

function emailFrom(body: Buffer): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Refusal(400, 'the body must be JSON');
  }
  const email = typeof parsed === 'object' && parsed !== null && 'email' in parsed ? parsed.email : undefined;
  if (typeof email !== 'string' || email === '') throw new Refusal(400, 'email is required');
  if (!isEmail(email)) throw new Refusal(400, 'email is not a valid address');
  return email;
}
