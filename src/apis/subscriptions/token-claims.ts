import { createPublicKey, createSecretKey, KeyObject } from 'node:crypto';
import { UsageError } from '../../errors/index.ts';
import { isRecord, type JsonRecord } from '../../json/index.ts';

export interface InspectedToken {
  readonly header: JsonRecord;
  /** Undefined for an encrypted token. */
  readonly claims: JsonRecord | undefined;
  /** RFC 3339, from the claims `iat`, `nbf` and `exp`. */
  readonly issuedAt: string | undefined;
  readonly notBefore: string | undefined;
  readonly expiresAt: string | undefined;
  /** At `now`; undefined without an `exp` claim. */
  readonly isExpired: boolean | undefined;
  readonly verification: Verification;
}

type Verification =
  | { readonly status: 'not_verified' | 'valid' }
  | { readonly status: 'invalid'; readonly problem: string };

/** A compact JWT or JWE: three or five parts of base64url with dots between. */
const COMPACT = /^[\w-]+(?:\.[\w-]*){2}(?:\.[\w-]*){0,2}$/;

/**
 * What a token says, at `now` (ms), and whether a key confirms it: `key` is the text of a PEM public key or certificate, a JWK, a
 * set of JWKs, or a shared secret. Throws UsageError for a text that is not a token and for an unreadable key; no message
 * repeats either.
 */
export async function inspectToken(
  token: string,
  key: string | undefined,
  now: number,
): Promise<InspectedToken> {
  if (!COMPACT.test(token)) throw notAToken();
  const { decodeJwt, decodeProtectedHeader } = await import('jose');
  const header = read(() => decodeProtectedHeader(token)) as JsonRecord;
  const isEncrypted = token.split('.').length === 5;
  const claims = isEncrypted ? undefined : (read(() => decodeJwt(token)) as JsonRecord);
  const expiresAt = timeOf(claims?.exp);
  return {
    header,
    claims,
    issuedAt: timeOf(claims?.iat),
    notBefore: timeOf(claims?.nbf),
    expiresAt,
    isExpired: typeof claims?.exp === 'number' ? claims.exp * 1000 <= now : undefined,
    verification:
      key === undefined
        ? { status: 'not_verified' }
        : isEncrypted
          ? { status: 'invalid', problem: 'the token is encrypted, so its signature cannot be checked' }
          : await verified(token, key, now),
  };
}

function read<T>(decode: () => T): T {
  try {
    return decode();
  } catch {
    throw notAToken();
  }
}

function notAToken(): UsageError {
  return new UsageError('the input is not a token', {
    code: 'invalid_input',
    reason: 'not_a_token',
  });
}

/** Largest time of a Date, in seconds. */
const MAX_SECONDS = 8.64e12;

function timeOf(seconds: unknown): string | undefined {
  if (typeof seconds !== 'number' || Math.abs(seconds) > MAX_SECONDS) return undefined;
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

async function verified(token: string, keyText: string, now: number): Promise<Verification> {
  const { createLocalJWKSet, errors, jwtVerify } = await import('jose');
  const key = keyOf(keyText);
  const options = { currentDate: new Date(now) };
  try {
    if (key instanceof KeyObject) await jwtVerify(token, key, options);
    else await jwtVerify(token, createLocalJWKSet(key), options);
    return { status: 'valid' };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return invalid('the token has expired');
    if (error instanceof errors.JWTClaimValidationFailed)
      return invalid(
        error.claim === 'nbf' ? 'the token is not valid yet' : 'a time in the token is not a number',
      );
    if (error instanceof errors.JWSSignatureVerificationFailed)
      return invalid('the signature does not match this key');
    if (error instanceof errors.JWKSNoMatchingKey) return invalid('no key of the set matches the token');
    if (error instanceof errors.JWKSMultipleMatchingKeys)
      return invalid('several keys of the set match the token');
    // After any other error of the library, the token is not confirmed, so it is not valid.
    return invalid('this key cannot confirm a token of this algorithm');
  }
}

const invalid = (problem: string): Verification => ({ status: 'invalid', problem });

/** The kind of key decides which algorithms are accepted: a public key is never taken for a shared secret. */
function keyOf(text: string): KeyObject | { keys: JsonRecord[] } {
  const trimmed = text.trim();
  if (trimmed === '') throw unreadable();
  try {
    if (trimmed.startsWith('-----BEGIN')) return createPublicKey(trimmed);
    if (!trimmed.startsWith('{')) return createSecretKey(trimmed, 'utf8');
    const parsed: unknown = JSON.parse(trimmed);
    if (isRecord(parsed) && Array.isArray(parsed.keys) && parsed.keys.every(isRecord))
      return { keys: parsed.keys };
    if (isRecord(parsed) && parsed.kty === 'oct' && typeof parsed.k === 'string')
      return createSecretKey(parsed.k, 'base64url');
    if (isRecord(parsed)) return createPublicKey({ key: parsed, format: 'jwk' });
  } catch {
    // Its message may quote the key.
  }
  throw unreadable();
}

function unreadable(): UsageError {
  return new UsageError('the key cannot be read', { code: 'invalid_input', reason: 'unreadable_token_key' });
}
