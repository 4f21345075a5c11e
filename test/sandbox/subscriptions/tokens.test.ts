import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { ask, NOON, sandboxWith } from '../asking.ts';

function sessionOf(sandbox: Sandbox, email: string): string {
  const token = sandbox.readers.find(reader => reader.email === email)?.sessionToken;
  if (token === undefined) throw new Error(`${email} has no session`);
  return token;
}

function askWithToken(sandbox: Sandbox, token: string, path: string) {
  return ask(sandbox, `/subscriptions/v1${path}`, { headers: { 'x-service-reader-token': token } });
}

const CLAIMS = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

describe('reader session tokens', () => {
  test('a signed-in reader is found by the token', async () => {
    const sandbox = await sandboxWith();
    const answer = await askWithToken(
      sandbox,
      sessionOf(sandbox, 'active@example.com'),
      '/products?domain=example.com',
    );
    expect(answer.json).toEqual({ success: true, data: ['premium', 'sports'] });
  });

  test('the token does not hold the address', async () => {
    const token = sessionOf(await sandboxWith(), 'active@example.com');
    expect(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).not.toContain('@');
  });

  test('the same seed gives the same token text in every run, another seed another', async () => {
    const tokens = await Promise.all(
      [1, 1, 2].map(async seed => sessionOf(await sandboxWith({ seed }), 'active@example.com')),
    );
    expect(tokens[0]).toBe(tokens[1]);
    expect(tokens[0]).not.toBe(tokens[2]);
  });

  test('a token of another domain is rejected', async () => {
    const sandbox = await sandboxWith();
    const answer = await askWithToken(
      sandbox,
      sessionOf(sandbox, 'active@example.com'),
      '/access?domain=example.org&product=supporter',
    );
    expect([answer.status, answer.json]).toEqual([
      403,
      { success: false, message: 'the reader token is not valid for example.org' },
    ]);
  });

  test.each([
    ['not a token', () => 'hello'],
    ['signed by someone else', (token: string) => `${token.slice(0, -8)}AAAAAAAA`],
    [
      'unsigned',
      (token: string) => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`,
    ],
    [
      'with other claims under the old signature',
      (token: string) => {
        const [head, , signature] = token.split('.');
        const claims = { ...CLAIMS(token), sid: 'denied-1' };
        return `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
      },
    ],
  ])('a token that is %s is rejected', async (_, forge) => {
    const sandbox = await sandboxWith();
    const token = forge(sessionOf(sandbox, 'active@example.com'));
    expect((await askWithToken(sandbox, token, '/products?domain=example.com')).status).toBe(403);
  });

  test('a token of another seed is rejected', async () => {
    const [sandbox, other] = [await sandboxWith(), await sandboxWith({ seed: 2 })];
    const token = sessionOf(other, 'active@example.com');
    expect((await askWithToken(sandbox, token, '/products?domain=example.com')).status).toBe(403);
  });

  test('a lapsed token is a signed-out reader, not an error', async () => {
    const sandbox = await sandboxWith();
    const token = sessionOf(sandbox, 'lapsed@example.com');
    expect((await askWithToken(sandbox, token, '/access?domain=example.com&product=premium')).json).toEqual({
      success: true,
      data: { decision: 'login_required', reasonCode: 'customer_required' },
    });
    expect((await askWithToken(sandbox, token, '/products?domain=example.com')).json).toEqual({
      success: true,
      data: [],
    });
    expect((await askWithToken(sandbox, token, '/purchases?domain=example.com')).json).toEqual({
      success: true,
      data: [],
    });
  });

  test('a token lapses when the clock reaches its end', async () => {
    let now = Date.parse('2031-12-31T23:59:58Z');
    const sandbox = await sandboxWith({ now: () => now });
    const token = sessionOf(sandbox, 'denied@example.com');
    expect((await askWithToken(sandbox, token, '/products?domain=example.com')).json).toMatchObject({
      data: ['sports'],
    });
    now += 1000;
    expect((await askWithToken(sandbox, token, '/products?domain=example.com')).json).toMatchObject({
      data: [],
    });
  });

  test('a lapsed token of another domain is rejected all the same', async () => {
    const sandbox = await sandboxWith();
    const token = sessionOf(sandbox, 'lapsed@example.com');
    expect((await askWithToken(sandbox, token, '/products?domain=example.org')).status).toBe(403);
  });
});

