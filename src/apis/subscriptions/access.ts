import { InvalidResponseError } from '../../errors/index.ts';
import type { Sender } from '../../http/sender.ts';
import { isRecord, type JsonRecord } from '../../json/index.ts';
import type { Decision } from '../../wire/subscriptions.ts';
import { isDecision, meaningOf } from './meanings.ts';
import type { Reader } from './reader.ts';
import { type AccessTarget, accessRequest, type Site, unwrap } from './requests.ts';

export interface CheckedAccess {
  readonly decision: Decision;
  readonly reasonCode: string | undefined;
  readonly allowed: boolean;
  readonly meaning: string;
  /** What a support agent can do next. */
  readonly next: string;
  /** `data` as the API sent it. */
  readonly data: JsonRecord;
}

/** Access is granted by one decision alone (spec, Access decision). */
export function isGranted(decision: Decision): boolean {
  return decision === 'allowed';
}

/**
 * Asks whether a reader may read a product or item. An unknown reader is an answer; a decision that is missing or not one
 * of the documented words is an InvalidResponseError, never access.
 */
export async function checkAccess(
  sender: Sender,
  site: Site,
  reader: Reader,
  asked: AccessTarget,
): Promise<CheckedAccess> {
  const answer = await sender.send(accessRequest(site, reader, asked));
  const data = unwrap(answer);
  const decision = isRecord(data) ? data.decision : undefined;
  if (!isRecord(data) || !isDecision(decision)) {
    const found =
      typeof decision === 'string'
        ? `the decision '${decision.slice(0, 40)}' is not a known word`
        : 'the answer holds no decision';
    throw new InvalidResponseError(`${found}; treat it as no access`, {
      request: answer.request,
      code: 'no_decision',
    });
  }
  const reasonCode = typeof data.reasonCode === 'string' ? data.reasonCode : undefined;
  return { decision, reasonCode, allowed: isGranted(decision), ...meaningOf(decision, reasonCode), data };
}
