import { createHash, createHmac } from 'node:crypto';
import type { FixtureSession } from '../fixtures/shape.ts';
import { HttpError } from '../http-error.ts';

const ISSUER = 'gatectl-sandbox';
/** Fixed, so that tokens are reproducible: 2026-01-01T00:00:00Z. */
const ISSUED_AT_S = 1_767_225_600;

/** Derives a 256-bit secret from purpose and seed. */
export function sandboxSecret(purpose: string, seed: number): Buffer {
  return createHash('sha256').update(`gatectl-sandbox ${purpose} ${seed}`).digest();
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * The session token of one reader on one domain: a reproducible JWT signed with HS256. Signed without the JWT library, which
 * would delay the start of the sandbox.
 */
export function signSessionToken(secret: Buffer, domain: string, session: FixtureSession): string {
  const expires =
    session.expires === undefined ? {} : { exp: Math.floor(Date.parse(session.expires) / 1000) };
  const claims = { iss: ISSUER, aud: domain, sid: session.id, iat: ISSUED_AT_S, ...expires };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/**
 * Verifies a relayed session token.
 *
 * @returns the session id, or undefined if the token is expired at `now` (ms).
 * @throws HttpError 403 for an invalid token, and for one of another domain.
 */
export async function readSessionToken(
  token: string,
  secret: Buffer,
  domain: string,
  now: number,
): Promise<string | undefined> {
  const [{ jwtVerify }, { JWTExpired }] = await Promise.all([
    import('jose/jwt/verify'),
    import('jose/errors'),
  ]);
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: domain,
      currentDate: new Date(now),
    });
    return typeof payload.sid === 'string' ? payload.sid : undefined;
  } catch (error) {
    if (error instanceof JWTExpired) return undefined;
    throw new HttpError(403, `the reader token is not valid for ${domain}`);
  }
}
