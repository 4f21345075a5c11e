import isEmail from 'validator/es/lib/isEmail.js';
import { UsageError } from '../../errors/index.ts';

/** Who is asked about: exactly one of the two identities (spec, Authentication 4). */
export type Reader =
  | { readonly kind: 'email'; readonly email: string }
  | { readonly kind: 'token'; readonly token: string };

/** What session tokens look like: a JWT, or a long word without the @ of an address. */
const LIKE_A_TOKEN = /^(?:eyJ[\w-]*|[\w.-]{40,})(?:\.|$)/;

/** A reader by e-mail address. Throws UsageError when no mail server would accept the address; the message does not repeat it. */
export function readerByEmail(text: string): Extract<Reader, { readonly kind: 'email' }> {
  const email = text.trim();
  if (isMailAddress(email)) return { kind: 'email', email };
  if (LIKE_A_TOKEN.test(email)) {
    throw new UsageError('a session token is not accepted in place of an e-mail address', {
      code: 'invalid_value',
      hints: ['pipe the token in and add --reader-token-stdin'],
    });
  }
  throw new UsageError('not a valid e-mail address', {
    code: 'invalid_value',
    hints: ['type it as name@example.com'],
  });
}

/** Most addresses, told without the library, which takes longer to load than all else that is asked of one reader. */
const USUAL = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,20}$/i;
/** Within the limits of each part of an address. */
const USUAL_LENGTH = 60;

export function isMailAddress(text: string): boolean {
  if (text.length <= USUAL_LENGTH && USUAL.test(text)) return true;
  // Half a surrogate pair can't be encoded, which the library throws at.
  // A quoted local part may hold a line break by the letter of the RFC, a header may not.
  return text.isWellFormed() && !/\p{Cc}/u.test(text) && isEmail(text, { allow_utf8_local_part: true });
}

/** A reader by session token. Throws UsageError when the text can't be a header value. */
export function readerByToken(given: string): Reader {
  const token = given.trim();
  if (token === '' || /[^\x21-\x7e]/.test(token)) {
    const problem = token === '' ? 'is empty' : 'holds characters that no token has';
    throw new UsageError(`the reader token ${problem}`, {
      code: 'invalid_value',
      hints: ['pass on the text that getSessionToken() gave on the page, unchanged'],
    });
  }
  return { kind: 'token', token };
}

/** The address with all but its first letter and its host hidden: `a***@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${[...email][0] ?? ''}***${email.slice(at)}`;
}
