import { nearest } from '../../errors/nearest.ts';

/** What a fault does to a request. */
export type FaultAction =
  /** Replaces the response. */
  | {
      readonly kind: 'reply';
      readonly status: number;
      readonly code?: string;
      readonly content: ReplyContent;
    }
  /** Responds with 429 to more than `requests` in `windowMs`. */
  | { readonly kind: 'rate-limit'; readonly requests: number; readonly windowMs: number }
  /** Resets the connection: before the request is handled, or within the headers or body of its response. */
  | { readonly kind: 'reset'; readonly at: 'request' | 'headers' | 'body' }
  /** Closes the connection after this many bytes of the body. */
  | { readonly kind: 'truncate'; readonly bytes: number }
  | { readonly kind: 'drip'; readonly bytes: number; readonly everyMs: number };

export type ReplyContent =
  | { readonly kind: 'envelope' }
  | { readonly kind: 'html' }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'text'; readonly text: string };

/** One parsed `--fault`. */
export interface Fault {
  /** The text of the option. */
  readonly spec: string;
  /** Delay before the request is handled. */
  readonly delayMs: number;
  readonly action?: FaultAction;
  /** Sent with a reply or a rate limit, in seconds. */
  readonly retryAfter?: number;
  /** Matches only paths with this prefix or suffix. */
  readonly path?: string;
  /** Matches only this method. */
  readonly method?: string;
  /** Maximum number of requests that it affects. */
  readonly count: number;
  /** Number of matching requests to skip first. */
  readonly after: number;
  /** Affects every n-th matching request. */
  readonly every: number;
}

/** An invalid `--fault`; `examples` show valid ones. */
export class FaultSpecError extends Error {
  override readonly name = 'FaultSpecError';
  readonly examples: readonly string[];

  constructor(message: string, examples: readonly string[] = []) {
    super(message);
    this.examples = examples;
  }
}

const FORMS = {
  status: 'status=503',
  delay: 'delay=2s',
  reset: 'reset, reset=headers or reset=body',
  truncate: 'truncate=100',
  drip: 'drip or drip=16/250ms',
  'rate-limit': 'rate-limit=10/s',
  html: 'html',
  redirect: 'redirect=https://example.com/',
  body: 'body=TEXT (must be last)',
  code: 'code=internal_error',
  'retry-after': 'retry-after=3',
  path: 'path=/subscriptions/',
  method: 'method=POST',
  count: 'count=2',
  after: 'after=5',
  every: 'every=5',
} as const;
type Key = keyof typeof FORMS;

const EXCLUSIVE = ['reset', 'truncate', 'drip', 'rate-limit', 'html', 'redirect', 'body'] as const;
const BARE: readonly Key[] = ['reset', 'drip', 'html'];

/**
 * Parses one fault, such as `status=503,path=/subscriptions/,count=2`.
 *
 * @throws FaultSpecError
 */