describe('identity tokens', () => {
  const mint = (sandbox: Sandbox, body: string, domain = 'example.com') =>
    ask(sandbox, `/subscriptions/v1/identity-token?domain=${domain}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  const verify = async (sandbox: Sandbox, token: string) =>
    (await ask(sandbox, '/__sandbox/identity-token/verify', { method: 'POST', body: token, key: '' })).json;

  test('one is made for any address, ends in an hour and is never cacheable', async () => {
    const sandbox = await sandboxWith();
    const answer = await mint(sandbox, '{"email":"new@example.com"}');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.json).toEqual({
      success: true,
      data: { token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/), expiresAt: '2026-03-01T13:00:00Z' },
    });
  });

  test('its claims are readable, the address in them is not', async () => {
    const { json } = await mint(await sandboxWith(), '{"email":"new@example.com"}');
    const { token } = (json as { data: { token: string } }).data;
    const claims = CLAIMS(token);
    expect(claims).toMatchObject({ aud: 'example.com', iat: NOON / 1000, exp: NOON / 1000 + 3600 });
    expect(claims.email).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(JSON.stringify(claims)).not.toContain('new@');
  });

  test('the checkout reads the address until the hour is over', async () => {
    let now = NOON;
    const sandbox = await sandboxWith({ now: () => now });
    const { json } = await mint(sandbox, '{"email":"new@example.com"}');
    const { token } = (json as { data: { token: string } }).data;
    now = NOON + 3_599_999;
    expect(await verify(sandbox, token)).toEqual({
      valid: true,
      email: 'new@example.com',
      domain: 'example.com',
      expiresAt: '2026-03-01T13:00:00Z',
    });
    now = NOON + 3_600_000;
    expect(await verify(sandbox, token)).toEqual({ valid: false, reason: 'expired' });
  });

  test('a token that was tampered with, or a session token, is invalid', async () => {
    const sandbox = await sandboxWith();
    const { json } = await mint(sandbox, '{"email":"new@example.com"}');
    const { token } = (json as { data: { token: string } }).data;
    expect(await verify(sandbox, `${token.slice(0, -6)}AAAAAA`)).toEqual({ valid: false, reason: 'invalid' });
    expect(await verify(sandbox, sessionOf(sandbox, 'active@example.com'))).toEqual({
      valid: false,
      reason: 'invalid',
    });
  });

  test.each([
    ['', 'the body must be JSON'],
    ['email=a@example.com', 'the body must be JSON'],
    ['null', 'email is required'],
    ['[]', 'email is required'],
    ['{}', 'email is required'],
    ['{"email":""}', 'email is required'],
    ['{"email":7}', 'email is required'],
    ['{"email":"nobody"}', 'email is not a valid address'],
    ['{"email":"a@localhost"}', 'email is not a valid address'],
    ['{"email":"a b@example.com"}', 'email is not a valid address'],
  ])('the body %s is rejected: %s', async (body, message) => {
    const answer = await mint(await sandboxWith(), body);
    expect([answer.status, answer.json]).toEqual([400, { success: false, message }]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    ['example.net', 'subscriptions are not enabled for example.net'],
    ['example.edu', 'example.edu does not belong to this account'],
  ])('none is made for %s', async (domain, message) => {
    const answer = await mint(await sandboxWith(), '{"email":"new@example.com"}', domain);
    expect([answer.status, answer.json]).toEqual([403, { success: false, message }]);
  });
});
