import { createServer } from 'node:http';
import express from 'express';
import { createPurgeHandler, expressPurgeHandler } from 'gatectl/client';

/**
 * A route of Express for the events of a CMS. What it leads to is purged before the response.
 * @param {import('gatectl/client').Gateway} gateway
 * @param {string} secret
 */
export function eventsSite(gateway, secret) {
  const handle = createPurgeHandler({
    gateway,
    map: {
      site: 'https://www.example.com',
      rules: [{ on: { type: 'article' }, urls: '{path}', listings: ['/', '/tag/{tag}/'] }],
    },
    senders: { cms: { format: 'json', secret, event: content => content } },
  });
  const app = express();
  app.disable('x-powered-by');
  // Before express.json(): signatures are over the bytes of the body.
  app.post('/events/:sender', expressPurgeHandler(handle));
  app.use(express.json());
  return createServer(app);
}
