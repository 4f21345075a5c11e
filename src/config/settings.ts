import { FORMATS, type Format } from '../output/view.ts';
import { BDA_V1_PREFIX } from '../wire/bda-v1.ts';
import { BDA_V2_PREFIX } from '../wire/bda-v2.ts';
import { DEFAULT_BRAND } from '../wire/brand.ts';
import { CDN_PREFIX } from '../wire/cdn.ts';
import { SUBSCRIPTIONS_PREFIX } from '../wire/subscriptions.ts';
import {
  type Checked,
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

export const OUTPUT_FORMATS = FORMATS;
export type OutputFormat = Format;

export const KEY_PLACES = ['header', 'query'] as const;
export type KeyIn = (typeof KEY_PLACES)[number];

/** Every setting's value after flags, environment, profile and defaults are weighed. */
export interface SettingValues {
  /** Gateway root without a trailing slash. */
  readonly baseUrl: string | undefined;
  readonly domain: string | undefined;
  readonly dataSet: string | undefined;
  readonly brand: string;
  readonly keyIn: KeyIn;
  readonly output: OutputFormat;
  /** IANA name; undefined stands for the zone of the machine. */
  readonly timeZone: string | undefined;
  readonly protected: boolean;
  /** Seconds per request. */
  readonly timeout: number;
  readonly retries: number;
  /** Whether responses may come compressed. */
  readonly compression: boolean;
  readonly caFile: string | undefined;
  readonly prefixSubscriptions: string;
  readonly prefixCdn: string;
  readonly prefixBdaV1: string;
  readonly prefixBdaV2: string;
}

export type SettingKey = keyof SettingValues;

/** All that there is to know about one setting; `profile set`, `profile show`, help and completion are made from it. */
export interface Setting<Value> {
  /** The name as typed and as stored. */
  readonly name: string;
  /** The flag without `--`, where it differs from the name. */
  readonly flag?: string;
  readonly placeholder: string;
  readonly description: string;
  readonly environment?: string;
  /** The JSON type in the profiles file. */
  readonly type: 'string' | 'number' | 'boolean';
  readonly choices?: readonly string[];
  readonly fallback: Value;
  /** What happens without a value, where `fallback` alone does not say it. */
  readonly fallbackText?: string;
  /** Whether a project file may set it: nothing that decides where requests go, what they carry or what protects a domain. */
  readonly inProject?: true;
  /** True for a path: a relative one is stored absolute. */
  readonly isPath?: boolean;
  check(text: string): Checked<Value>;
  /** A dearer check for values that are about to be stored. */
  checkStored?(text: string): Checked<Value>;
}

function prefix(name: string, family: string, fallback: string): Setting<string> {
  return {
    name: `prefix-${name}`,
    placeholder: 'PATH',
    description: `path of ${family} below the base URL`,
    type: 'string',
    fallback,
    check: checkPrefix,
  };
}

/** The settings by key, in the order in which they are shown. */
export const SETTINGS: { readonly [Key in SettingKey]: Setting<SettingValues[Key]> } = {
  baseUrl: {
    name: 'base-url',
    placeholder: 'URL',
    description: 'root address of the gateway, perhaps with a path',
    environment: 'GATECTL_BASE_URL',
    type: 'string',
    fallback: undefined,
    check: checkBaseUrl,
  },
  domain: {
    name: 'domain',
    placeholder: 'DOMAIN',
    description: 'domain of readers and purges, bare: no scheme, www. or path; analytics cover all sites',
    environment: 'GATECTL_DOMAIN',
    type: 'string',
    fallback: undefined,
    inProject: true,
    check: checkDomain,
  },
  dataSet: {
    name: 'data-set',
    placeholder: 'NAME',
    description: 'data set that bda query reads when no flag names one',
    environment: 'GATECTL_DATA_SET',
    type: 'string',
    fallback: undefined,
    inProject: true,
    check: checkName,
  },
  brand: {
    name: 'brand',
    placeholder: 'WORD',
    description: "the service's brand word, which its header names and platform values carry",
    environment: 'GATECTL_BRAND',
    type: 'string',
    fallback: DEFAULT_BRAND,
    check: checkBrand,
  },
  keyIn: {
    name: 'key-in',
    placeholder: 'PLACE',
    description: 'where Subscriptions and CDN calls carry the API key',
    type: 'string',
    choices: KEY_PLACES,
    fallback: 'header',
    check: text => checkChoice(text, KEY_PLACES),
  },
  output: {
    name: 'output',
    placeholder: 'FORMAT',
    description: 'output format when no flag names one',
    environment: 'GATECTL_OUTPUT',
    type: 'string',
    choices: OUTPUT_FORMATS,
    fallback: 'table',
    inProject: true,
    check: text => checkChoice(text, OUTPUT_FORMATS),
  },
  timeZone: {
    name: 'time-zone',
    flag: 'tz',
    placeholder: 'ZONE',
    description: 'IANA time zone in which days begin and times are shown',
    type: 'string',
    fallback: undefined,
    fallbackText: 'the zone of this machine',
    inProject: true,
    check: checkTimeZoneForm,
    checkStored: checkTimeZone,
  },
  protected: {
    name: 'protected',
    placeholder: 'true|false',
    description: 'whether purging a whole domain always wants its name typed',
    type: 'boolean',
    choices: ['true', 'false'],
    fallback: false,
    check: checkBoolean,
  },
  timeout: {
    name: 'timeout',
    placeholder: 'SECONDS',
    description: 'time limit of one request',
    type: 'number',
    fallback: 30,
    fallbackText: '30, and 60 for CDN calls',
    inProject: true,
    check: text => checkNumber(text, { min: 0.001, max: 86_400, whole: false }),
  },
  retries: {
    name: 'retries',
    placeholder: 'N',
    description: 'how often a request that failed on the way is sent again',
    type: 'number',
    fallback: 3,
    inProject: true,
    check: text => checkNumber(text, { min: 0, max: 100, whole: true }),
  },
  compression: {
    name: 'compression',
    placeholder: 'true|false',
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
    placeholder: 'FILE',
    description: 'PEM file of a certificate authority to trust besides the usual ones',
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

function checkBoolean(text: string): Checked<boolean> {
  const checked = checkChoice(text, ['true', 'false']);
  return 'problem' in checked ? checked : { value: checked.value === 'true' };
}

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

/** The key of a setting by its typed name (`base-url`), or undefined. */
export function settingKey(name: string): SettingKey | undefined {
  return SETTING_KEYS.find(key => SETTINGS[key].name === name);
}

/** All names that `profile set` knows. */
export const SETTING_NAMES: readonly string[] = SETTING_KEYS.map(key => SETTINGS[key].name);

/** The names that a project file may hold, besides `profile`. */
export const PROJECT_SETTING_NAMES: readonly string[] = SETTING_KEYS.filter(
  key => SETTINGS[key].inProject,
).map(key => SETTINGS[key].name);
