import {
  ADDITIVITIES,
  DEFAULT_LOOKBACK,
  PARTITIONS,
  PLATFORMS,
  type RATIO_KEYS,
  type TABLE_KEYS,
  TABLE_NAME,
  type TOP_KEYS,
} from './config.ts';
import { DESTINATION_SCHEMES } from './destinations/schemes.ts';

type Schema = Readonly<Record<string, unknown>>;
type Properties<Key extends string> = Readonly<Record<Key, Schema>>;

const NAME = { type: 'string', pattern: '\\S' };
const NAMES = { anyOf: [NAME, { type: 'array', items: NAME }] };
const DISTINCT_NAMES = { anyOf: [NAME, { type: 'array', items: NAME, uniqueItems: true }] };
const DAY = { type: 'string', format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' };
const SCHEMES = DESTINATION_SCHEMES.filter(scheme => scheme !== '').join('|');
const ANY_SCHEME = '^[A-Za-z][A-Za-z0-9+.-]+:';

const RATIO: Properties<(typeof RATIO_KEYS)[number]> = {
  weight: { ...NAME, description: 'The metric by which the mean of the ratio is weighted' },
  numerator: { ...NAME, description: 'The metric that is divided by the weight' },
  factor: { type: 'number', exclusiveMinimum: 0, description: 'What the quotient is multiplied by' },
};

const TABLE: Properties<(typeof TABLE_KEYS)[number]> = {
  data_set: { ...NAME, description: 'The data set; gatectl bda data-sets lists them' },
  dimensions: {
    ...DISTINCT_NAMES,
    description: 'The columns to group by. report_day, domain_id and domain are always there',
  },
  metrics: { ...DISTINCT_NAMES, minItems: 1, description: 'The columns with figures' },
  filters: { ...NAMES, description: "Conditions as in --filter, such as 'visits>=3'" },
  platform: { enum: PLATFORMS, description: 'Whose figures' },
  start: { ...DAY, description: 'The first day' },
  end: { ...DAY, description: 'The last day (default: yesterday)' },
  partition: {
    enum: PARTITIONS,
    default: 'month',
    description: 'What one file contains, and what is requested as a whole',
  },
  additive: {
    description: 'How metrics add up, besides those that gatectl knows',
    anyOf: [
      ...NAMES.anyOf,
      {
        type: 'object',
        additionalProperties: {
          anyOf: [
            { enum: ADDITIVITIES },
            {
              type: 'object',
              properties: RATIO,
              required: ['weight'],
              dependencies: { factor: ['numerator'] },
              additionalProperties: false,
            },
          ],
        },
      },
    ],
  },
  history: {
    type: 'boolean',
    default: false,
    description:
      'Whether superseded rows are stored, for history --as-of. Requires a folder as the destination',
  },
};

const TOP: Properties<(typeof TOP_KEYS)[number]> = {
  destination: {
    ...NAME,
    default: 'lake',
    description: `A folder of Parquet files, or ${DESTINATION_SCHEMES.slice(1)
      .map(scheme => `${scheme}:`)
      .join(', ')}. It contains no password`,
    anyOf: [{ not: { pattern: ANY_SCHEME } }, { pattern: `^(?:${SCHEMES}):` }],
    not: { pattern: '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*:[^/?#]*@' },
  },
  domains: {
    description: 'all, or a list of sites',
    default: 'all',
    anyOf: [NAME, { type: 'array', items: NAME, minItems: 1 }],
  },
  lookback: {
    description: 'How many of the last days each run requests again, such as 7d, or auto',
    default: `${DEFAULT_LOOKBACK}d`,
    anyOf: [
      { type: 'string', pattern: '^(?:auto|\\d{1,4}d?)$' },
      { type: 'integer', minimum: 0, maximum: 9999 },
    ],
  },
  tables: {
    description: 'The tables by name',
    type: 'object',
    minProperties: 1,
    propertyNames: { pattern: TABLE_NAME.source },
    additionalProperties: {
      type: 'object',
      properties: TABLE,
      required: ['data_set', 'metrics', 'start'],
      additionalProperties: false,
    },
  },
};

/** The JSON Schema of a sync file, for editors: draft 7, which all of them know. */
export const SYNC_FILE_SCHEMA: Schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'gatectl.sync.yaml',
  description: 'What gatectl bda sync copies, and where to. The file contains no secrets.',
  type: 'object',
  properties: TOP,
  required: ['tables'],
  additionalProperties: false,
  // Only a folder stores superseded rows.
  if: { properties: { destination: { type: 'string', pattern: ANY_SCHEME } }, required: ['destination'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: {
    properties: { tables: { additionalProperties: { properties: { history: { const: false } } } } },
  },
};
