import { verifyReader } from 'gatectl/client';

/**
 * Verifies the readers of the site. The page sends the session token that its script got from getSessionToken() in a header. The
 * gateway is asked for each request, and without its decision the article stays closed.
 *
 * @param {import('gatectl/client').Gateway} gateway
 */
export function siteReaders(gateway) {
  return verifyReader(gateway, {
    reader: (/** @type {import('node:http').IncomingMessage} */ request) => ({
      token: request.headers['x-session-token'],
    }),
    target: { product: 'premium' },
    onDecisionUnavailable: 'deny',
  });
}

/**
 * What a reader sees.
 *
 * @param {import('gatectl/client').PolicyDecision} decided
 * @returns {{ status: 200 | 401 | 402 | 503, text: string }}
 */
export function page({ allowed, decision, error }) {
  if (allowed) return { status: 200, text: ARTICLE };
  // The error contains neither the key nor the token.
  if (error !== undefined) console.error(error);
  const status = error !== undefined ? 503 : decision === 'login_required' ? 401 : 402;
  return { status, text: TEASER };
}

export const ARTICLE = 'the whole article';
export const TEASER = 'the first lines of the article';
/** A page that depends on its reader is stored nowhere. */
export const NO_STORE = 'private, no-store';
