import { type Delivery, EventRefused } from './content-event.ts';

/** A request as its signature has it. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: { get(name: string): string | null };
  /** The bytes of its body. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/** How a signature is checked: returns what identifies the delivery. Throws EventRefused. */
type Scheme = (request: SignedRequest, secret: string) => Promise<Delivery>;

const UTF8 = new TextEncoder();

/**
 * The schemes, by name. `standard` is that of www.standardwebhooks.com: the header `webhook-signature` over id, time and body. `token` is a
 * secret header, where the sender signs nothing: what dates and identifies such an event is in its body.
 */
export const SCHEMES = {
  async standard({ headers, body }, secret) {
    const [id, seconds] = [headers.get('webhook-id'), headers.get('webhook-timestamp')];
    const given = headers.get('webhook-signature');
    if (id === null || seconds === null || given === null || !/^\d{1,12}$/.test(seconds))
      throw unsigned('webhook-id, webhook-timestamp and webhook-signature');
    const expected = base64(await hmac(standardKey(secret), [`${id}.${seconds}.`, body]));
    const signatures = given.split(' ').filter(each => each.startsWith('v1,'));
    if (!signatures.some(each => isSame(each.slice(3), expected))) throw forged();
    return { id, time: Number(seconds) * 1000 };
  },

  /** `sha256=HEX, t=MILLISECONDS` over body and time. */
  async ghost({ headers, body }, secret) {
    const header = headers.get('x-ghost-signature') ?? '';
    const [, signature = '', time = ''] = /^sha256=([0-9a-f]{64}), ?t=(\d{1,15})$/.exec(header) ?? [];
    if (signature === '') throw unsigned('X-Ghost-Signature');
    if (!isSame(signature, hex(await hmac(UTF8.encode(secret), [body, time])))) throw forged();
    return { id: signature.slice(0, 32), time: Number(time) };
  },

  /** `t=MILLISECONDS,v1=BASE64URL` over time, a dot and body. */
  async sanity({ headers, body }, secret) {
    const header = headers.get('sanity-webhook-signature') ?? '';
    const [, time = '', signature = ''] = /^t=(\d{1,15})[, ]+v1=([^, ]+)$/.exec(header.trim()) ?? [];
    if (signature === '') throw unsigned('sanity-webhook-signature');
    const expected = base64(await hmac(UTF8.encode(secret), [`${time}.`, body]))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replace(/=+$/, '');
    if (!isSame(signature, expected)) throw forged();
    return { id: signature.slice(0, 32), time: Number(time) };
  },

  /** Hexadecimal digits over method, path, the headers that `x-contentful-signed-headers` names, and body, a line each. */
  async contentful({ method, path, headers, body }, secret) {
    const signature = headers.get('x-contentful-signature');
    const names = headers.get('x-contentful-signed-headers');
    const time = headers.get('x-contentful-timestamp') ?? '';
    if (signature === null || names === null || !/^\d{1,15}$/.test(time))
      throw unsigned('X-Contentful-Signature');
    const signed = names.split(',').map(name => name.toLowerCase().trim());
    if (!signed.includes('x-contentful-timestamp')) throw forged();
    const lines = [...new Set(signed)].sort().map(name => `${name}:${(headers.get(name) ?? '').trim()}`);
    const [before = '', query] = path.split('?');
    const target = encodeURI(query === undefined ? before : `${before}?${queryEscaped(query)}`);
    const message = `${method}\n${target}\n${lines.join(';')}\n`;
    if (!isSame(signature, hex(await hmac(UTF8.encode(secret), [message, body])))) throw forged();
    return { id: signature.slice(0, 32), time: Number(time) };
  },

  async token({ headers, body }, secret) {
    const given = headers.get('authorization') ?? '';
    if (given === '') throw unsigned('Authorization');
    if (!isSame(given.replace(/^Bearer /i, ''), secret.trimEnd())) throw forged();
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
    return { id: hex(digest).slice(0, 32), time: Number.NaN };
  },
} as const satisfies Record<string, Scheme>;

/** Escapes as querystring.escape of Node, with which Contentful signs. */
function queryEscaped(query: string): string {
  return encodeURIComponent(query);
}

/** A secret with the prefix of Standard Webhooks is Base64. */
function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  if (encoded === undefined) return UTF8.encode(secret);
  return Uint8Array.from(atob(encoded), character => character.charCodeAt(0));
}

async function hmac(
  secret: Uint8Array<ArrayBuffer>,
  parts: readonly (string | Uint8Array<ArrayBuffer>)[],
): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
  const bytes = parts.map(part => (typeof part === 'string' ? UTF8.encode(part) : part));
  const message = new Uint8Array(bytes.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of bytes) {
    message.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, message));
}

/** In a time that does not depend on where the texts differ. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [UTF8.encode(given), UTF8.encode(expected)];
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at += 1) difference |= (one[at] ?? 0) ^ (other[at % other.length] ?? 0);
  return difference === 0;
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function unsigned(names: string): EventRefused {
  return new EventRefused('unsigned', `no valid header ${names}`);
}

function forged(): EventRefused {
  return new EventRefused('forged', 'the signature does not fit the secret and the content');
}
