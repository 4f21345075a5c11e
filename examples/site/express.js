import { createServer } from 'node:http';
import express from 'express';
import { ARTICLE, articleAccess, NO_STORE, TEASER } from './access.js';

/**
 * The site with Express. The page sends its session token in a header.
 * @param {import('gatectl/client').Gateway} gateway
 */
export function expressSite(gateway) {
  const app = express();
  app.disable('x-powered-by');
  app.get('/articles/:name', async (request, response) => {
    const { allowed, status } = await articleAccess(gateway, request.headers['x-session-token']);
    response
      .status(status)
      .set('cache-control', NO_STORE)
      .type('text/plain')
      .send(allowed ? ARTICLE : TEASER);
  });
  return createServer(app);
}
