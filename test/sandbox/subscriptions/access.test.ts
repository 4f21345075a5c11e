import { describe, expect, test } from 'vitest';
import { DECISIONS, REASON_CODES } from '../../../src/wire/subscriptions.ts';
import { ask, askAs, sandboxWith } from '../asking.ts';

const SHOWN = [
  ['active@example.com', 'premium', 'allowed', 'allowed'],
  ['lifetime@example.com', 'premium', 'allowed', 'allowed'],
  ['denied@example.com', 'premium', 'denied', 'no_entitlement'],
  ['denied@example.com', 'sports', 'allowed', 'allowed'],
  ['notstarted@example.com', 'premium', 'denied', 'not_started'],
  ['suspended@example.com', 'premium', 'denied', 'suspended'],
  ['pending@example.com', 'premium', 'denied', 'pending'],
  ['expired@example.com', 'premium', 'expired', 'expired'],
  ['revoked@example.com', 'premium', 'revoked', 'revoked'],
  ['stranger@example.com', 'premium', 'login_required', 'customer_required'],
  ['active@example.com', 'premuim', 'unknown_product', 'unknown_product'],
  ['removed@example.com', 'print-archive', 'unknown_product', 'unknown_product'],
  ['removed@example.com', 'founders-club', 'unknown_product', 'unknown_product'],
] as const;

