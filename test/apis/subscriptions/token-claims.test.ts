import { generateKeyPairSync } from 'node:crypto';
import { CompactEncrypt, exportJWK, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { inspectToken } from '../../../src/apis/subscriptions/token-claims.ts';

const NOON = Date.UTC(2026, 2, 14, 12);
const SECONDS = NOON / 1000;
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const secret = 'a-shared-secret-of-32-characters';

const claims = () =>
  new SignJWT({ sub: 'reader-1' }).setIssuedAt(SECONDS - 60).setExpirationTime(SECONDS + 60);
const signed = () => claims().setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey);
const shared = () => claims().setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret));
const statusOf = async (token: string, key: string, now = NOON) =>
  (await inspectToken(token, key, now)).verification;

test('claims and times are read without a key, and nothing is reported as verified', async () => {
  expect(await inspectToken(await signed(), undefined, NOON)).toEqual({
    header: { alg: 'ES256', kid: 'one' },
    claims: { sub: 'reader-1', iat: SECONDS - 60, exp: SECONDS + 60 },
    issuedAt: '2026-03-14T11:59:00Z',
    notBefore: undefined,
    expiresAt: '2026-03-14T12:01:00Z',
    isExpired: false,
    verification: { status: 'not_verified' },
  });
});

describe('a key confirms what it signed', () => {
  test.each([
    ['a PEM public key', async () => pem],
    ['a JWK', async () => JSON.stringify(await exportJWK(publicKey))],
    [
      'a set of JWKs',
      async () =>
        JSON.stringify({
          keys: [
            { ...(await exportJWK(other)), kid: 'two' },
            { ...(await exportJWK(publicKey)), kid: 'one' },
          ],
        }),
    ],
  ])('%s', async (_, key) => {
    expect(await statusOf(await signed(), await key())).toEqual({ status: 'valid' });
  });

  test('a shared secret, as text or as a JWK', async () => {
    expect(await statusOf(await shared(), `${secret}\n`)).toEqual({ status: 'valid' });
    const k = Buffer.from(secret).toString('base64url');
    expect(await statusOf(await shared(), JSON.stringify({ kty: 'oct', k }))).toEqual({ status: 'valid' });
  });
});

describe('a token is not valid', () => {
  const problem = async (...args: Parameters<typeof statusOf>) => {
    const status = await statusOf(...args);
    return 'problem' in status ? status.problem : status.status;
  };

  test('with another key, after its end, or when a byte was changed', async () => {
    const token = await signed();
    expect(await problem(token, other.export({ type: 'spki', format: 'pem' }).toString())).toBe(
      'the signature does not match this key',
    );
    expect(await problem(token, pem, NOON + 60_000)).toBe('the token has expired');
    const [header, payload, signature] = token.split('.');
    const forged = Buffer.from(JSON.stringify({ sub: 'somebody-else' })).toString('base64url');
    expect(await problem([header, forged, signature].join('.'), pem)).toBe(
      'the signature does not match this key',
    );
    expect(payload).not.toBe(forged);
  });

  test('with a public key as a shared secret, or the algorithm none', async () => {
    const confused = await claims()
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(pem.trim()));
    expect(await problem(confused, pem)).toBe('this key cannot confirm a token of this algorithm');
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${part({ alg: 'none' })}.${part({ sub: 'x' })}.`;
    expect(await problem(unsigned, pem)).toBe('this key cannot confirm a token of this algorithm');
  });

  test('with a set that lacks its key', async () => {
    const keys = [{ ...(await exportJWK(other)), kid: 'two' }];
    expect(await problem(await signed(), JSON.stringify({ keys }))).toBe(
      'no key of the set matches the token',
    );
  });
});

test('of an encrypted token only the header is read', async () => {
  const token = await new CompactEncrypt(new TextEncoder().encode('x'))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(new Uint8Array(32));
  const inspected = await inspectToken(token, undefined, NOON);
  expect(inspected).toMatchObject({ header: { enc: 'A256GCM' }, claims: undefined, isExpired: undefined });
});

test.each(['', 'hello', 'a.b.c', 'reader@example.com', `${'a'.repeat(40)}.${'b'.repeat(40)}.c`])(
  'what is no token is rejected without repeating it: %j',
  async text => {
    await expect(inspectToken(text, undefined, NOON)).rejects.toMatchObject({
      kind: 'usage',
      message: 'the input is not a token',
    });
  },
);

test.each(['', '{', '{"kty":"EC"}', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'])(
  'a key that cannot be read is rejected without repeating it: %j',
  async key => {
    const token = await signed();
    const result = await inspectToken(token, key, NOON).catch(error => error.message);
    expect(result).toBe('the key cannot be read');
  },
);
