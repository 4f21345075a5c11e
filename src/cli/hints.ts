import { profileSetCommand } from '../commands/framework/profile-set-command.ts';
import type { Resolved } from '../config/resolve.ts';
import {
  ApiError,
  type ApiName,
  AuthError,
  FileError,
  type GatectlError,
  InvalidResponseError,
  LockedError,
  NetworkError,
  RateLimitError,
  type RequestInfo,
  UsageError,
} from '../errors/index.ts';
import { BROKEN_ENCODING, UNSUPPORTED_ENCODING } from '../http/content-encoding.ts';
import { shellQuote } from '../terminal/shell-words.ts';

/** What is known of this invocation when something goes wrong. */
export interface ErrorContext {
  /** The profile in use, if any, and who chose it. */
  readonly profile: Resolved<string | undefined>;
  /** Where the key came from, in words; undefined when none was needed yet. */
  readonly keyOrigin: string | undefined;
  readonly baseUrl: string | undefined;
  /** Whether responses may come compressed. */
  readonly compression: boolean;
}

/** Before any setting was read. */
export const NO_CONTEXT: ErrorContext = {
  profile: { value: undefined, origin: 'default' },
  keyOrigin: undefined,
  baseUrl: undefined,
  compression: true,
};

/** What to do next, one sentence a line. The only place that turns facts into advice. */
export function hintsFor(error: GatectlError, situation: ErrorContext): readonly string[] {
  if (error instanceof UsageError) return error.hints;
  if (error.request?.isWebPage) return pageAdvice(error, situation);
  if (error instanceof AuthError) return authAdvice(error, situation);
  if (error instanceof ApiError) return refusedAdvice(error, situation);
  if (error instanceof NetworkError) return networkAdvice(error, situation);
  if (error instanceof RateLimitError) return limitedAdvice(error);
  if (error instanceof InvalidResponseError) return unusableAdvice(error, situation);
  if (error.code === 'page_repeated') return ['request all rows in one page: --page-size 100000'];
  if (error instanceof LockedError) return lockedAdvice(error);
  if (error instanceof FileError && error.code === 'disk_full') return [DISK_FULL_HINT];
  return [];
}

const DISK_FULL_HINT =
  'free some space, or choose another place: --out or --failed-file for results, XDG_STATE_HOME for interrupted purges';

/** Who sends web pages knows nothing of keys and permissions: advice about those would lead astray. */
function pageAdvice(error: GatectlError, situation: ErrorContext): string[] {
  const { baseUrl } = situation;
  const now = baseUrl === undefined ? '' : ` (now ${baseUrl})`;
  const who = `a proxy, a firewall or a login page answered instead of the gateway: look at the network and at the base URL${now}`;
  if (error instanceof NetworkError) return [who, ...networkAdvice(error, situation)];
  if (error instanceof RateLimitError) return [who, ...limitedAdvice(error)];
  if (error.request?.status !== 404) return [who];
  return [who, ...prefixAdvice(error.request, situation)];
}

function authAdvice(error: AuthError, { keyOrigin, profile }: ErrorContext): string[] {
  const used = keyOrigin === undefined ? [] : [`the key came from ${keyOrigin}`];
  switch (error.code) {
    case 'no_key':
      return [
        ...error.places.map(place => `looked in ${place}`),
        'set GATECTL_API_KEY, or store the key: gatectl login',
        'to try gatectl without a key, add --sandbox',
      ];
    case 'key_not_received':
      return [...used, keyNotSeen(error.request?.api, profile)];
    case 'unauthorized':
      return [...used, 'compare it with the one in the account dashboard: it may have been rotated'];
    case 'forbidden':
      return [...used, `known causes: ${causesOf403(error.request?.api)}`];
    case 'key_unreadable':
      return profile.value === undefined
        ? []
        : [`gatectl profile show ${profile.value} tells where the key should come from`];
  }
}

function keyNotSeen(api: ApiName | undefined, profile: ErrorContext['profile']): string {
  if (api === 'bda-v1')
    return 'the key was sent as developerKey in the query: a proxy on the way may drop it';
  const dropped = 'a proxy on the way may drop the X-API-Key header';
  if (api === 'bda-v2') return `${dropped}, and BDA v2 accepts the key nowhere else`;
  const command = profileSetCommand(profile, 'key-in query');
  return `${dropped}; Subscriptions and CDN also accept the key in the query: ${command}`;
}

