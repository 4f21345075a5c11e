import { FORMATS, type Format } from '../output/view.ts';
import { BDA_V1_PREFIX } from '../wire/bda-v1.ts';
import { BDA_V2_PREFIX, DEFAULT_DATA_SET } from '../wire/bda-v2.ts';
import { DEFAULT_BRAND } from '../wire/brand.ts';
import { CDN_PREFIX } from '../wire/cdn.ts';
import { KEY_PLACES, type KeyPlace } from '../wire/key.ts';
import { SUBSCRIPTIONS_PREFIX } from '../wire/subscriptions.ts';
import { CDN_TIMEOUT_S, DEFAULT_TIMEOUT_S } from './timeouts.ts';
import {
  type CheckedValue,
  checkBaseUrl,
  checkBrand,
  checkChoice,
  checkDomain,
  checkName,
  checkNumber,
  checkPath,
  checkPrefix,
  checkTimeZone,
  checkTimeZoneForm,
} from './values.ts';

/** The type of each setting's resolved value. */
export interface SettingValues {
  /** Gateway root without a trailing slash. */
  readonly baseUrl: string | undefined;
  readonly domain: string | undefined;
  readonly dataSet: string;
  readonly brand: string;
  readonly keyIn: KeyPlace;
  readonly output: Format;
  /** IANA name; undefined for the zone of the machine. */
  readonly timeZone: string | undefined;
  readonly protected: boolean;
  readonly readOnly: boolean;
  /** The path of a policy. */
  readonly policy: string | undefined;
  /** Seconds per request. */
  readonly timeout: number;
  readonly retries: number;
  /** Whether to accept compressed responses. */
  readonly compression: boolean;
  readonly caFile: string | undefined;
  readonly prefixSubscriptions: string;
  readonly prefixCdn: string;
  readonly prefixBdaV1: string;
  readonly prefixBdaV2: string;
}

export type SettingKey = keyof SettingValues;

/** The definition of a setting, from which `profile set`, `profile show`, help and completion are derived. */
export interface Setting<Value> {
  /** The name as typed and as stored. */
  readonly name: string;
  /** The flag without `--`, if it differs from the name. */
  readonly flag?: string;
  readonly description: string;
  readonly environment?: string;
  /** The JSON type in the profiles file. */
  readonly type: 'string' | 'number' | 'boolean';
  readonly choices?: readonly string[];
  readonly fallback: Value;
  /** Describes the default, if `fallback` alone is not clear. */
  readonly fallbackText?: string;
  /** Whether a project file may set it. It may not change where requests are sent, what they contain or what protects a domain. */
  readonly inProject?: true;
  /** True for a path; a relative one is stored as absolute. */
  readonly isPath?: boolean;
  check(text: string): CheckedValue<Value>;
  /** A slower check, for values to be stored. */
  checkStored?(text: string): CheckedValue<Value>;
}

function prefix(name: string, api: string, fallback: string): Setting<string> {
  return {
    name: `prefix-${name}`,
    description: `path of ${api} below the base URL`,
    type: 'string',
    fallback,
    check: checkPrefix,
  };
}

