import type { AccessDecision, Purchase } from '../../wire/subscriptions.ts';
import type { EntitlementStatus, FixtureEntitlement, FixtureReader } from '../fixtures/shape.ts';
import type { SiteDomain } from '../site.ts';

export type AccessTarget = { readonly product: string } | { readonly item: string };

/** Decisions in order of precedence, for readers with several entitlements to the same product or item. */
const DECISIONS: readonly (readonly [EntitlementStatus, AccessDecision])[] = [
  ['active', { decision: 'allowed', reasonCode: 'allowed' }],
  ['suspended', { decision: 'denied', reasonCode: 'suspended' }],
  ['pending', { decision: 'denied', reasonCode: 'pending' }],
  ['not_started', { decision: 'denied', reasonCode: 'not_started' }],
  ['expired', { decision: 'expired', reasonCode: 'expired' }],
  ['revoked', { decision: 'revoked', reasonCode: 'revoked' }],
];

/** The status of an entitlement at `now` (ms): only the status active depends on the dates. */
export function statusAt({ status, starts, expires }: FixtureEntitlement, now: number): EntitlementStatus {
  if (status !== 'active') return status;
  if (expires !== undefined && Date.parse(expires) <= now) return 'expired';
  if (starts !== undefined && Date.parse(starts) > now) return 'not_started';
  return 'active';
}

/** The access decision for one reader (spec, Access decision). `reader` is undefined if unknown. */
export function decideAccess(
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
export function heldProducts(domain: SiteDomain, reader: FixtureReader | undefined, now: number): string[] {
  const products = (reader?.entitlements ?? [])
    .filter(entitlement => statusAt(entitlement, now) === 'active')
    .flatMap(({ product }) => (product === undefined ? [] : [product]))
    .filter(product => domain.products.get(product) === 'active');
  return [...new Set(products)];
}

/** A reader's purchases and entitlements, one-time items included. */
export function listPurchases(
  domain: SiteDomain,
  reader: FixtureReader | undefined,
  now: number,
): Purchase[] {
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
