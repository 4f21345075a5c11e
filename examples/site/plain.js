import { createServer } from 'node:http';
import { ARTICLE, articleAccess, NO_STORE, TEASER } from './access.js';

/**
 * The site with node:http. The page sends its session token in a header.
 * @param {import('gatectl/client').Gateway} gateway
 */
export function plainSite(gateway) {
  return createServer(async (request, response) => {
    const { allowed, status } = await articleAccess(gateway, request.headers['x-session-token']);
    response.writeHead(status, { 'cache-control': NO_STORE, 'content-type': 'text/plain' });
    response.end(allowed ? ARTICLE : TEASER);
  });
}
