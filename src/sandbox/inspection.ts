import type { PurgeLog } from './cdn/purge-log.ts';
import { json, plainText, type SandboxReply, type SandboxRequest } from './routing.ts';
import { type IdentitySecrets, readIdentityToken } from './subscriptions/identity-token.ts';

/** Prefix of inspection paths, which a real gateway does not have. They require no key, and faults do not affect them. */
const INSPECTION_PREFIX = '/__sandbox';
/** The description of all APIs. */
const OPENAPI_PATH = '/openapi.json';
/** The same as a page. */
const OPENAPI_PAGE_PATH = '/openapi';

/** Whether a path is one of the sandbox itself, to which neither APIs nor faults apply. */
export function isInspectionPath(path: string): boolean {
  return path === OPENAPI_PATH || path === OPENAPI_PAGE_PATH || path.startsWith(`${INSPECTION_PREFIX}/`);
}

interface InspectionState {
  readonly now: () => number;
  /** The service's brand word; the neutral one if absent. */
  readonly brandWord: string | undefined;
  readonly identitySecrets: IdentitySecrets;
  readonly purges: PurgeLog;
}

/** Handles requests to inspection paths; undefined for other paths. */
export async function handleInspection(
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
    case OPENAPI_PATH:
    case OPENAPI_PAGE_PATH: {
      if (method !== 'GET') return plainText(405, 'send a GET\n', { allow: 'GET' });
      // Large, and rarely requested.
      const { openApiDocument } = await import('../wire/openapi/index.ts');
      const document = openApiDocument({
        ...(brandWord !== undefined && { brand: brandWord }),
        ...(headers.host !== undefined && { baseUrl: `http://${headers.host}` }),
      });
      if (path === OPENAPI_PATH) return json(200, document);
      const { openApiPage } = await import('./openapi-page.ts');
      return openApiPage(document);
    }
    default:
      return undefined;
  }
}
