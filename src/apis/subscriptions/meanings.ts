import type { Decision } from '../../wire/subscriptions.ts';
import { type Situation, situationOf } from './situation.ts';

/** A decision in plain words, for a support agent. */
export interface Meaning {
  /** What it means for the reader. */
  readonly meaning: string;
  /** What the agent can do next. */
  readonly next: string;
}

const NOT_STARTED: Meaning = {
  meaning: 'the access has not started yet',
  next: 'look up the start date in the order, which the API does not state; no action is required',
};

const allowed = (action: string): Meaning => ({
  meaning: 'the reader has access now',
  next: `if the page still asks to ${action}, have the reader sign out and in again`,
});
const expired = (action: string): Meaning => ({
  meaning: 'the reader had access, and it has ended',
  next: `the reader can ${action} again`,
});
const suspended = (what: string): Meaning => ({
  meaning: `the ${what} is on hold, so there is no access for now`,
  next: `check the payment of the ${what}: access returns when the hold ends`,
});

/** In English; other languages are in operations/access/words. */
export const MEANINGS: Readonly<Record<Situation, Meaning>> = {
  allowed: allowed('subscribe'),
  denied: {
    meaning: 'the reader is known but has no entitlement for this',
    next: 'check the purchases: it may have been bought with another address or as another product',
  },
  login_required: {
    meaning: 'the reader is unknown, and is treated as signed out',
    next: 'check the spelling of the address and use the one given at checkout; with a session token, have the reader sign in again',
  },
  expired: expired('subscribe'),
  revoked: {
    meaning: 'the access was revoked',
    next: 'check for a refund, a chargeback or a removal by the site before you restore it',
  },
  unknown_product: {
    meaning: 'this site has no active product with this handle',
    next: "check the handle's spelling, and that the product is active for this domain",
  },
  not_started: NOT_STARTED,
  suspended: suspended('subscription'),
  pending: {
    meaning: 'the purchase is not complete yet',
    next: 'wait for the payment, or ask the reader to complete the checkout',
  },
  allowed_item: allowed('pay'),
  expired_item: expired('buy it'),
  not_started_item: NOT_STARTED,
  suspended_item: suspended('purchase'),
  login_required_session: {
    meaning: 'the session is not signed in, or has ended',
    next: 'have the reader sign in again',
  },
  no_purchase: {
    meaning: 'the reader is known but has bought nothing with this address',
    next: 'Ask which address is on the receipt: nothing was bought with this one.',
  },
};

/** Explains a decision on a product or an item, and the next step. An unknown reason falls back to the decision. */
export function meaningOf(decision: Decision, reasonCode: string | undefined, isItem?: boolean): Meaning {
  return MEANINGS[situationOf(decision, reasonCode, isItem)];
}
