import { createServer } from 'node:http';
import express from 'express';
import { page, siteReaders } from './access.js';

/**
 * The site with Express.
 * @param {import('gatectl/client').Gateway} gateway
 */
export function expressSite(gateway) {
  const readers = siteReaders(gateway);
  const app = express();
  app.disable('x-powered-by');
  app.get('/articles/:name', readers.express, (request, response) => {
    const { status, text } = page(readers.decisionOf(request));
    response.status(status).type('text/plain').send(text);
  });
  return createServer(app);
}
