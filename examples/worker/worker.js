import { Gateway, verifyReader } from 'gatectl/client';

/** @typedef {{ GATEWAY_URL: string, GATEWAY_KEY: string }} Env */

/** A worker that serves articles: a Fetch-style handler, as of Cloudflare Workers, Deno and Bun. */
export default {
  /**
   * @param {Request} request
   * @param {Env} env
   */
  async fetch(request, env) {
    // A worker may use a connection only during the event that opened it.
    const gateway = new Gateway({ baseUrl: env.GATEWAY_URL, apiKey: env.GATEWAY_KEY, domain: 'example.com' });
    const readers = verifyReader(gateway, {
      reader: (/** @type {Request} */ { headers }) => ({ token: headers.get('x-session-token') }),
      target: { product: 'premium' },
      onDecisionUnavailable: 'deny',
    });
    return await readers.fetch(article)(request);
  },
};

/**
 * @param {Request} _request
 * @param {import('gatectl/client').PolicyDecision} decided
 */
function article(_request, { allowed, decision, error }) {
  if (allowed) return new Response('the whole article');
  // The error contains neither the key nor the token.
  if (error !== undefined) console.error(error);
  const status = error !== undefined ? 503 : decision === 'login_required' ? 401 : 402;
  return new Response('the first lines of the article', { status });
}
