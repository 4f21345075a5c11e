/** Wire types of the Subscriptions API (spec, Endpoints A). */

export const SUBSCRIPTIONS_PREFIX = '/subscriptions/v1';

export const DECISIONS = [
  'allowed',
  'denied',
  'login_required',
  'expired',
  'revoked',
  'unknown_product',
] as const;
export type Decision = (typeof DECISIONS)[number];

export const REASON_CODES = [
  'allowed',
  'customer_required',
  'unknown_product',
  'no_entitlement',
  'not_started',
  'expired',
  'revoked',
  'suspended',
  'pending',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

export interface AccessDecision {
  decision: Decision;
  reasonCode: ReasonCode;
}

export interface Purchase {
  /** Absent for a one-time item, and when the product was removed. */
  productKey?: string;
  /** Present only for a one-time item. */
  item?: string;
  /** `active` is the only value that the spec shows. */
  status: string;
  /** RFC 3339; absent for lifetime access. */
  expiresAt?: string;
}

export interface IdentityToken {
  token: string;
  /** RFC 3339, one hour after the token was created. */
  expiresAt: string;
}

export type SubscriptionsEnvelope<Data> = { success: true; data: Data } | { success: false; message: string };

/** Seconds for which an identity token is accepted. */
export const IDENTITY_TOKEN_LIFETIME_S = 3600;
