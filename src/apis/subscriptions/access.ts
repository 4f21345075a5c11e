import { InvalidResponseError } from '../../errors/index.ts';
import type { Sender } from '../../http/sender.ts';
import { isRecord, type JsonRecord } from '../../json/index.ts';
import { shortened } from '../../text/shortened.ts';
import { DECISIONS, type Decision } from '../../wire/subscriptions.ts';
import type { Reader } from './reader.ts';
import { type AccessTarget, accessRequest, type Site, unwrap } from './requests.ts';

export interface CheckedAccess {
  readonly decision: Decision;
  readonly reasonCode: string | undefined;
  readonly allowed: boolean;
  /** `data` of the response, unchanged. */
  readonly data: JsonRecord;
}

/** Only the decision `allowed` grants access (spec, Access decision). */
export function isGranted(decision: Decision): boolean {
  return decision === 'allowed';
}

/**
 * Requests the decision on the access of a reader to a product or item. An unknown reader is a normal result; a missing or undocumented decision is
 * an InvalidResponseError, never access.
 */
export async function fetchDecision(
  sender: Sender,
  site: Site,
  reader: Reader,
  target: AccessTarget,
): Promise<CheckedAccess> {
  const response = await sender.send(accessRequest(site, reader, target));
  const data = unwrap(response);
  const decision = isRecord(data) ? data.decision : undefined;
  if (!isRecord(data) || !isDecision(decision)) {
    const found =
      typeof decision === 'string'
        ? `unknown decision '${shortened(decision, 40)}'`
        : 'no decision in the response';
    throw new InvalidResponseError(`${found}; treat it as no access`, {
      request: response.request,
      code: 'no_decision',
    });
  }
  const reasonCode = typeof data.reasonCode === 'string' ? data.reasonCode : undefined;
  return { decision, reasonCode, allowed: isGranted(decision), data };
}

function isDecision(word: unknown): word is Decision {
  return DECISIONS.some(decision => decision === word);
}
