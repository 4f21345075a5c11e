import { BDA_V1_PREFIX } from '../wire/bda-v1.ts';
import { BDA_V2_PREFIX } from '../wire/bda-v2.ts';
import { CDN_PREFIX } from '../wire/cdn.ts';
import { API_KEY_HEADER, API_KEY_PARAMETER, EMPTY_KEY_BODY } from '../wire/key.ts';
import { SUBSCRIPTIONS_PREFIX } from '../wire/subscriptions.ts';
import { errorResponse, HttpError } from './http-error.ts';
import {
  type Api,
  type KeyPlace,
  plainText,
  type Route,
  type SandboxReply,
  type SandboxRequest,
} from './routing.ts';

interface ApiPrefix {
  readonly api: Api;
  readonly prefix: string;
  /** Where the key is expected on an unknown path. */
  readonly key: KeyPlace;
}

const API_PREFIXES: readonly ApiPrefix[] = [
  { api: 'subscriptions', prefix: SUBSCRIPTIONS_PREFIX, key: 'either' },
  { api: 'cdn', prefix: CDN_PREFIX, key: 'either' },
  { api: 'bda-v1', prefix: BDA_V1_PREFIX, key: 'query' },
  { api: 'bda-v2', prefix: BDA_V2_PREFIX, key: 'header' },
];

function apiPrefixOf(path: string): ApiPrefix | undefined {
  return API_PREFIXES.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}

/** The API that a path belongs to, by its prefix. */
export function apiOf(path: string): Api | undefined {
  return apiPrefixOf(path)?.api;
}

/** Returns the routes of an API; called for each request below its prefix. */
export type RouteSource = (api: Api) => Promise<readonly Route[]>;

/**
 * Handles a request below an API's prefix: checks the key, then path and method, and calls the route.
 *
 * @returns undefined for a path outside of all APIs.
 */
export async function handleApiRequest(
  request: SandboxRequest,
  routesOf: RouteSource,
  apiKey: string,
): Promise<SandboxReply | undefined> {
  const apiPrefix = apiPrefixOf(request.path);
  if (apiPrefix === undefined) return undefined;
  try {
    const routes = (await routesOf(apiPrefix.api)).filter(({ api }) => api === apiPrefix.api);
    const candidates = routes.filter(({ path }) => path === request.path);
    const unauthenticated = checkKey(request, candidates[0]?.key ?? apiPrefix.key, apiKey);
    if (unauthenticated !== undefined) return unauthenticated;
    const route = pickRoute(request, routes, candidates);
    if (!route.ignoresBody) requireJson(request);
    return await route.handle(request);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return errorResponse(apiPrefix.api, error);
  }
}

/** Web pages can post text and forms across origins without a preflight request, but not JSON. */
function requireJson({ method, headers }: SandboxRequest): void {
  if (method !== 'POST' || /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) return;
  throw new HttpError(415, 'send the body as application/json');
}

function pickRoute(request: SandboxRequest, routes: readonly Route[], candidates: readonly Route[]): Route {
  const route = candidates.find(({ method }) => method === request.method);
  if (route !== undefined) return route;
  if (candidates.length > 0) {
    const allow = candidates.map(({ method }) => method).join(', ');
    throw new HttpError(405, `${request.path} accepts ${allow}, not ${request.method}`, { allow });
  }
  const bare = request.path.replace(/\/+$/, '');
  const suggestion = routes.find(({ path }) => path.replace(/\/+$/, '') === bare);
  throw new HttpError(
    404,
    suggestion === undefined
      ? `there is nothing at ${request.path}`
      : `there is nothing at ${request.path}: did you mean ${suggestion.path}?`,
  );
}

/**
 * Checks the API key (spec, Authentication). Returns the plain-text 503 if there is no key, undefined if the key is valid.
 * The header takes precedence over the query.
 *
 * @throws HttpError 401 for an invalid key, and for a key in the query if only the header is accepted.
 */
function checkKey(request: SandboxRequest, place: KeyPlace, apiKey: string): SandboxReply | undefined {
  const inHeader = place === 'query' ? '' : (request.headers[API_KEY_HEADER.toLowerCase()] ?? '').trim();
  const inQuery = request.query.get(API_KEY_PARAMETER) ?? '';
  if (place === 'header' && request.query.has(API_KEY_PARAMETER)) {
    throw new HttpError(
      401,
      `the ${API_KEY_PARAMETER} parameter is not accepted here: send the key in the ${API_KEY_HEADER} header`,
    );
  }
  const key = inHeader || (place === 'header' ? '' : inQuery);
  if (key === '') return plainText(503, EMPTY_KEY_BODY);
  if (key !== apiKey) throw new HttpError(401, 'the API key is not valid');
  return undefined;
}