describe('what a seeded reader gets to hear', () => {
  test.each(SHOWN)('%s asking for %s: %s because of %s', async (email, product, decision, reasonCode) => {
    const sandbox = await sandboxWith();
    const answer = await askAs(sandbox, email, `/access?domain=example.com&product=${product}`);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ success: true, data: { decision, reasonCode } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('every decision and every reason has a reader that shows it', () => {
    expect(new Set(SHOWN.map(([, , decision]) => decision))).toEqual(new Set(DECISIONS));
    expect(new Set(SHOWN.map(([, , , reason]) => reason))).toEqual(new Set(REASON_CODES));
  });

  test('letter case and blanks around an address do not make it another reader', async () => {
    const answer = await askAs(
      await sandboxWith(),
      ' Active@EXAMPLE.com ',
      '/access?domain=example.com&product=premium',
    );
    expect(answer.json).toMatchObject({ data: { decision: 'allowed' } });
  });

  test('a reader of one domain is unknown on another', async () => {
    const answer = await askAs(
      await sandboxWith(),
      'active@example.com',
      '/access?domain=example.org&product=supporter',
    );
    expect(answer.json).toMatchObject({ data: { decision: 'login_required' } });
  });

  test('access ends when the clock passes its last second', async () => {
    let now = Date.parse('2031-12-31T23:59:58Z');
    const sandbox = await sandboxWith({ now: () => now });
    const path = '/access?domain=example.com&product=premium';
    expect((await askAs(sandbox, 'active@example.com', path)).json).toMatchObject({
      data: { decision: 'allowed' },
    });
    now = Date.parse('2031-12-31T23:59:59Z');
    expect((await askAs(sandbox, 'active@example.com', path)).json).toMatchObject({
      data: { decision: 'expired' },
    });
  });

  test('access starts at its first second', async () => {
    let now = Date.parse('2030-12-31T23:59:59Z');
    const sandbox = await sandboxWith({ now: () => now });
    const path = '/access?domain=example.com&product=premium';
    expect((await askAs(sandbox, 'notstarted@example.com', path)).json).toMatchObject({
      data: { reasonCode: 'not_started' },
    });
    now += 1000;
    expect((await askAs(sandbox, 'notstarted@example.com', path)).json).toMatchObject({
      data: { decision: 'allowed' },
    });
  });
});

describe('one-time items', () => {
  const item = encodeURIComponent('https://example.com/articles/long-read');

  test('an article that was bought is allowed', async () => {
    const answer = await askAs(
      await sandboxWith(),
      'item@example.com',
      `/access?domain=example.com&item=${item}`,
    );
    expect(answer.json).toEqual({ success: true, data: { decision: 'allowed', reasonCode: 'allowed' } });
  });

  test('an article that was not bought is denied', async () => {
    const answer = await askAs(
      await sandboxWith(),
      'denied@example.com',
      `/access?domain=example.com&item=${item}`,
    );
    expect(answer.json).toEqual({
      success: true,
      data: { decision: 'denied', reasonCode: 'no_entitlement' },
    });
  });

  test('a product counts before an item', async () => {
    const answer = await askAs(
      await sandboxWith(),
      'item@example.com',
      `/access?domain=example.com&item=${item}&product=premium`,
    );
    expect(answer.json).toMatchObject({ data: { decision: 'denied' } });
  });

  test('an empty product leaves the item to count', async () => {
    const answer = await askAs(
      await sandboxWith(),
      'item@example.com',
      `/access?domain=example.com&product=&item=${item}`,
    );
    expect(answer.json).toMatchObject({ data: { decision: 'allowed' } });
  });

  test('neither of the two is rejected', async () => {
    const answer = await askAs(await sandboxWith(), 'item@example.com', '/access?domain=example.com');
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ success: false, message: 'a product or an item is required' });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

describe('products and purchases', () => {
  test('products names what is held now, without items', async () => {
    const answer = await askAs(await sandboxWith(), 'active@example.com', '/products?domain=example.com');
    expect(answer.json).toEqual({ success: true, data: ['premium', 'sports'] });
  });

  test('purchases lists limited, lifetime and item purchases', async () => {
    const answer = await askAs(await sandboxWith(), 'active@example.com', '/purchases?domain=example.com');
    expect(answer.json).toEqual({
      success: true,
      data: [
        { productKey: 'premium', status: 'active', expiresAt: '2031-12-31T23:59:59Z' },
        { productKey: 'sports', status: 'active' },
        { item: 'https://example.com/articles/long-read', status: 'active' },
      ],
    });
  });

  test('a removed product leaves its purchase without a handle; an inactive one keeps it', async () => {
    const sandbox = await sandboxWith();
    expect((await askAs(sandbox, 'removed@example.com', '/purchases?domain=example.com')).json).toEqual({
      success: true,
      data: [
        { status: 'active', expiresAt: '2031-12-31T23:59:59Z' },
        { productKey: 'print-archive', status: 'active' },
      ],
    });
    expect((await askAs(sandbox, 'removed@example.com', '/products?domain=example.com')).json).toEqual({
      success: true,
      data: [],
    });
  });

  test.each([
    ['expired@example.com', 'expired'],
    ['revoked@example.com', 'revoked'],
    ['suspended@example.com', 'suspended'],
    ['pending@example.com', 'pending'],
    ['notstarted@example.com', 'not_started'],
  ])('the purchase of %s has the status %s', async (email, status) => {
    const answer = await askAs(await sandboxWith(), email, '/purchases?domain=example.com');
    expect(answer.json).toMatchObject({ data: [{ productKey: 'premium', status }] });
  });

  test.each(['/products', '/purchases'])('%s of an unknown reader is an empty list', async path => {
    const answer = await askAs(await sandboxWith(), 'stranger@example.com', `${path}?domain=example.com`);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ success: true, data: [] });
  });
});

describe('what is rejected before a reader is looked up', () => {
  const both = { 'x-service-reader-email': 'a@example.com', 'x-service-reader-token': 'x' };

  test.each([
    '/access?product=premium&domain=example.com',
    '/products?domain=example.com',
    '/purchases?domain=example.com',
  ])('%s requires exactly one reader header', async path => {
    const sandbox = await sandboxWith();
    const none = await ask(sandbox, `/subscriptions/v1${path}`);
    expect([none.status, none.json]).toEqual([
      400,
      { success: false, message: 'a reader e-mail or token is required' },
    ]);
    const two = await ask(sandbox, `/subscriptions/v1${path}`, { headers: both });
    expect([two.status, two.json]).toEqual([
      400,
      { success: false, message: 'send a reader e-mail or a reader token, not both' },
    ]);
  });

  test('an empty reader header does not count', async () => {
    const answer = await askAs(await sandboxWith(), '', '/products?domain=example.com');
    expect(answer.status).toBe(400);
  });

  test('a reader header with another brand word is ignored', async () => {
    const answer = await askAs(
      await sandboxWith({ brand: 'acme' }),
      'active@example.com',
      '/products?domain=example.com',
    );
    expect(answer.status).toBe(400);
  });

  test('the brand word of the sandbox names the reader headers', async () => {
    const answer = await ask(
      await sandboxWith({ brand: 'acme' }),
      '/subscriptions/v1/products?domain=example.com',
      { headers: { 'X-Acme-Reader-Email': 'active@example.com' } },
    );
    expect(answer.json).toEqual({ success: true, data: ['premium', 'sports'] });
  });

  test.each([
    ['', 400, 'the domain parameter is required'],
    ['?domain=', 400, 'the domain parameter is required'],
    ['?domain=example.com&domain=example.org', 400, 'the domain parameter must be given once'],
    ['?domain=example.edu', 403, 'example.edu does not belong to this account'],
    ['?domain=www.example.com', 403, 'www.example.com does not belong to this account'],
    ['?domain=example.net', 403, 'subscriptions are not enabled for example.net'],
  ])('/products%s returns %i: %s', async (query, status, message) => {
    const answer = await askAs(await sandboxWith(), 'active@example.com', `/products${query}`);
    expect([answer.status, answer.json]).toEqual([status, { success: false, message }]);
  });

  test('the wrong method is rejected with the right one', async () => {
    const answer = await askAs(await sandboxWith(), 'active@example.com', '/products?domain=example.com', {
      method: 'POST',
    });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
    expect(answer.json).toEqual({
      success: false,
      message: '/subscriptions/v1/products accepts GET, not POST',
    });
  });

  test('an unknown path gets the error envelope, and a surplus slash is named', async () => {
    const answer = await askAs(await sandboxWith(), 'active@example.com', '/products/?domain=example.com');
    expect([answer.status, answer.json]).toEqual([
      404,
      {
        success: false,
        message: 'there is nothing at /subscriptions/v1/products/: did you mean /subscriptions/v1/products?',
      },
    ]);
  });
});
