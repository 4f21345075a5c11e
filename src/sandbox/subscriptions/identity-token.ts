import { IDENTITY_TOKEN_LIFETIME_S, type IdentityToken } from '../../wire/subscriptions.ts';

const ISSUER = 'gatectl-sandbox-identity';

export interface IdentitySecrets {
  readonly signing: Uint8Array;
  readonly encryption: Uint8Array;
}

/** RFC 3339 without fractions of a second. */
const timestamp = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

/**
 * Creates an identity token: a JWT signed with HS256 whose `email` claim is a JWE (A256GCM), so that the address is not
 * readable. `now` is in ms; the token is valid for one hour.
 */
export async function mintIdentityToken(
  email: string,
  domain: string,
  secrets: IdentitySecrets,
  now: number,
): Promise<IdentityToken> {
  const [{ SignJWT }, { CompactEncrypt }] = await Promise.all([
    import('jose/jwt/sign'),
    import('jose/jwe/compact/encrypt'),
  ]);
  const encrypted = await new CompactEncrypt(new TextEncoder().encode(email))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(secrets.encryption);
  const issuedAt = Math.floor(now / 1000);
  const expires = issuedAt + IDENTITY_TOKEN_LIFETIME_S;
  const token = await new SignJWT({ email: encrypted })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(domain)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expires)
    .sign(secrets.signing);
  return { token, expiresAt: timestamp(expires) };
}

type IdentityVerdict =
  | { valid: true; email: string; domain: string; expiresAt: string }
  | { valid: false; reason: 'expired' | 'invalid' };

/** Verifies an identity token at `now` (ms), as a checkout does. */
export async function readIdentityToken(
  token: string,
  secrets: IdentitySecrets,
  now: number,
): Promise<IdentityVerdict> {
  const [{ jwtVerify }, { compactDecrypt }, { JWTExpired }] = await Promise.all([
    import('jose/jwt/verify'),
    import('jose/jwe/compact/decrypt'),
    import('jose/errors'),
  ]);
  try {
    const { payload } = await jwtVerify(token, secrets.signing, {
      algorithms: ['HS256'],
      issuer: ISSUER,
      requiredClaims: ['exp', 'aud', 'email'],
      currentDate: new Date(now),
    });
    const { plaintext } = await compactDecrypt(String(payload.email), secrets.encryption);
    return {
      valid: true,
      email: new TextDecoder().decode(plaintext),
      domain: String(payload.aud),
      expiresAt: timestamp(payload.exp ?? 0),
    };
  } catch (error) {
    return { valid: false, reason: error instanceof JWTExpired ? 'expired' : 'invalid' };
  }
}