/** The settings by key, in display order. */
export const SETTINGS: { readonly [Key in SettingKey]: Setting<SettingValues[Key]> } = {
  baseUrl: {
    name: 'base-url',
    description: 'root URL of the gateway; may include a path',
    environment: 'GATECTL_BASE_URL',
    type: 'string',
    fallback: undefined,
    check: checkBaseUrl,
  },
  domain: {
    name: 'domain',
    description: 'domain for readers and purges, without scheme, www. or path; analytics cover all sites',
    environment: 'GATECTL_DOMAIN',
    type: 'string',
    fallback: undefined,
    inProject: true,
    check: checkDomain,
  },
  dataSet: {
    name: 'data-set',
    description: 'default data set of bda query',
    environment: 'GATECTL_DATA_SET',
    type: 'string',
    fallback: DEFAULT_DATA_SET,
    inProject: true,
    check: checkName,
  },
  brand: {
    name: 'brand',
    description: "brand word in the service's header names and platform values",
    environment: 'GATECTL_BRAND',
    type: 'string',
    fallback: DEFAULT_BRAND,
    check: checkBrand,
  },
  keyIn: {
    name: 'key-in',
    description: 'where to send the API key in Subscriptions and CDN requests',
    type: 'string',
    choices: KEY_PLACES,
    fallback: 'header',
    check: text => checkChoice(text, KEY_PLACES),
  },
  output: {
    name: 'output',
    description: 'default output format',
    environment: 'GATECTL_OUTPUT',
    type: 'string',
    choices: FORMATS,
    fallback: 'table',
    inProject: true,
    check: text => checkChoice(text, FORMATS),
  },
  timeZone: {
    name: 'time-zone',
    flag: 'tz',
    description: 'IANA time zone for dates and times',
    type: 'string',
    fallback: undefined,
    fallbackText: 'the time zone of this machine',
    inProject: true,
    check: checkTimeZoneForm,
    checkStored: checkTimeZone,
  },
  protected: {
    name: 'protected',
    description: 'require typing the domain name before purging the whole domain',
    type: 'boolean',
    choices: ['true', 'false'],
    fallback: false,
    check: checkBoolean,
  },
  readOnly: {
    name: 'read-only',
    description: 'send no request that changes something; applies if any source sets it to true',
    environment: 'GATECTL_READ_ONLY',
    type: 'boolean',
    choices: ['true', 'false'],
    fallback: false,
    inProject: true,
    check: checkSwitch,
  },
  policy: {
    name: 'policy',
    description:
      'YAML file with rules of what may be changed; all that are set apply, also that of the administrator',
    environment: 'GATECTL_POLICY',
    type: 'string',
    fallback: undefined,
    isPath: true,
    check: checkPath,
  },
  timeout: {
    name: 'timeout',
    description: 'time limit per request',
    type: 'number',
    fallback: DEFAULT_TIMEOUT_S,
    fallbackText: `${DEFAULT_TIMEOUT_S}, and ${CDN_TIMEOUT_S} for CDN requests`,
    inProject: true,
    check: text => checkNumber(text, { min: 0.001, max: 86_400, whole: false }),
  },
  retries: {
    name: 'retries',
    description: 'maximum retries per request',
    type: 'number',
    fallback: 3,
    inProject: true,
    check: text => checkNumber(text, { min: 0, max: 100, whole: true }),
  },
  compression: {
    name: 'compression',
    description: 'whether to request compressed responses',
    flag: 'no-compression',
    type: 'boolean',
    choices: ['true', 'false'],
    fallback: true,
    inProject: true,
    check: checkBoolean,
  },
  caFile: {
    name: 'ca-file',
    description: 'PEM file of an additional certificate authority to trust',
    type: 'string',
    fallback: undefined,
    isPath: true,
    check: checkPath,
  },
  prefixSubscriptions: prefix('subscriptions', 'the Subscriptions API', SUBSCRIPTIONS_PREFIX),
  prefixCdn: prefix('cdn', 'the CDN API', CDN_PREFIX),
  prefixBdaV1: prefix('bda-v1', 'the analytics API, version 1,', BDA_V1_PREFIX),
  prefixBdaV2: prefix('bda-v2', 'the analytics API, version 2,', BDA_V2_PREFIX),
};

function checkBoolean(text: string): CheckedValue<boolean> {
  const checked = checkChoice(text, ['true', 'false']);
  return 'problem' in checked ? checked : { value: checked.value === 'true' };
}

/** As an environment variable, a switch is also set by 1. */
function checkSwitch(text: string): CheckedValue<boolean> {
  return checkBoolean({ 1: 'true', 0: 'false' }[text] ?? text);
}

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

/** The key of a setting by its typed name (`base-url`), or undefined. */
export function settingKey(name: string): SettingKey | undefined {
  return SETTING_KEYS.find(key => SETTINGS[key].name === name);
}

/** The names of all settings. */
export const SETTING_NAMES: readonly string[] = SETTING_KEYS.map(key => SETTINGS[key].name);

/** The settings that a project file may contain, in addition to `profile`. */
export const PROJECT_SETTING_NAMES: readonly string[] = SETTING_KEYS.filter(
  key => SETTINGS[key].inProject,
).map(key => SETTINGS[key].name);

/**
 * Every known prefix of an API, the configured one first: some gateways serve an API below `/gateway`
 * and others do not, regardless of the documentation.
 */
export function knownPrefixes(used: string, documented: string): readonly string[] {
  const other = documented.startsWith('/gateway/')
    ? documented.slice('/gateway'.length)
    : `/gateway${documented}`;
  return [...new Set([used, documented, other])];
}
