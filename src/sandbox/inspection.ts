import type { PurgeRecord } from './cdn/purge-record.ts';
import { json, plainText, type SandboxReply, type SandboxRequest } from './http.ts';
import { type IdentitySecrets, readIdentityToken } from './subscriptions/identity-token.ts';

/** Paths of the sandbox's own, which no gateway has. They want no key and meet no faults. */
export const INSPECTION_PREFIX = '/__sandbox';

export interface InspectionState {
  readonly now: () => number;
  readonly identitySecrets: IdentitySecrets;
  readonly purges: PurgeRecord;
}

/** Answers below `/__sandbox`, undefined elsewhere. */
export async function inspectionAnswer(
  { method, path, body }: SandboxRequest,
  { now, identitySecrets, purges }: InspectionState,
): Promise<SandboxReply | undefined> {
  switch (path) {
    case `${INSPECTION_PREFIX}/identity-token/verify`: {
      if (method !== 'POST') return plainText(405, 'send a POST\n', { allow: 'POST' });
      return json(200, await readIdentityToken(body.toString('utf8').trim(), identitySecrets, now()));
    }
    case `${INSPECTION_PREFIX}/purges`:
      if (method !== 'GET') return plainText(405, 'send a GET\n', { allow: 'GET' });
      return json(200, purges.report());
    default:
      return undefined;
  }
}
