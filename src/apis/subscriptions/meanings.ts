import type { Decision } from '../../wire/subscriptions.ts';
import { type DecisionSituation, situationOf } from './situation.ts';

const NOT_STARTED = 'the access has not started yet';
const ALLOWED = 'the reader has access now';
const EXPIRED = 'the reader had access, and it has ended';

/** What a decision means for the reader, in English; other languages are in operations/access/words. */
export const MEANINGS: Readonly<Record<DecisionSituation, string>> = {
  allowed: ALLOWED,
  denied: 'the reader is known but has no entitlement for this',
  login_required: 'the reader is unknown, and is treated as signed out',
  expired: EXPIRED,
  revoked: 'the access was revoked',
  unknown_product: 'this site has no active product with this handle',
  not_started: NOT_STARTED,
  suspended: 'the subscription is on hold, so there is no access for now',
  pending: 'the purchase is not complete yet',
  allowed_item: ALLOWED,
  expired_item: EXPIRED,
  not_started_item: NOT_STARTED,
  suspended_item: 'the purchase is on hold, so there is no access for now',
};

/** What a decision on a product or an item means. An unknown reason falls back to the decision. */
export function meaningOf(decision: Decision, reasonCode: string | undefined, isItem?: boolean): string {
  return MEANINGS[situationOf(decision, reasonCode, isItem)];
}
