import { createServer } from 'node:http';
import { NO_STORE, page, siteReaders } from './access.js';

/**
 * The site with node:http.
 * @param {import('gatectl/client').Gateway} gateway
 */
export function plainSite(gateway) {
  const readers = siteReaders(gateway);
  return createServer(async (request, response) => {
    const { status, text } = page(await readers.check(request));
    response.writeHead(status, { 'cache-control': NO_STORE, 'content-type': 'text/plain' }).end(text);
  });
}
