import { type CheckedAccess, fetchDecision } from '../apis/subscriptions/access.ts';
import { listProducts, listPurchases, mintIdentityToken } from '../apis/subscriptions/holdings.ts';
import { isMailAddress, type Reader, readerByToken } from '../apis/subscriptions/reader.ts';
import type { AccessTarget, Site } from '../apis/subscriptions/requests.ts';
import { AbortedError, ApiError, GatectlError, UsageError } from '../errors/index.ts';
import type { Sender } from '../http/sender.ts';
import type { Decision, IdentityToken, Purchase, ReasonCode } from '../wire/subscriptions.ts';
import type { Connection } from './connection.ts';
import { digitsIn } from './numbers.ts';
import type { CallOptions } from './options.ts';
import { checkLimits, textOf, validDomain } from './settings.ts';

/** A reader: an e-mail address, or the session token that the page relayed. */
export type ReaderIdentity =
  | { readonly email: string; readonly token?: undefined }
  | { readonly token: string; readonly email?: undefined };

/** What access is checked to: a product handle, or the key of a one-time item. */
export type Target =
  | { readonly product: string; readonly item?: undefined }
  | { readonly item: string; readonly product?: undefined };

/** A reason that the API documents, or another that the gateway gave. */
export type AnyReasonCode = ReasonCode | (string & {});

/**
 * The result of an access check. `allowed` is true for the decision `allowed` and false for every other; an error is never a result,
 * and a response without a known decision is an InvalidResponseError.
 */
export type Access =
  | { readonly allowed: true; readonly decision: 'allowed'; readonly reasonCode: AnyReasonCode | undefined }
  | {
      readonly allowed: false;
      readonly decision: Exclude<Decision, 'allowed'>;
      readonly reasonCode: AnyReasonCode | undefined;
    };

export interface SubscriptionsOptions extends CallOptions {
  /** One of the account's domains, instead of the gateway's. */
  readonly domain?: string;
}

export interface AccessPolicyOptions extends SubscriptionsOptions {
  /**
   * What a reader sees when the gateway gives no decision, because it fails, is limited or rejects the key. Who sends a session token that
   * the gateway rejects is denied in any case.
   */
  readonly onDecisionUnavailable: 'deny' | 'allow';
}

/** A decision that a page can always act on: that of the gateway, or that of the policy, with the error that led to it. */
export type PolicyDecision =
  | (Access & { readonly error?: undefined })
  | {
      readonly allowed: boolean;
      readonly decision?: undefined;
      readonly reasonCode?: undefined;
      readonly error: GatectlError;
    };

/** Access checks for a paywall. */
export interface AccessPolicy {
  /** Throws UsageError for an invalid reader or target, and AbortedError; no other error. */
  check(reader: ReaderIdentity, target: Target, options?: SubscriptionsOptions): Promise<PolicyDecision>;
}

/** The Subscriptions API. */
export class Subscriptions {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Checks a reader's access to a product or item. An unknown reader is a result, `login_required`, not an error. */
  async access(reader: ReaderIdentity, target: Target, options: SubscriptionsOptions = {}): Promise<Access> {
    const checked = targetOf(target);
    return await this.#ask(reader, options, async (sender, site, who) =>
      accessOf(await fetchDecision(sender, site, who, checked)),
    );
  }

  /**
   * Access checks with the defaults of a paywall: three seconds for all of a check, and one retry. What happens without a decision must
   * be chosen. Throws UsageError.
   */
  accessPolicy(policy: AccessPolicyOptions): AccessPolicy {
    const { onDecisionUnavailable, ...defaults }: Partial<AccessPolicyOptions> = policy ?? {};
    if (onDecisionUnavailable !== 'deny' && onDecisionUnavailable !== 'allow')
      throw invalid("onDecisionUnavailable must be 'deny' or 'allow'");
    checkLimits(defaults);
    const check: AccessPolicy['check'] = async (reader, target, options) => {
      try {
        return await this.access(reader, target, { timeoutMs: 3000, retries: 1, ...defaults, ...options });
      } catch (error) {
        if (!(error instanceof GatectlError) || error instanceof UsageError || error instanceof AbortedError)
          throw error;
        // The token is the reader's choice: a false one, or one of another site, opens nothing.
        const isRefused =
          reader.token !== undefined && (error instanceof ApiError || error.code === 'forbidden');
        return Object.freeze({ allowed: onDecisionUnavailable === 'allow' && !isRefused, error });
      }
    };
    return { check };
  }

  /** Lists the product handles that a reader holds, without one-time items; none for an unknown reader. */
  async products(reader: ReaderIdentity, options: SubscriptionsOptions = {}): Promise<readonly string[]> {
    return await this.#ask(reader, options, listProducts);
  }

  /** Lists a reader's purchases, one-time items included; none for an unknown reader. */
  async purchases(reader: ReaderIdentity, options: SubscriptionsOptions = {}): Promise<readonly Purchase[]> {
    return await this.#ask(reader, options, async (sender, site, who) => {
      const purchases = await listPurchases(sender, site, who);
      return digitsIn(purchases) as unknown as readonly Purchase[];
    });
  }

  /** Creates an identity token for a signed-in reader, valid for an hour. Never retried; do not cache it. */
  async identityToken(email: string, options: SubscriptionsOptions = {}): Promise<IdentityToken> {
    const reader = readerOf({ email });
    const address = reader.kind === 'email' ? reader.email : '';
    return await this.#ask({ email: address }, options, async (sender, site) => {
      const token = await mintIdentityToken(sender, site, address);
      return digitsIn(token) as unknown as IdentityToken;
    });
  }

  async #ask<Result>(
    identity: ReaderIdentity,
    options: SubscriptionsOptions,
    call: (sender: Sender, site: Site, reader: Reader) => Promise<Result>,
  ): Promise<Result> {
    const connection = this.#connection;
    const reader = readerOf(identity);
    const { domain, prefixes, keyIn } = connection.settings;
    const site = {
      domain: options.domain === undefined ? textOf('domain', domain) : validDomain('domain', options.domain),
      prefix: prefixes.subscriptions,
      brand: connection.brand,
      keyIn,
    };
    const secret = reader.kind === 'email' ? reader.email : reader.token;
    return await connection.run(options, sender => call(sender, site, reader), secret);
  }
}

function accessOf({ decision, reasonCode }: CheckedAccess): Access {
  return Object.freeze(
    decision === 'allowed'
      ? { allowed: true, decision, reasonCode }
      : { allowed: false, decision, reasonCode },
  );
}

function readerOf(identity: ReaderIdentity): Reader {
  if (typeof identity !== 'object' || identity === null)
    throw invalid('a reader must be { email } or { token }');
  const { email, token } = identity;
  if ((email === undefined) === (token === undefined))
    throw new UsageError('a reader is either an email or a token', { code: 'conflicting_options' });
  if (token !== undefined) {
    if (typeof token !== 'string') throw invalid('token must be a string');
    return readerByToken(token);
  }
  const address = typeof email === 'string' ? email.trim() : '';
  if (!isMailAddress(address)) throw invalid('email is not a valid e-mail address');
  return { kind: 'email', email: address };
}

function targetOf(target: Target): AccessTarget {
  if (typeof target !== 'object' || target === null)
    throw invalid('a target must be { product } or { item }');
  const { product, item } = target;
  if ((product === undefined) === (item === undefined))
    throw new UsageError('a target is either a product or an item', { code: 'conflicting_options' });
  return product === undefined ? { item: textOf('item', item) } : { product: textOf('product', product) };
}

function invalid(message: string): UsageError {
  return new UsageError(message, { code: 'invalid_value' });
}
