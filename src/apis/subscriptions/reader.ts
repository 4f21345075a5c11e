import isEmail from 'validator/es/lib/isEmail.js';
import { UsageError } from '../../errors/index.ts';

/** The reader of a request: exactly one of the two identities (spec, Authentication 4). */
export type Reader =
  | { readonly kind: 'email'; readonly email: string }
  | { readonly kind: 'token'; readonly token: string };

/** A likely session token: a JWT, or a long word without @. */
const LIKE_A_TOKEN = /^(?:eyJ[\w-]*|[\w.-]{40,})(?:\.|$)/;

/** A reader by e-mail address. Throws UsageError for an invalid address, without repeating it. */
export function readerByEmail(text: string): Extract<Reader, { readonly kind: 'email' }> {
  const email = text.trim();
  if (isMailAddress(email)) return { kind: 'email', email };
  if (LIKE_A_TOKEN.test(email)) {
    throw new UsageError('a session token is not accepted in place of an e-mail address', {
      code: 'invalid_value',
      reason: 'token_as_address',
    });
  }
  throw new UsageError('not a valid e-mail address', {
    code: 'invalid_value',
    reason: 'not_an_address',
  });
}

/** No server takes a longer header. */
const MAX_TOKEN_LENGTH = 65_536;

/** Matches most addresses without the library, which takes longer to load than the rest of a request. */
const COMMON_ADDRESS = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,20}$/i;
/** Within the limits of each part of an address. */
const MAX_COMMON_LENGTH = 60;

export function isMailAddress(text: string): boolean {
  if (text.length <= MAX_COMMON_LENGTH && COMMON_ADDRESS.test(text)) return true;
  // The library throws for a lone surrogate, which cannot be encoded.
  // The RFC allows a line break in a quoted local part, but a header must not contain one.
  return text.isWellFormed() && !/\p{Cc}/u.test(text) && isEmail(text, { allow_utf8_local_part: true });
}

/** A reader by session token. Throws UsageError for an invalid header value. */
export function readerByToken(given: string): Reader {
  const token = given.trim();
  const problem = tokenProblem(token);
  if (problem !== undefined)
    throw new UsageError(`the reader token ${problem}`, {
      code: 'invalid_value',
      reason: 'not_a_session_token',
    });
  return { kind: 'token', token };
}

function tokenProblem(token: string): string | undefined {
  if (token === '') return 'is empty';
  if (token.length > MAX_TOKEN_LENGTH) return 'is longer than any token';
  return /[^\x21-\x7e]/.test(token) ? 'contains characters that no token has' : undefined;
}

/** Masks an address except its first letter and its host: `a***@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${[...email][0] ?? ''}***${email.slice(at)}`;
}
