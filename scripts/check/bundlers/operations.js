// @ts-nocheck: the types of the package are built, and types are checked without a build.
import { createPurgeHandler, Gateway } from 'gatectl/client';

const READER = { email: 'active@example.com' };
const QUERY = {
  data_set: 'pageview',
  date_range: { start_date: '2026-03-01', end_date: '2026-03-07' },
  dimensions: ['country'],
  metrics: ['visits', 'revenue'],
};

/** A request as Sanity sends it, to a handler of its events. */
async function handled(gateway) {
  const secret = 'a secret';
  const handle = createPurgeHandler({
    gateway,
    map: {
      site: 'https://www.example.com',
      always: '/',
      rules: [{ on: { type: 'article' }, urls: '/{slug}/', keys: 'a-{entry}' }],
    },
    senders: { cms: { format: 'sanity', secret } },
  });
  const body = JSON.stringify({ _id: '7', _type: 'article', slug: { current: 'new' }, old_slug: 'old' });
  const bytes = text => new TextEncoder().encode(text);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(secret), algorithm, false, ['sign']);
  const send = async (signedBody, time = Date.now()) => {
    const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(`${time}.${signedBody}`)));
    const signature = btoa(String.fromCharCode(...digest));
    const url = signature.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    const headers = { 'sanity-webhook-signature': `t=${time},v1=${url}`, 'sanity-operation': 'update' };
    const response = await handle(
      new Request('https://www.example.com/hook', { method: 'POST', headers, body }),
    );
    const { id: _, ...reply } = await response.json();
    return [response.status, reply];
  };
  const now = Date.now();
  return [await send(body, now), await send(body, now), await send('{}'), await send(body, now - 600_000)];
}

const OPERATIONS = {
  access: ({ subscriptions }) => subscriptions.access(READER, { product: 'premium' }),
  products: ({ subscriptions }) => subscriptions.products(READER),
  purchases: ({ subscriptions }) => subscriptions.purchases(READER),
  // A token differs each time.
  identityToken: async ({ subscriptions }) =>
    Object.keys(await subscriptions.identityToken(READER.email)).sort(),
  ping: ({ cdn }) => cdn.ping(),
  purge: ({ cdn }) => cdn.purge(['https://www.example.com/a', 'https://www.example.com/b']),
  purgeKeys: ({ cdn }) => cdn.purgeKeys(['news', 'sports']),
  purgeDomain: ({ cdn }) => cdn.purgeDomain('example.com'),
  query: ({ bda }) => bda.query(QUERY).toArray(),
  handler: gateway => handled(gateway),
};

/** The results of all operations, by name; null for those without one. */
export async function results(baseUrl, apiKey) {
  const gateway = new Gateway({ baseUrl, apiKey, domain: 'example.com' });
  const all = {};
  for (const [name, call] of Object.entries(OPERATIONS)) all[name] = (await call(gateway)) ?? null;
  await gateway.close();
  return all;
}

/** Responds with the results; the gateway is in the query of the request. */
export async function respond(request) {
  const { searchParams } = new URL(request.url);
  try {
    return Response.json(await results(searchParams.get('baseUrl'), searchParams.get('apiKey')));
  } catch (error) {
    return new Response(String(error?.stack), { status: 500 });
  }
}
