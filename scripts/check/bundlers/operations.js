// @ts-nocheck: the types of the package are built, and types are checked without a build.
import { Gateway } from 'gatectl/client';

const READER = { email: 'active@example.com' };
const QUERY = {
  data_set: 'pageview',
  date_range: { start_date: '2026-03-01', end_date: '2026-03-07' },
  dimensions: ['country'],
  metrics: ['visits', 'revenue'],
};

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