function causesOf403(api: ApiName | undefined): string {
  switch (api) {
    case 'cdn':
      return 'API access is not enabled for the CDN, or the domain is not in the account of this key';
    case 'bda-v1':
    case 'bda-v2':
      return 'API access is not enabled for analytics, or the site is not in the account of this key';
    case 'subscriptions':
    case undefined:
      return 'Subscriptions are not enabled for this domain, the domain is not in the account of this key, or the reader token is invalid or belongs to another domain';
  }
}

/** An API's own "not found" is about what was asked for; any other 404 may be about the path of the API. */
function refusedAdvice(error: ApiError, situation: ErrorContext): string[] {
  const { request, hints } = error;
  const { baseUrl } = situation;
  if (request?.status !== 404 || baseUrl === undefined) return [...hints];
  const where = `the base URL in use is ${baseUrl}`;
  if (hints.length > 0 || request.isApiError) return [...hints, where];
  return [where, ...prefixAdvice(request, situation)];
}

function prefixAdvice({ api }: RequestInfo, { profile }: ErrorContext): string[] {
  if (api === undefined) return ['gatectl doctor shows the paths of the APIs of this gateway'];
  const command = profileSetCommand(profile, `prefix-${api} PATH`);
  return [`gatectl doctor finds the path of this API; if it differs, set it: ${command}`];
}

function networkAdvice(error: NetworkError, { baseUrl, profile }: ErrorContext): string[] {
  const where = baseUrl === undefined ? [] : [`the base URL in use is ${baseUrl}`];
  switch (error.code) {
    case 'dns_failed':
    case 'connection_refused':
      return where;
    case 'tls_failed':
      return [
        ...where,
        `if the gateway has a certificate of your own authority, name it: ${profileSetCommand(profile, 'ca-file FILE')}, or NODE_EXTRA_CA_CERTS`,
      ];
    case 'proxy_failed':
      return [
        'the proxy comes from HTTPS_PROXY or HTTP_PROXY; NO_PROXY lists the hosts that are reached directly',
      ];
    case 'timeout':
      return ['a longer limit: --timeout SECONDS'];
    case 'address_space_exhausted':
      return [
        'raise the limit of address space to 12 GB or more (ulimit -v), or set NODE_OPTIONS=--disable-wasm-trap-handler',
      ];
    case 'too_many_open_files':
      return ['raise the limit of open files: ulimit -n 256'];
    case 'connection_reset':
    case 'service_unavailable':
    case 'upstream_error':
    case 'internal_error':
    case 'network_error':
      return error.request?.method === 'POST' ? [] : ['try again later, or with more --retries'];
  }
}

function limitedAdvice(error: RateLimitError): string[] {
  const asked = error.request?.retryAfterMs;
  const wait = asked === undefined ? 'wait a little' : `wait ${Math.ceil(asked / 1000)} s`;
  return [`${wait} before the next try, and ask less at once`];
}

function unusableAdvice(error: InvalidResponseError, context: ErrorContext): string[] {
  const { baseUrl, profile, compression } = context;
  const isEncoding = error.code === BROKEN_ENCODING || error.code === UNSUPPORTED_ENCODING;
  if (isEncoding && compression)
    return [
      `request uncompressed responses with --no-compression, or store it: ${profileSetCommand(profile, 'compression false')}`,
    ];
  if (error.code === 'too_many_rows')
    return ['the gateway seems not to split rows into pages; request larger ones: --page-size N'];
  if (error.code === 'unexpected_status' && (error.request?.status ?? 0) >= 300)
    return [
      'a cache or proxy may have answered instead of the gateway: look at the network and at the base URL',
    ];
  if (error.code === 'redirect')
    return [`correct the base URL${baseUrl === undefined ? '' : ` (now ${baseUrl})`}`];
  return [];
}

function lockedAdvice({ path, isRunning }: LockedError): string[] {
  if (isRunning) return ['wait until that process ends'];
  return [`if it no longer runs there, \`gatectl unlock ${shellQuote(path)}\` releases it`];
}
