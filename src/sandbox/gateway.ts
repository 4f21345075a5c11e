import { BDA_V1_PREFIX } from '../wire/bda-v1.ts';
import { BDA_V2_PREFIX } from '../wire/bda-v2.ts';
import { CDN_PREFIX } from '../wire/cdn.ts';
import { SUBSCRIPTIONS_PREFIX } from '../wire/subscriptions.ts';
import { refuseKey } from './key.ts';
import { Refusal, refusalReply } from './refusal.ts';
import type { Api, KeyPlace, Route, SandboxReply, SandboxRequest } from './routing.ts';

interface FamilyGround {
  readonly api: Api;
  readonly prefix: string;
  /** Where the key is looked for on a path that no route takes. */
  readonly key: KeyPlace;
}

const GROUNDS: readonly FamilyGround[] = [
  { api: 'subscriptions', prefix: SUBSCRIPTIONS_PREFIX, key: 'either' },
  { api: 'cdn', prefix: CDN_PREFIX, key: 'either' },
  { api: 'bda-v1', prefix: BDA_V1_PREFIX, key: 'query' },
  { api: 'bda-v2', prefix: BDA_V2_PREFIX, key: 'header' },
];

function groundOf(path: string): FamilyGround | undefined {
  return GROUNDS.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}

/** The API that a path belongs to, by its prefix. */
export function apiOf(path: string): Api | undefined {
  return groundOf(path)?.api;
}

/** Gives an API's routes; called on the first request below the API's prefix. */
export type RouteSource = (api: Api) => Promise<readonly Route[]>;

/**
 * Answers one request below an API's prefix: the key first, then the path, the method, and the API itself.
 *
 * @returns undefined where no API answers for the path.
 */
export async function answerFamily(
  request: SandboxRequest,
  routesOf: RouteSource,
  apiKey: string,
): Promise<SandboxReply | undefined> {
  const ground = groundOf(request.path);
  if (ground === undefined) return undefined;
  try {
    const routes = (await routesOf(ground.api)).filter(({ api }) => api === ground.api);
    const candidates = routes.filter(({ path }) => path === request.path);
    const unauthenticated = refuseKey(request, candidates[0]?.key ?? ground.key, apiKey);
    if (unauthenticated !== undefined) return unauthenticated;
    const route = pickRoute(request, routes, candidates);
    if (!route.ignoresBody) refuseContentType(request);
    return await route.answer(request);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusalReply(ground.api, error);
  }
}

/** A page on the web can post text and forms anywhere without being asked, but not JSON. */
function refuseContentType({ method, headers }: SandboxRequest): void {
  if (method !== 'POST' || /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) return;
  throw new Refusal(415, 'send the body as application/json');
}

function pickRoute(request: SandboxRequest, routes: readonly Route[], candidates: readonly Route[]): Route {
  const route = candidates.find(({ method }) => method === request.method);
  if (route !== undefined) return route;
  if (candidates.length > 0) {
    const allow = candidates.map(({ method }) => method).join(', ');
    throw new Refusal(405, `${request.path} takes ${allow}, not ${request.method}`, { allow });
  }
  const bare = request.path.replace(/\/+$/, '');
  const meant = routes.find(({ path }) => path.replace(/\/+$/, '') === bare);
  throw new Refusal(
    404,
    meant === undefined
      ? `there is nothing at ${request.path}`
      : `there is nothing at ${request.path}: did you mean ${meant.path}?`,
  );
}
