/**
 * The situations that are explained and replied to: a reason code if it is more specific than the decision, else the decision. Those of a
 * one-time item, to which nobody subscribes, have words of their own where these differ; so have a session token that is not signed in, and a known reader without any purchase.
 */
const DECISION_SITUATIONS = [
  'allowed',
  'denied',
  'login_required',
  'expired',
  'revoked',
  'unknown_product',
  'not_started',
  'suspended',
  'pending',
  'allowed_item',
  'expired_item',
  'not_started_item',
  'suspended_item',
] as const;
export type DecisionSituation = (typeof DECISION_SITUATIONS)[number];

/** These, and those that are not of one decision. */
export const SITUATIONS = [...DECISION_SITUATIONS, 'login_required_session', 'no_purchase'] as const;
export type Situation = (typeof SITUATIONS)[number];

/** The situation of a reader with this decision on a product, or on a one-time item. */
export function situationOf(
  decision: string,
  reasonCode: string | undefined,
  isItem?: boolean,
): DecisionSituation {
  const known = (word: string | undefined) => DECISION_SITUATIONS.find(each => each === word);
  const situation = decision === 'allowed' ? decision : (known(reasonCode) ?? known(decision) ?? 'denied');
  return (isItem ? known(`${situation}_item`) : undefined) ?? situation;
}
