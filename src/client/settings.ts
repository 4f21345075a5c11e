import { checkKey } from '../config/key-format.ts';
import { CDN_TIMEOUT_S, DEFAULT_TIMEOUT_S } from '../config/timeouts.ts';
import {
  type CheckedValue,
  checkBaseUrl,
  checkBrand,
  checkPrefix,
  isPlainRemote,
  subscriptionsDomain,
} from '../config/values.ts';
import { AuthError, GatectlError, UsageError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';
import { BDA_V1_PREFIX } from '../wire/bda-v1.ts';
import { BDA_V2_PREFIX } from '../wire/bda-v2.ts';
import { DEFAULT_BRAND } from '../wire/brand.ts';
import { CDN_PREFIX } from '../wire/cdn.ts';
import { KEY_PLACES, type KeyPlace } from '../wire/key.ts';
import { SUBSCRIPTIONS_PREFIX } from '../wire/subscriptions.ts';
import { CLIENT_USER_AGENT } from '../wire/user-agent.ts';
import type { CallOptions, GatewayOptions, GatewaySettings } from './options.ts';

/** Validated options. */
export interface ClientSettings
  extends Pick<GatewaySettings, 'ca' | 'dispatcher' | 'fetch' | 'signal' | 'onAttempt' | 'onWarning'> {
  readonly baseUrl: URL;
  readonly apiKey: () => Promise<string>;
  readonly domain: string | undefined;
  readonly brand: string;
  readonly keyIn: KeyPlace;
  readonly prefixes: Required<NonNullable<GatewaySettings['prefixes']>>;
  readonly timeoutMs: number;
  readonly cdnTimeoutMs: number;
  readonly retries: number;
  readonly compression: boolean;
  readonly readOnly: boolean;
  readonly writeLog?: string;
  readonly proxy: boolean;
  /** That of the program, then that of the library. */
  readonly userAgent: string;
  readonly insecureHttp: boolean;
}

const OPTIONS = [
  ...['baseUrl', 'apiKey', 'domain', 'brand', 'keyIn', 'prefixes', 'timeoutMs', 'retries', 'compression'],
  'readOnly',
  'writeLog',
  ...['ca', 'dispatcher', 'fetch', 'proxy', 'userAgent', 'insecureHttp', 'signal', 'onAttempt', 'onWarning'],
];

/** Options about connections, which only Node lets a program open. */
const CONNECTION_OPTIONS = ['ca', 'dispatcher', 'proxy'] as const;

/** Options that only Node can fulfil. */
export const NODE_OPTIONS = [...CONNECTION_OPTIONS, 'writeLog'] as const;

/** Checks options, of which a runtime may lack some. Throws UsageError. */
export function settingsOf(options: GatewayOptions, lacking: readonly string[] = []): ClientSettings {
  const missing = lacking.find(name => name in options);
  if (missing !== undefined) throw invalid(`${missing} is for Node only`);
  const unknown = Object.keys(options).find(name => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    const similar = nearest(unknown, OPTIONS);
    throw invalid(`unknown option ${unknown}${similar === undefined ? '' : `; did you mean ${similar}?`}`);
  }
  const {
    baseUrl,
    apiKey,
    prefixes = {},
    insecureHttp = false,
    keyIn = 'header',
    timeoutMs,
    retries = 3,
  } = options;
  const root = valid(
    'baseUrl',
    textOf('baseUrl', baseUrl instanceof URL ? baseUrl.href : baseUrl),
    checkBaseUrl,
  );
  if (!insecureHttp && isPlainRemote(root))
    throw new UsageError('baseUrl would send the API key unencrypted; use https, or set insecureHttp', {
      code: 'insecure_url',
    });
  if (typeof apiKey !== 'string' && typeof apiKey !== 'function')
    throw new UsageError('apiKey is required', { code: 'missing_setting' });
  if (!KEY_PLACES.includes(keyIn)) throw invalid("keyIn must be 'header' or 'query'");
  checkLimits({ timeoutMs, retries });
  const { ca, dispatcher, fetch: send } = options;
  if (send !== undefined && typeof send !== 'function') throw invalid('fetch must be a function');
  const [other] = CONNECTION_OPTIONS.filter(name => options[name] !== undefined);
  if (send !== undefined && other !== undefined)
    throw new UsageError(`fetch and ${other} cannot be combined`, { code: 'conflicting_options' });
  if (dispatcher !== undefined && typeof dispatcher?.dispatch !== 'function')
    throw invalid('dispatcher must have a function dispatch');
  if (dispatcher !== undefined && ca !== undefined)
    throw new UsageError('dispatcher and ca cannot be combined', { code: 'conflicting_options' });
  const prefix = (name: keyof typeof prefixes, fallback: string) => {
    const given = prefixes[name];
    return given === undefined
      ? fallback
      : valid(`prefixes.${name}`, textOf(`prefixes.${name}`, given), checkPrefix);
  };
  return {
    baseUrl: new URL(root),
    // Checked when it is used: an invalid key is an AuthError, wherever it comes from.
    apiKey: async () => checkedKey(typeof apiKey === 'string' ? apiKey : await givenKey(apiKey)),
    domain: options.domain === undefined ? undefined : validDomain('domain', options.domain),
    brand:
      options.brand === undefined
        ? DEFAULT_BRAND
        : valid('brand', textOf('brand', options.brand), checkBrand),
    keyIn,
    prefixes: {
      subscriptions: prefix('subscriptions', SUBSCRIPTIONS_PREFIX),
      cdn: prefix('cdn', CDN_PREFIX),
      bdaV1: prefix('bdaV1', BDA_V1_PREFIX),
      bdaV2: prefix('bdaV2', BDA_V2_PREFIX),
    },
    timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_S * 1000,
    cdnTimeoutMs: timeoutMs ?? CDN_TIMEOUT_S * 1000,
    retries,
    compression: options.compression ?? true,
    readOnly: options.readOnly ?? false,
    proxy: options.proxy ?? true,
    userAgent: userAgentOf(options.userAgent),
    insecureHttp,
    ...(options.writeLog !== undefined && { writeLog: textOf('writeLog', options.writeLog) }),
    ...(ca !== undefined && { ca }),
    ...(dispatcher !== undefined && { dispatcher }),
    ...(send !== undefined && { fetch: send }),
    ...(options.signal !== undefined && { signal: options.signal }),
    ...(options.onAttempt !== undefined && { onAttempt: options.onAttempt }),
    ...(options.onWarning !== undefined && { onWarning: options.onWarning }),
  };
}

/** Checks limits of a gateway or a call. Throws UsageError. */
export function checkLimits({
  timeoutMs = 1,
  retries = 0,
}: Pick<CallOptions, 'timeoutMs' | 'retries'>): void {
  checkNumber('timeoutMs', timeoutMs, { min: 1, max: 2 ** 31 - 1 });
  checkNumber('retries', retries, { min: 0, max: 100 });
}

/** A header value: anything else would fail in each request. */
function userAgentOf(given: string | undefined): string {
  if (given === undefined) return CLIENT_USER_AGENT;
  const text = textOf('userAgent', given);
  if (!/^[!-~]+( [!-~]+)*$/.test(text)) throw invalid('userAgent must be printable ASCII, such as site/1.2');
  return `${text} ${CLIENT_USER_AGENT}`;
}

/** A domain of the account. Throws UsageError. */
export function validDomain(name: string, given: unknown): string {
  return valid(name, textOf(name, given), subscriptionsDomain);
}

/** A string. Throws UsageError for anything else. */
export function textOf(name: string, given: unknown): string {
  if (typeof given === 'string' && given !== '') return given;
  throw new UsageError(
    given === undefined || given === '' ? `${name} is required` : `${name} must be a string`,
    {
      code: given === undefined || given === '' ? 'missing_setting' : 'invalid_value',
    },
  );
}

function valid<Value>(name: string, text: string, check: (text: string) => CheckedValue<Value>): Value {
  const checked = check(text);
  if ('value' in checked) return checked.value;
  throw invalid(`${name} ${checked.problem}`);
}

function checkNumber(name: string, value: unknown, { min, max }: { min: number; max: number }): void {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return;
  throw invalid(`${name} must be an integer from ${min} to ${max}`);
}

/** What the function of the caller returns. Throws AuthError where it fails, whatever it throws. */
async function givenKey(apiKey: () => unknown): Promise<unknown> {
  try {
    return await apiKey();
  } catch (error) {
    if (error instanceof GatectlError) throw error;
    const why = error instanceof Error ? `: ${error.message}` : '';
    throw new AuthError(`apiKey failed${why}`, { code: 'no_key', cause: error });
  }
}

function checkedKey(key: unknown): string {
  const checked: CheckedValue<string> =
    typeof key === 'string' ? checkKey(key) : { problem: 'is not a string', hint: '' };
  if ('value' in checked) return checked.value;
  throw new AuthError(`the API key ${checked.problem}`, {
    code: key === '' || key === undefined ? 'no_key' : 'key_unreadable',
  });
}

function invalid(message: string): UsageError {
  return new UsageError(message, { code: 'invalid_value' });
}
