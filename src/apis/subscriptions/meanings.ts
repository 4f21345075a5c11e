import { DECISIONS, type Decision, type ReasonCode } from '../../wire/subscriptions.ts';

/** A decision in plain words, for a support agent. */
export interface Meaning {
  /** What it means for the reader. */
  readonly meaning: string;
  /** What the agent can do next. */
  readonly next: string;
}

const BY_DECISION: Record<Decision, Meaning> = {
  allowed: {
    meaning: 'the reader has access now',
    next: 'if the page still asks to subscribe, have the reader sign out and in again',
  },
  denied: {
    meaning: 'the reader is known here but holds nothing that covers this',
    next: 'compare with the purchases: it may have been bought under another address or as another product',
  },
  login_required: {
    meaning: 'nobody is known under this identity, so the reader counts as signed out',
    next: 'ask for the address used at checkout and check its spelling; after a session token, have the reader sign in again',
  },
  expired: {
    meaning: 'the reader had access, and it has ended',
    next: 'the reader can subscribe again; check the purchase for its last day',
  },
  revoked: {
    meaning: 'the access was taken away',
    next: 'look for a refund, a chargeback or a removal by the site before giving it back',
  },
  unknown_product: {
    meaning: 'this site has no active product with this handle',
    next: "check the handle's spelling, and that the product is active for this domain",
  },
};

const BY_REASON: Partial<Record<ReasonCode, Meaning>> = {
  not_started: {
    meaning: 'the reader has bought access that has not begun yet',
    next: 'tell the reader the day it begins; nothing needs mending',
  },
  suspended: {
    meaning: 'the subscription is on hold, so there is no access for now',
    next: "look at the subscription's payment: access returns when the hold ends",
  },
  pending: {
    meaning: 'the purchase is not complete yet',
    next: 'wait for the payment to go through, or ask the reader to finish the checkout',
  },
};

/** Tells what a decision with its reason means and what to do about it. An unknown reason falls back to the decision. */
export function meaningOf(decision: Decision, reasonCode: string | undefined): Meaning {
  if (decision === 'allowed') return BY_DECISION.allowed;
  return BY_REASON[reasonCode as ReasonCode] ?? BY_DECISION[decision];
}

export function isDecision(word: unknown): word is Decision {
  return DECISIONS.some(decision => decision === word);
}
