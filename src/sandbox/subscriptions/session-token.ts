import { createHash, createHmac } from 'node:crypto';
import type { FixtureSession } from '../fixtures/shape.ts';
import { Refusal } from '../refusal.ts';

const ISSUER = 'gatectl-sandbox';
/** Fixed, so that a token's text is the same in every run: 2026-01-01T00:00:00Z. */
const ISSUED_AT_S = 1_767_225_600;

/** A 256-bit secret of the sandbox's own, one for each purpose and seed. */
export function sandboxSecret(purpose: string, seed: number): Buffer {
  return createHash('sha256').update(`gatectl-sandbox ${purpose} ${seed}`).digest();
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * The session token of one reader on one domain: a JWT signed with HS256, the same text in every run with the
 * same seed. Signed by hand and at once, so that starting the sandbox does not wait for the JWT library.
 */
export function signSessionToken(secret: Buffer, domain: string, session: FixtureSession): string {
  const expires =
    session.expires === undefined ? {} : { exp: Math.floor(Date.parse(session.expires) / 1000) };
  const claims = { iss: ISSUER, aud: domain, sid: session.id, iat: ISSUED_AT_S, ...expires };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/**
 * Reads a relayed session token.
 *
 * @returns the session's id, or undefined when the token has run out at `now` (ms).
 * @throws Refusal 403 for a token that is forged, malformed, or made for another domain.
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
    throw new Refusal(403, `the reader token is not valid for ${domain}`);
  }
}
