import { MEANINGS } from './meanings.ts';
import type { Situation } from './situation.ts';

/** A situation in plain words, for a support agent. */
export interface Advice {
  /** What it means for the reader. */
  readonly meaning: string;
  /** What the agent can do next. */
  readonly next: string;
}

const LOOK_UP_START =
  'look up the start date in the order, which the API does not state; no action is required';

const signOutAndIn = (action: string): string =>
  `if the page still asks to ${action}, have the reader sign out and in again`;
const checkPayment = (what: string): string =>
  `check the payment of the ${what}: access returns when the hold ends`;

/** In English; other languages are in operations/access/words. */
export const ADVICE: Readonly<Record<Situation, Advice>> = {
  allowed: { meaning: MEANINGS.allowed, next: signOutAndIn('subscribe') },
  denied: {
    meaning: MEANINGS.denied,
    next: 'check the purchases: it may have been bought with another address or as another product',
  },
  login_required: {
    meaning: MEANINGS.login_required,
    next: 'check the spelling of the address and use the one given at checkout; with a session token, have the reader sign in again',
  },
  expired: { meaning: MEANINGS.expired, next: 'the reader can subscribe again' },
  revoked: {
    meaning: MEANINGS.revoked,
    next: 'check for a refund, a chargeback or a removal by the site before you restore it',
  },
  unknown_product: {
    meaning: MEANINGS.unknown_product,
    next: "check the handle's spelling, and that the product is active for this domain",
  },
  not_started: { meaning: MEANINGS.not_started, next: LOOK_UP_START },
  suspended: { meaning: MEANINGS.suspended, next: checkPayment('subscription') },
  pending: {
    meaning: MEANINGS.pending,
    next: 'wait for the payment, or ask the reader to complete the checkout',
  },
  allowed_item: { meaning: MEANINGS.allowed_item, next: signOutAndIn('pay') },
  expired_item: { meaning: MEANINGS.expired_item, next: 'the reader can buy it again' },
  not_started_item: { meaning: MEANINGS.not_started_item, next: LOOK_UP_START },
  suspended_item: { meaning: MEANINGS.suspended_item, next: checkPayment('purchase') },
  login_required_session: {
    meaning: 'the session is not signed in, or has ended',
    next: 'have the reader sign in again',
  },
  no_purchase: {
    meaning: 'the reader is known but has bought nothing with this address',
    next: 'Ask which address is on the receipt: nothing was bought with this one.',
  },
};
