import { profileSetCommand } from '../commands/framework/profile-set-command.ts';
import type { Resolved } from '../config/resolve.ts';
import {
  ApiError,
  type ApiName,
  AuthError,
  DestinationError,
  FileError,
  type GatectlError,
  InvalidResponseError,
  LockedError,
  NetworkError,
  RateLimitError,
  type RequestInfo,
  UsageError,
} from '../errors/index.ts';
import { similarFile } from '../files/similar-file.ts';
import { BROKEN_ENCODING, UNSUPPORTED_ENCODING } from '../http/content-encoding.ts';
import { shellQuote } from '../text/shell-words.ts';
import { pageHint } from './page-hint.ts';
import { hintsForReason } from './reason-hints.ts';

/** What is known about the invocation when an error occurs. */
export interface ErrorContext {
  /** The profile in use, if any, and its origin. */
  readonly profile: Resolved<string | undefined>;
  /** The origin of the key; undefined if none was used yet. */
  readonly keyOrigin: string | undefined;
  readonly baseUrl: string | undefined;
  /** Whether compressed responses are accepted. */
  readonly compression: boolean;
  /** Whether the command has `--page-size`. */
  readonly hasPageSize: boolean;
}

/** The context before settings are read. */
export const NO_CONTEXT: ErrorContext = {
  profile: { value: undefined, origin: 'default' },
  keyOrigin: undefined,
  baseUrl: undefined,
  compression: true,
  hasPageSize: false,
};

/** The hints for an error, one line each: its own, those that depend on commands and settings, and the page that explains it. */
export function hintsFor(error: GatectlError, context: ErrorContext): readonly string[] {
  return [...hintsOf(error, context), ...pageHint(error.code)];
}

function hintsOf(error: GatectlError, context: ErrorContext): readonly string[] {
  if (error instanceof UsageError && error.code === 'output_too_large' && error.hints.length === 0)
    return ['stream them with -o ndjson or --out FILE'];
  if (error.reason !== undefined) return [...error.hints, ...hintsForReason(error.reason)];
  if (error instanceof UsageError || error instanceof DestinationError) return error.hints;
  if (error.request?.isWebPage) return htmlHints(error, context);
  if (error instanceof AuthError) return authHints(error, context);
  if (error instanceof ApiError) return apiHints(error, context);
  if (error instanceof NetworkError) return networkHints(error, context);
  if (error instanceof RateLimitError) return rateLimitHints(error);
  if (error instanceof InvalidResponseError) return invalidResponseHints(error, context);
  if (error.code === 'product_unknown')
    return ['check the handle: it may be misspelled, or the product inactive'];
  if (error.code === 'page_repeated')
    return context.hasPageSize ? ['request all rows in one page: --page-size 100000'] : [];
  if (error instanceof LockedError) return lockHints(error);
  if (error instanceof FileError && error.code === 'disk_full') return [DISK_FULL_HINT];
  if (error instanceof FileError && error.code === 'no_reader')
    return [`start its reader first: cat ${shellQuote(error.path)} >FILE &`];
  if (error instanceof FileError && error.code === 'damaged_key')
    return [
      `remove it: rm ${shellQuote(error.path)}; results that are stored by then are no longer recognized`,
    ];
  if (error instanceof FileError && error.code === 'damaged_ledger') return damagedLedgerHints(error);
  if (error instanceof FileError && error.code === 'damaged_lake') return damagedLakeHints(error);
  if (error instanceof FileError && error.code === 'newer_version')
    return ['update gatectl, or choose another destination'];
  if (error instanceof FileError && /\bno such file: /.test(error.message)) return missingFileHints(error);
  return error.hints;
}

const DISK_FULL_HINT =
  'free some space, or write elsewhere: --out or --failed-file for results, destination of a sync file, XDG_STATE_HOME for interrupted purges';

function missingFileHints({ path, hints }: FileError): readonly string[] {
  const similar = similarFile(path);
  return similar === undefined ? hints : [`did you mean ${shellQuote(similar)}?`, ...hints];
}

/** In a folder; a bucket stores no superseded rows. */
const NO_HISTORY_HINT = 'with history: true, the rows that this run replaces are not stored';

function damagedLedgerHints({ path }: FileError): string[] {
  const [remove, ...history] = path.startsWith('s3:') ? ['aws s3 rm'] : ['rm', NO_HISTORY_HINT];
  return [
    `remove it: ${remove} ${shellQuote(path)}; the next run requests all days of this site again`,
    ...history,
  ];
}

function damagedLakeHints({ path }: FileError): string[] {
  const isBucket = path.startsWith('s3:');
  const quoted = shellQuote(path);
  const [, own, table] = /^(.*)[\\/]tables[\\/](.+)\.json$/.exec(path) ?? [];
  if (own === undefined)
    return [`write it again: echo '{"format":1}' ${isBucket ? `| aws s3 cp - ${quoted}` : `> ${quoted}`}`];
  // With other types under the numbers of earlier versions, the ledger would be wrong.
  const ledger = shellQuote(`${own}/ledger/${table}`);
  const remove = isBucket
    ? `aws s3 rm ${quoted} && aws s3 rm --recursive ${ledger}/`
    : `rm -r ${quoted} ${ledger}`;
  return [
    `remove it and the ledger of its table: ${remove}; the next run requests all days of the table again`,
    ...(isBucket ? [] : [NO_HISTORY_HINT]),
  ];
}

