import type { PurgeRecord } from './cdn/purge-record.ts';
import { json, plainText, type SandboxReply, type SandboxRequest } from './routing.ts';
import { type IdentitySecrets, readIdentityToken } from './subscriptions/identity-token.ts';

/** Paths of the sandbox's own, which no gateway has. They want no key and meet no faults. */
export const INSPECTION_PREFIX = '/__sandbox';
/** The description of all APIs. */
export const OPENAPI_PATH = '/openapi.json';

/** Whether a path is the sandbox's own: no API answers there, and no fault hits it. */
export function isOwnPath(path: string): boolean {
  return path === OPENAPI_PATH || path.startsWith(`${INSPECTION_PREFIX}/`);
}

export interface InspectionState {
  readonly now: () => number;
  /** The service's brand word; the neutral one if absent. */
  readonly brandWord: string | undefined;
  readonly identitySecrets: IdentitySecrets;
  readonly purges: PurgeRecord;
}

/** Answers on the sandbox's own paths, undefined elsewhere. */
export async function inspectionAnswer(
  { method, path, headers, body }: SandboxRequest,
  { now, brandWord, identitySecrets, purges }: InspectionState,
): Promise<SandboxReply | undefined> {
  switch (path) {
    case `${INSPECTION_PREFIX}/identity-token/verify`: {
      if (method !== 'POST') return plainText(405, 'send a POST\n', { allow: 'POST' });
      return json(200, await readIdentityToken(body.toString('utf8').trim(), identitySecrets, now()));
    }
    case `${INSPECTION_PREFIX}/purges`:
      if (method !== 'GET') return plainText(405, 'send a GET\n', { allow: 'GET' });
      return json(200, purges.report());
    case OPENAPI_PATH: {
      if (method !== 'GET') return plainText(405, 'send a GET\n', { allow: 'GET' });
      // Large, and rarely asked for.
      const { openApiDocument } = await import('../wire/openapi/index.ts');
      return json(
        200,
        openApiDocument({
          ...(brandWord !== undefined && { brand: brandWord }),
          ...(headers.host !== undefined && { baseUrl: `http://${headers.host}` }),
        }),
      );
    }
    default:
      return undefined;
  }
}
