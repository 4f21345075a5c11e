import type { Option } from '../../../framework/define-command.ts';
import { PARAMETER_NAME } from './parameters.ts';
import {
  type MAIL_KEYS,
  MAX_DECIMALS,
  type REPORT_KEYS,
  SAVED_KEY,
  type SECTION_KEYS,
  SECTION_OPTIONS,
} from './report-file.ts';
import { keyOf } from './section-flags.ts';

type Schema = Readonly<Record<string, unknown>>;
type Properties<Key extends string> = Readonly<Record<Key, Schema>>;
// biome-ignore lint/suspicious/noExplicitAny: the value type differs per option.
type Options = Readonly<Record<string, Option<any>>>;

/** A text, or what YAML reads as a number or as true and false: a report takes it as it is written. */
const TEXT = { type: ['string', 'number', 'boolean'] };
const ABSENT = { type: 'null' };
/** A text with a parameter, whose value an editor does not know. */
const WITH_PARAMETER = { type: 'string', pattern: '\\$\\{' };

const orAbsent = (...forms: readonly Schema[]): Schema => ({ anyOf: [...forms, ABSENT] });
const oneOrMore = (form: Schema): Schema => orAbsent(form, { type: 'array', items: form });
const TEXTS = oneOrMore(TEXT);
const BOOLEAN = orAbsent({ type: 'boolean' });

const SECTION: Properties<(typeof SECTION_KEYS)[number]> = {
  title: { ...orAbsent(TEXT), description: 'The heading, and the name of its sheets' },
  text: { ...TEXT, description: 'Markdown: headings, emphasis, lists, links, tables' },
  query: {
    description: 'The flags of bda query without dashes, or the name of a saved query',
    anyOf: [
      TEXT,
      ABSENT,
      {
        type: 'object',
        properties: {
          ...propertiesOf(SECTION_OPTIONS.query),
          [SAVED_KEY]: { ...orAbsent(TEXT), description: 'The name of a saved query' },
        },
        additionalProperties: false,
      },
    ],
  },
  why: {
    description: 'The flags of bda why without dashes',
    type: 'object',
    properties: propertiesOf(SECTION_OPTIONS.why),
    additionalProperties: false,
  },
  chart: { ...BOOLEAN, default: false, description: 'Whether the rows are drawn' },
  table: {
    description: 'Rows of the table: a number, or false for none',
    default: 100,
    ...orAbsent(
      { type: 'boolean' },
      { type: 'integer', minimum: 1, maximum: 999_999 },
      { type: 'string', pattern: '^[1-9]\\d{0,5}$' },
      WITH_PARAMETER,
    ),
  },
  columns: { ...TEXTS, description: 'The columns to show, in this order (default: all)' },
};

const MAIL: Properties<(typeof MAIL_KEYS)[number]> = {
  from: { ...TEXTS, description: 'The sender' },
  to: { ...TEXTS, description: 'The recipients' },
  cc: { ...TEXTS, description: 'The recipients of copies' },
  subject: { ...TEXTS, description: 'The subject (default: the title)' },
};

const REPORT: Properties<(typeof REPORT_KEYS)[number]> = {
  title: { ...TEXT, description: 'The heading' },
  subtitle: { ...orAbsent(TEXT), description: 'The line below the heading' },
  decimals: {
    description: 'Decimal places of the numbers in tables and workbooks (default: all digits)',
    ...orAbsent(
      { type: 'integer', minimum: 0, maximum: MAX_DECIMALS },
      { type: 'string', pattern: '^0{0,4}(?:\\d|1[0-5])$' },
      WITH_PARAMETER,
    ),
  },
  parameters: {
    description: `Values of \${name} in texts, which --set changes; one without a value requires --set`,
    ...orAbsent({
      type: 'object',
      propertyNames: { pattern: PARAMETER_NAME.source },
      additionalProperties: orAbsent({
        ...TEXT,
        not: { type: 'string', pattern: '[\\u0000-\\u001f\\u007f]' },
      }),
    }),
  },
  defaults: {
    description: 'Flags of every query and explanation, unless it sets them itself',
    ...orAbsent({
      type: 'object',
      properties: eitherOf(propertiesOf(SECTION_OPTIONS.query), propertiesOf(SECTION_OPTIONS.why)),
      additionalProperties: false,
    }),
  },
  mail: {
    description: 'The headers of an e-mail',
    ...orAbsent({ type: 'object', properties: MAIL, additionalProperties: false }),
  },
  sections: {
    description: 'What the report shows',
    type: 'array',
    minItems: 1,
    items: {
      type: 'object',
      properties: SECTION,
      additionalProperties: false,
      oneOf: [
        {
          required: ['text'],
          not: { anyOf: ['chart', 'table', 'columns'].map(key => ({ required: [key] })) },
        },
        {
          required: ['query'],
          // Otherwise it would show nothing.
          anyOf: [
            { properties: { chart: { const: true } }, required: ['chart'] },
            { not: { properties: { table: { const: false } }, required: ['table'] } },
          ],
        },
        { required: ['why'] },
      ],
    },
  },
};

/** The JSON Schema of a report file, for editors: draft 7, which all of them know. */
export const REPORT_FILE_SCHEMA: Schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'gatectl report',
  description:
    'What gatectl bda report build writes to a page, a workbook or an e-mail. The file contains no secrets.',
  type: 'object',
  properties: REPORT,
  required: ['title', 'sections'],
  additionalProperties: false,
};

function propertiesOf(options: Options): Record<string, Schema> {
  return Object.fromEntries(
    Object.values(options).map(option => [
      keyOf(option),
      { description: option.summary, ...schemaOf(option) },
    ]),
  );
}

function schemaOf({ kind, choices, range }: Option<unknown>): Schema {
  if (kind === 'switch') return BOOLEAN;
  if (kind === 'list') return TEXTS;
  if (choices !== undefined) return orAbsent({ enum: choices }, WITH_PARAMETER);
  if (range === undefined) return orAbsent(TEXT);
  const { min, max } = range;
  return orAbsent(
    { type: 'integer', minimum: min, ...(max !== undefined && { maximum: max }) },
    { type: 'string', pattern: '^\\d{1,15}$' },
    WITH_PARAMETER,
  );
}

/** Some properties have two forms: `metric` of a query is a list, and that of an explanation is a text. */
function eitherOf(one: Record<string, Schema>, other: Record<string, Schema>): Record<string, Schema> {
  const both = Object.entries(other).map(([key, schema]): [string, Schema] => {
    const first = one[key];
    const isSame = first === undefined || JSON.stringify(first) === JSON.stringify(schema);
    return [key, isSame ? schema : { description: first.description, anyOf: [first, schema] }];
  });
  return { ...one, ...Object.fromEntries(both) };
}
