import type { BrandNames } from '../../wire/brand.ts';
import { type AccessDecision, type Purchase, SUBSCRIPTIONS_PREFIX } from '../../wire/subscriptions.ts';
import { isEmail } from '../fixtures/checks.ts';
import type { EntitlementStatus, FixtureEntitlement, FixtureReader } from '../fixtures/shape.ts';
import { HttpError } from '../http-error.ts';
import { json, type Route, type SandboxReply, type SandboxRequest } from '../routing.ts';
import type { Site, SiteDomain } from '../site.ts';
import { type IdentitySecrets, mintIdentityToken } from './identity-token.ts';
import { readSessionToken } from './session-token.ts';

/** Decisions in order of precedence, for readers with several entitlements to the same product or item. */
const DECISIONS: readonly (readonly [EntitlementStatus, AccessDecision])[] = [
  ['active', { decision: 'allowed', reasonCode: 'allowed' }],
  ['suspended', { decision: 'denied', reasonCode: 'suspended' }],
  ['pending', { decision: 'denied', reasonCode: 'pending' }],
  ['not_started', { decision: 'denied', reasonCode: 'not_started' }],
  ['expired', { decision: 'expired', reasonCode: 'expired' }],
  ['revoked', { decision: 'revoked', reasonCode: 'revoked' }],
];

interface SubscriptionsState {
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

type AccessTarget = { readonly product: string } | { readonly item: string };

/** The status of an entitlement at `now` (ms): only the status active depends on the dates. */
function statusAt({ status, starts, expires }: FixtureEntitlement, now: number): EntitlementStatus {
  if (status !== 'active') return status;
  if (expires !== undefined && Date.parse(expires) <= now) return 'expired';
  if (starts !== undefined && Date.parse(starts) > now) return 'not_started';
  return 'active';
}

/** The access decision for one reader (spec, Access decision). `reader` is undefined if unknown. */
function decideAccess(
  domain: SiteDomain,
  reader: FixtureReader | undefined,
  target: AccessTarget,
  now: number,
): AccessDecision {
  if (reader === undefined) return { decision: 'login_required', reasonCode: 'customer_required' };
  if ('product' in target && domain.products.get(target.product) !== 'active') {
    return { decision: 'unknown_product', reasonCode: 'unknown_product' };
  }
  const statuses = reader.entitlements
    .filter(({ product, item }) => ('product' in target ? product === target.product : item === target.item))
    .map(entitlement => statusAt(entitlement, now));
  const decided = DECISIONS.find(([status]) => statuses.includes(status));
  return decided?.[1] ?? { decision: 'denied', reasonCode: 'no_entitlement' };
}

/** The unique handles of the active products that a reader holds. */
function heldProducts(domain: SiteDomain, reader: FixtureReader | undefined, now: number): string[] {
  const products = (reader?.entitlements ?? [])
    .filter(entitlement => statusAt(entitlement, now) === 'active')
    .flatMap(({ product }) => (product === undefined ? [] : [product]))
    .filter(product => domain.products.get(product) === 'active');
  return [...new Set(products)];
}

/** A reader's purchases and entitlements, one-time items included. */
function listPurchases(domain: SiteDomain, reader: FixtureReader | undefined, now: number): Purchase[] {
  return (reader?.entitlements ?? []).map(entitlement => {
    const { product, item, expires } = entitlement;
    const removed = product !== undefined && domain.products.get(product) === 'removed';
    return {
      ...(product === undefined || removed ? {} : { productKey: product }),
      ...(item === undefined ? {} : { item }),
      status: statusAt(entitlement, now),
      ...(expires === undefined ? {} : { expiresAt: expires }),
    };
  });
}
