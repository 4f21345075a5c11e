// Three sites that must not be copied. site.test.js shows how each fails.
import { createServer } from 'node:http';
import { ARTICLE, articleAccess, NO_STORE, TEASER } from './access.js';

/** @typedef {import('gatectl/client').Gateway} Gateway */

/**
 * Keeps decisions: who lost access keeps reading.
 * @param {Gateway} gateway
 */
export function cachingSite(gateway) {
  /** @type {Map<unknown, Awaited<ReturnType<typeof articleAccess>>>} */
  const decisions = new Map();
  return createServer(async (request, response) => {
    const token = request.headers['x-session-token'];
    const { allowed, status } = decisions.get(token) ?? (await articleAccess(gateway, token));
    decisions.set(token, { allowed, status });
    response.writeHead(status, { 'cache-control': 'max-age=600' }).end(allowed ? ARTICLE : TEASER);
  });
}

/**
 * Takes the token from the URL: it ends up in logs, in histories, and at whoever the URL is shared with.
 * @param {Gateway} gateway
 */
export function tokenInUrlSite(gateway) {
  return createServer(async (request, response) => {
    const token = new URL(request.url ?? '/', 'http://localhost').searchParams.get('token') ?? undefined;
    const header = request.headers['x-session-token'];
    const { allowed, status } = await articleAccess(gateway, token ?? header);
    response.writeHead(status, { 'cache-control': NO_STORE }).end(allowed ? ARTICLE : TEASER);
  });
}

/**
 * Lets everybody in when the gateway does not respond.
 * @param {Gateway} gateway
 */
export function failingOpenSite(gateway) {
  return createServer(async (request, response) => {
    const { allowed, status } = await articleAccess(gateway, request.headers['x-session-token']);
    const isOpen = allowed || status === 503;
    response.writeHead(isOpen ? 200 : status, { 'cache-control': NO_STORE }).end(isOpen ? ARTICLE : TEASER);
  });
}
