// Three sites that must not be copied. site.test.js shows how each fails.
import { createServer } from 'node:http';
import { verifyReader } from 'gatectl/client';
import { NO_STORE, page, siteReaders } from './access.js';

/** @typedef {import('gatectl/client').Gateway} Gateway */
/** @typedef {import('node:http').IncomingMessage} Message */

/**
 * Keeps decisions: who lost access keeps reading.
 * @param {Gateway} gateway
 */
export function cachingSite(gateway) {
  const readers = siteReaders(gateway);
  /** @type {Map<unknown, import('gatectl/client').PolicyDecision>} */
  const decisions = new Map();
  return createServer(async (request, response) => {
    const token = request.headers['x-session-token'];
    const decision = decisions.get(token) ?? (await readers.check(request));
    decisions.set(token, decision);
    const { status, text } = page(decision);
    response.writeHead(status, { 'cache-control': 'max-age=600' }).end(text);
  });
}

/**
 * Takes the token from the URL: it ends up in logs, in histories, and at whoever the URL is shared with.
 * @param {Gateway} gateway
 */
export function tokenInUrlSite(gateway) {
  const readers = verifyReader(gateway, {
    reader: (/** @type {Message} */ { url, headers }) => ({
      token: new URL(url ?? '/', 'http://localhost').searchParams.get('token') ?? headers['x-session-token'],
    }),
    target: { product: 'premium' },
    onDecisionUnavailable: 'deny',
  });
  return createServer(async (request, response) => {
    const { status, text } = page(await readers.check(request));
    response.writeHead(status, { 'cache-control': NO_STORE }).end(text);
  });
}

/**
 * Lets everybody in when the gateway does not respond.
 * @param {Gateway} gateway
 */
export function failingOpenSite(gateway) {
  const readers = verifyReader(gateway, {
    reader: (/** @type {Message} */ { headers }) => ({ token: headers['x-session-token'] }),
    target: { product: 'premium' },
    onDecisionUnavailable: 'allow',
  });
  return createServer(async (request, response) => {
    const { status, text } = page(await readers.check(request));
    response.writeHead(status, { 'cache-control': NO_STORE }).end(text);
  });
}