/** A web page does not come from the API, so hints about keys and permissions would be misleading. */
function htmlHints(error: GatectlError, context: ErrorContext): string[] {
  const { baseUrl } = context;
  const now = baseUrl === undefined ? '' : ` (now ${baseUrl})`;
  const who = `a proxy, a firewall or a login page responded instead of the gateway: check the network and the base URL${now}`;
  if (error instanceof NetworkError) return [who, ...networkHints(error, context)];
  if (error instanceof RateLimitError) return [who, ...rateLimitHints(error)];
  if (error.request?.status !== 404) return [who];
  return [who, ...prefixHints(error.request, context)];
}

function authHints(error: AuthError, { keyOrigin, profile }: ErrorContext): string[] {
  const used = keyOrigin === undefined ? [] : [`the key came from ${keyOrigin}`];
  switch (error.code) {
    case 'no_key':
      return [
        ...error.places.map(place => `searched ${place}`),
        'set GATECTL_API_KEY, or store the key: gatectl login',
        'to try gatectl without a key, add --sandbox',
      ];
    case 'key_not_received':
      return [...used, keyNotReceivedHint(error.request?.api, profile)];
    case 'unauthorized':
      return [...used, 'compare it with the one in the account dashboard: it may have been rotated'];
    case 'forbidden':
      return [...used, `known causes: ${causesOf403(error.request?.api)}`];
    case 'engine_rejected':
      return ['set the password: REDISCLI_AUTH, PGPASSWORD, or a line in ~/.pgpass'];
    case 'key_unreadable':
      return profile.value === undefined
        ? []
        : [`gatectl profile show ${profile.value} prints where the key is stored`];
    case 'destination_login':
    case 'destination_forbidden':
      return [];
  }
}

function keyNotReceivedHint(api: ApiName | undefined, profile: ErrorContext['profile']): string {
  if (api === 'bda-v1') return 'the key was sent as developerKey in the query: a proxy may remove it';
  const dropped = 'a proxy may remove the X-API-Key header';
  if (api === 'bda-v2') return `${dropped}, and BDA v2 accepts the key only there`;
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

/** A 404 without the API's error envelope may mean that the path of the API is wrong. */
function apiHints(error: ApiError, context: ErrorContext): string[] {
  const { request, hints } = error;
  const { baseUrl } = context;
  if (request?.status !== 404 || baseUrl === undefined) return [...hints];
  const where = `the base URL in use is ${baseUrl}`;
  if (hints.length > 0 || request.isApiError) return [...hints, where];
  return [where, ...prefixHints(request, context)];
}

function prefixHints({ api }: RequestInfo, { profile }: ErrorContext): string[] {
  if (api === undefined) return ['gatectl doctor shows the paths of the APIs of this gateway'];
  const command = profileSetCommand(profile, `prefix-${api} PATH`);
  return [`gatectl doctor finds the path of this API; if it differs, set it: ${command}`];
}

function networkHints(error: NetworkError, { baseUrl, profile }: ErrorContext): string[] {
  const where = baseUrl === undefined ? [] : [`the base URL in use is ${baseUrl}`];
  switch (error.code) {
    case 'dns_failed':
    case 'connection_refused':
      return where;
    case 'tls_failed':
      return [
        ...where,
        `if a private certificate authority signed the certificate, trust it: ${profileSetCommand(profile, 'ca-file FILE')}, or NODE_EXTRA_CA_CERTS`,
      ];
    case 'proxy_failed':
      return ['the proxy is set by HTTPS_PROXY or HTTP_PROXY; NO_PROXY lists hosts to reach without it'];
    case 'engine_unreachable':
      return ['check the URL of --engine or GATECTL_ENGINE, and that the server runs there'];
    case 'timeout':
      return ['set a longer limit: --timeout SECONDS'];
    case 'address_space_exhausted':
      return [
        'raise the limit on address space to 12 GB or more (ulimit -v), or set NODE_OPTIONS=--disable-wasm-trap-handler',
      ];
    case 'too_many_open_files':
      return ['raise the limit on open files: ulimit -n 256'];
    case 'connection_reset':
    case 'service_unavailable':
    case 'upstream_error':
    case 'internal_error':
    case 'network_error':
      return error.request?.method === 'POST' ? [] : ['try again later, or increase --retries'];
    case 'destination_unreachable':
    case 'destination_failed':
      return [];
  }
}

function rateLimitHints(error: RateLimitError): string[] {
  const retryAfter = error.request?.retryAfterMs;
  const wait = retryAfter === undefined ? 'wait' : `wait ${Math.ceil(retryAfter / 1000)} s`;
  return [`${wait} before trying again, and send fewer requests at once`];
}

function invalidResponseHints(error: InvalidResponseError, context: ErrorContext): string[] {
  const { baseUrl, profile, compression, hasPageSize } = context;
  const isEncoding = error.code === BROKEN_ENCODING || error.code === UNSUPPORTED_ENCODING;
  if (isEncoding && compression)
    return [
      `request uncompressed responses with --no-compression, or store it: ${profileSetCommand(profile, 'compression false')}`,
    ];
  if (error.code === 'too_many_rows')
    return [
      `the gateway seems to ignore the page size${hasPageSize ? '; request larger pages: --page-size N' : ''}`,
    ];
  if (error.code === 'unexpected_status' && (error.request?.status ?? 0) >= 300)
    return ['a cache or proxy may have responded instead of the gateway: check the network and the base URL'];
  if (error.code === 'redirect')
    return [`correct the base URL${baseUrl === undefined ? '' : ` (now ${baseUrl})`}`];
  return [];
}

function lockHints({ path, isRunning }: LockedError): string[] {
  if (isRunning) return ['wait until that process ends'];
  return [`if that process no longer runs, release the lock: gatectl unlock ${shellQuote(path)}`];
}
