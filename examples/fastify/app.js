import Fastify from 'fastify';
import { verifyReader } from 'gatectl/client';

/**
 * A site with Fastify: articles that are unlocked one by one, and identity tokens for its checkout.
 *
 * @param {import('gatectl/client').Gateway} gateway
 * @param {(cookie: string | undefined) => string | undefined} signedInAddress the address of the site's own sign-in, by its cookie
 */
export function createSite(gateway, signedInAddress) {
  const app = Fastify();

  const readers = verifyReader(gateway, {
    reader: (/** @type {import('fastify').FastifyRequest} */ request) => ({
      email: signedInAddress(request.headers.cookie),
    }),
    // A price that unlocks an article stores the URL of its page as the item.
    target: request => ({ item: `https://example.com${request.url.split('?')[0]}` }),
    onDecisionUnavailable: 'deny',
  });

  app.get('/articles/:name', { preHandler: readers.fastify }, async (request, reply) => {
    const { allowed, decision, error } = readers.decisionOf(request);
    if (allowed) return ARTICLE;
    // The error contains neither the key nor the address.
    if (error !== undefined) console.error(error);
    reply.code(error !== undefined ? 503 : decision === 'login_required' ? 401 : 402);
    return TEASER;
  });

  // The page's authentication adapter asks for a token, and the checkout takes it instead of the address: made for each
  // checkout, for the reader who is signed in here, and stored nowhere.
  app.post('/identity-token', async (request, reply) => {
    reply.header('cache-control', 'private, no-store');
    const email = signedInAddress(request.headers.cookie);
    if (email === undefined) return reply.code(401).send({ error: 'not signed in' });
    return await gateway.subscriptions.identityToken(email);
  });

  return app;
}

export const ARTICLE = 'the whole article';
export const TEASER = 'the first lines of the article';
