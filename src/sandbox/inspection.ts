import { json, type SandboxReply, type SandboxRequest } from './http.ts';
import { type IdentitySecrets, readIdentityToken } from './subscriptions/identity-token.ts';

/** Paths of the sandbox's own, which no gateway has. They want no key. */
export const INSPECTION_PREFIX = '/__sandbox';

export interface InspectionState {
  readonly now: () => number;
  readonly identitySecrets: IdentitySecrets;
}

/** Answers below `/__sandbox`, undefined elsewhere. */
export async function inspectionAnswer(
  { method, path, body }: SandboxRequest,
  { now, identitySecrets }: InspectionState,
): Promise<SandboxReply | undefined> {
  if (path !== `${INSPECTION_PREFIX}/identity-token/verify`) return undefined;
  if (method !== 'POST') return json(405, { error: 'send a POST' }, { allow: 'POST' });
  return json(200, await readIdentityToken(body.toString('utf8').trim(), identitySecrets, now()));
}