export function parseFault(spec: string): Fault {
  const values = readPairs(spec);
  const action = readAction(values);
  const delayMs = values.has('delay') ? duration('delay', values.get('delay') ?? '') : 0;
  if (action === undefined && !values.has('delay')) {
    const actions: Key[] = ['status', 'delay', ...EXCLUSIVE];
    throw new FaultSpecError(`'${spec}' has no action`, [
      `one of: ${actions.map(key => FORMS[key]).join(' · ')}`,
    ]);
  }
  const path = values.get('path');
  if (path !== undefined && !path.startsWith('/')) throw badValue('path', path, 'must start with /');
  const method = values.get('method')?.toUpperCase();
  if (method !== undefined && !/^[A-Z]+$/.test(method))
    throw badValue('method', method, 'must be one HTTP method');
  const retryAfter = values.has('retry-after') ? integer(values, 'retry-after', 0) : undefined;
  if (retryAfter !== undefined && action?.kind !== 'reply' && action?.kind !== 'rate-limit') {
    throw new FaultSpecError('retry-after requires a response', [FORMS.status, FORMS['rate-limit']]);
  }
  return {
    spec,
    delayMs,
    ...(action === undefined ? {} : { action }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(path === undefined ? {} : { path }),
    ...(method === undefined ? {} : { method }),
    count: values.has('count') ? integer(values, 'count', 1) : Number.POSITIVE_INFINITY,
    after: values.has('after') ? integer(values, 'after', 0) : 0,
    every: values.has('every') ? integer(values, 'every', 1) : 1,
  };
}

function readPairs(spec: string): Map<Key, string> {
  const values = new Map<Key, string>();
  let rest = spec;
  while (rest !== '') {
    const end = rest.startsWith('body=') ? -1 : rest.indexOf(',');
    const pair = end === -1 ? rest : rest.slice(0, end);
    rest = end === -1 ? '' : rest.slice(end + 1);
    const [name = '', ...parts] = pair.split('=');
    const key = name.trim();
    if (!isKey(key)) throw unknownKey(key);
    if (values.has(key)) throw new FaultSpecError(`duplicate ${key} in '${spec}'`);
    if (parts.length === 0 && !BARE.includes(key)) {
      throw new FaultSpecError(`${key} requires a value`, [FORMS[key]]);
    }
    values.set(key, parts.join('='));
  }
  return values;
}

function isKey(name: string): name is Key {
  return Object.hasOwn(FORMS, name);
}

function unknownKey(name: string): FaultSpecError {
  const suggestion = nearest(name, Object.keys(FORMS));
  return new FaultSpecError(
    `unknown key '${name}' in a fault${suggestion === undefined ? '' : `: did you mean ${suggestion}?`}`,
    [`keys: ${Object.values(FORMS).join(' · ')}`],
  );
}

function readAction(values: Map<Key, string>): FaultAction | undefined {
  const named = EXCLUSIVE.filter(key => values.has(key));
  if (named.length > 1) {
    throw new FaultSpecError(`${named.join(' and ')} cannot be combined in one fault`);
  }
  const [key] = named;
  const hasStatus = values.has('status');
  if (values.has('code') && !(hasStatus && key === undefined)) {
    throw new FaultSpecError('code requires a status', ['status=429,code=concurrent_request_limit']);
  }
  if (hasStatus && (key === 'reset' || key === 'truncate' || key === 'drip' || key === 'rate-limit')) {
    throw new FaultSpecError(`status and ${key} cannot be combined in one fault`);
  }
  switch (key) {
    case 'reset':
      return { kind: 'reset', at: resetPoint(values.get('reset') ?? '') };
    case 'truncate':
      return { kind: 'truncate', bytes: integer(values, 'truncate', 0) };
    case 'drip':
      return drip(values.get('drip') ?? '');
    case 'rate-limit':
      return rateLimit(values.get('rate-limit') ?? '');
    case 'html':
      if (values.get('html') !== '') throw new FaultSpecError('html accepts no value', [FORMS.html]);
      return reply(values, 200, { kind: 'html' });
    case 'redirect':
      return reply(values, 302, { kind: 'redirect', to: redirectTarget(values.get('redirect') ?? '') });
    case 'body':
      return reply(values, 200, { kind: 'text', text: values.get('body') ?? '' });
    default:
      return hasStatus ? reply(values, 200, { kind: 'envelope' }) : undefined;
  }
}

function reply(values: Map<Key, string>, fallback: number, content: ReplyContent): FaultAction {
  const status = values.has('status') ? integer(values, 'status', 200, 599) : fallback;
  const code = values.get('code');
  return { kind: 'reply', status, content, ...(code === undefined ? {} : { code }) };
}

function resetPoint(text: string): 'request' | 'headers' | 'body' {
  if (text === '') return 'request';
  if (text === 'headers' || text === 'body') return text;
  throw badValue('reset', text, `must be ${FORMS.reset}`);
}

function redirectTarget(text: string): string {
  if (text === '' || /[^\x21-\x7e]/.test(text)) throw badValue('redirect', text, 'must be an ASCII URL');
  return text;
}

function drip(text: string): FaultAction {
  if (text === '') return { kind: 'drip', bytes: 1, everyMs: 1000 };
  const match = /^([1-9]\d*)\/(\d+(?:\.\d+)?(?:ms|s|m|h))$/.exec(text);
  if (match === null) throw badValue('drip', text, `must be ${FORMS.drip}`);
  return { kind: 'drip', bytes: Number(match[1]), everyMs: duration('drip', match[2] ?? '') };
}

function rateLimit(text: string): FaultAction {
  const match = /^(\d+)\/(s|m|h)$/.exec(text);
  if (match === null)
    throw badValue('rate-limit', text, 'must be requests per second, minute or hour: 10/s, 100/m, 0/h');
  return { kind: 'rate-limit', requests: Number(match[1]), windowMs: UNITS[match[2] ?? ''] ?? 0 };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function duration(key: Key, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text);
  if (match === null) throw badValue(key, text, 'must be a number with a unit: 250ms, 2s, 1m');
  return Number(match[1]) * (UNITS[match[2] ?? ''] ?? 0);
}

function integer(values: Map<Key, string>, key: Key, min: number, max = Number.MAX_SAFE_INTEGER): number {
  const text = values.get(key) ?? '';
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
  throw badValue(key, text, `must be an integer, ${range}`);
}

function badValue(key: Key, text: string, allowed: string): FaultSpecError {
  return new FaultSpecError(`invalid ${key}=${text}: ${allowed}`, [FORMS[key]]);
}
