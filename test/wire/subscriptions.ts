import type { Pair } from './pair.ts';

const KEY = { 'x-api-key': 'sandbox-key-0000-not-a-secret' };
const BASE = '/subscriptions/v1';

function by(email: string) {
  return { ...KEY, 'x-service-reader-email': email };
}

function decision(email: string, word: string, reasonCode: string, product = 'premium'): Pair {
  return {
    title: `access for ${email} is ${word} (${reasonCode})`,
    args: ['access', '--product', product, '--email', email, '--domain', 'example.com'],
    request: {
      method: 'GET',
      target: `${BASE}/access?domain=example.com&product=${product}`,
      headers: by(email),
      without: ['x-service-reader-token', 'content-type'],
    },
    response: { status: 200, body: { success: true, data: { decision: word, reasonCode } } },
    exit: 0,
  };
}

/** Spec, Endpoints A, Authentication and Errors. */
export const subscriptionsPairs: readonly Pair[] = [
  decision('active@example.com', 'allowed', 'allowed'),
  decision('denied@example.com', 'denied', 'no_entitlement'),
  decision('nobody@example.com', 'login_required', 'customer_required'),
  decision('expired@example.com', 'expired', 'expired'),
  decision('revoked@example.com', 'revoked', 'revoked'),
  decision('suspended@example.com', 'denied', 'suspended'),
  decision('pending@example.com', 'denied', 'pending'),
  decision('notstarted@example.com', 'denied', 'not_started'),
  { ...decision('active@example.com', 'unknown_product', 'unknown_product', 'premiun'), looksUp: 2 },
  {
    title: 'an article bought once is asked for by its page address',
    args: [
      'access',
      '--item',
      'https://example.com/articles/long-read',
      '--email',
      'item@example.com',
      '--domain',
      'example.com',
    ],
    request: {
      method: 'GET',
      target: `${BASE}/access?domain=example.com&item=https%3A%2F%2Fexample.com%2Farticles%2Flong-read`,
      headers: by('item@example.com'),
    },
    response: { status: 200, body: { success: true, data: { decision: 'allowed', reasonCode: 'allowed' } } },
    exit: 0,
  },
  {
    title: 'products lists the handles a reader holds, without one-time items',
    args: ['products', '--email', 'active@example.com', '--domain', 'example.com'],
    request: {
      method: 'GET',
      target: `${BASE}/products?domain=example.com`,
      headers: by('active@example.com'),
    },
    response: { status: 200, body: { success: true, data: ['premium', 'sports'] } },
    exit: 0,
  },
  {
    title: 'products of a reader nobody knows are an empty list',
    args: ['products', '--email', 'nobody@example.com', '--domain', 'example.com'],
    request: {
      method: 'GET',
      target: `${BASE}/products?domain=example.com`,
      headers: by('nobody@example.com'),
    },
    response: { status: 200, body: { success: true, data: [] } },
    exit: 0,
  },
  {
    title: 'purchases lists one-time items too',
    args: ['purchases', '--email', 'active@example.com', '--domain', 'example.com'],
    request: {
      method: 'GET',
      target: `${BASE}/purchases?domain=example.com`,
      headers: by('active@example.com'),
    },
    response: {
      status: 200,
      body: {
        success: true,
        data: [
          { productKey: 'premium', status: 'active', expiresAt: '2031-12-31T23:59:59Z' },
          { productKey: 'sports', status: 'active' },
          { item: 'https://example.com/articles/long-read', status: 'active' },
        ],
      },
    },
    exit: 0,
  },
  {
    title: 'token posts the address and carries no reader header',
    args: ['token', '--email', 'signed-in@example.com', '--domain', 'example.com'],
    request: {
      method: 'POST',
      target: `${BASE}/identity-token?domain=example.com`,
      headers: { ...KEY, 'content-type': 'application/json' },
      without: ['x-service-reader-email', 'x-service-reader-token'],
      body: { email: 'signed-in@example.com' },
    },
    response: {
      status: 200,
      body: { success: true, data: { token: 'a.b.c', expiresAt: '2026-03-14T13:00:00Z' } },
      varying: ['token', 'expiresAt'],
    },
    exit: 0,
  },
  {
    title: 'a domain without subscriptions is refused',
    args: ['products', '--email', 'active@example.com', '--domain', 'example.net'],
    request: {
      method: 'GET',
      target: `${BASE}/products?domain=example.net`,
      headers: by('active@example.com'),
    },
    response: { status: 403, body: { success: false, message: 'any words' }, varying: ['message'] },
    exit: 4,
  },
  {
    title: 'a domain of another account is refused',
    args: ['products', '--email', 'active@example.com', '--domain', 'foreign.example'],
    request: {
      method: 'GET',
      target: `${BASE}/products?domain=foreign.example`,
      headers: by('active@example.com'),
    },
    response: { status: 403, body: { success: false, message: 'any words' }, varying: ['message'] },
    exit: 4,
  },
  {
    title: 'a forged session token is refused',
    args: ['products', '--reader-token', 'not.a.token', '--domain', 'example.com'],
    request: {
      method: 'GET',
      target: `${BASE}/products?domain=example.com`,
      headers: { ...KEY, 'x-service-reader-token': 'not.a.token' },
      without: ['x-service-reader-email'],
    },
    response: { status: 403, body: { success: false, message: 'any words' }, varying: ['message'] },
    exit: 4,
  },
];
