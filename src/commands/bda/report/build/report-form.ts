import { documentSchema } from '../../../../documents/document.ts';
import {
  converted,
  FLAG,
  type Form,
  integer,
  list,
  map,
  NONEMPTY_TEXT,
  object,
  oneOrMore,
  optional,
  orEmpty,
  pattern,
  required,
  TEXT,
  type ValueOf,
} from '../../../../documents/forms.ts';
import { DocumentError, type Located } from '../../../../documents/located.ts';
import { type Options, optionSettings } from '../../../framework/option-forms.ts';
import { SAVED_FLAGS } from '../../flags/saved-query.ts';
import { WHY_FLAGS } from '../../flags/why-flags.ts';

const { chart: _, title: __, ascii: ___, strict: ____, ...whyOptions } = WHY_FLAGS;

/** The flags that a section may set, by the kind of section. */
export const SECTION_OPTIONS = { query: SAVED_FLAGS, why: whyOptions };

/** A parameter stands for any value, which an editor does not know. */
function orParameter<Value>(form: Form<Value>): Form<Value> {
  if (JSON.stringify(form.schema).includes('"string"')) return form;
  return { ...form, schema: { anyOf: [form.schema, { type: 'string', pattern: '\\$\\{' }] } };
}

const TEXTS = converted(orEmpty(oneOrMore(TEXT)), (texts = []) => texts);
const settingsOf = (options: Options) =>
  optionSettings(options, form => orEmpty(form === FLAG ? form : orParameter(form)));
const QUERY_SETTINGS = settingsOf(SECTION_OPTIONS.query);
const WHY_SETTINGS = settingsOf(SECTION_OPTIONS.why);

/** A setting of a query, of an explanation, or of both, each with its own form: `metric` is a list in the one and a text in the other. */
function defaultOf(name: string): Form<{ readonly query?: unknown; readonly why?: unknown }> {
  const [query, why] = [QUERY_SETTINGS[name], WHY_SETTINGS[name]];
  if (query === undefined || why === undefined) {
    const kind = query === undefined ? 'why' : 'query';
    return converted((query ?? why) as Form<unknown>, value => ({ [kind]: value }));
  }
  const isSame = JSON.stringify(query.schema) === JSON.stringify(why.schema);
  return {
    schema: isSame
      ? query.schema
      : { description: query.schema.description, anyOf: [query.schema, why.schema] },
    read(at) {
      const values: { query?: unknown; why?: unknown } = {};
      const problems = Object.entries({ query, why }).flatMap(([kind, form]) => {
        try {
          values[kind as 'query' | 'why'] = form.read(at);
          return [];
        } catch (error) {
          if (!(error instanceof DocumentError)) throw error;
          return [error];
        }
      });
      if (problems[1] !== undefined) throw problems[0];
      return values;
    },
  };
}

const DEFAULTS = object(
  Object.fromEntries(
    Object.keys({ ...QUERY_SETTINGS, ...WHY_SETTINGS }).map(name => [name, defaultOf(name)]),
  ),
);

const QUERY = object({
  ...QUERY_SETTINGS,
  saved: optional('The name of a saved query', orEmpty(NONEMPTY_TEXT)),
});

/** The flags of a query, or the name of a saved one. */
const QUERY_OR_NAME: Form<ValueOf<typeof QUERY>> = {
  schema: { anyOf: [NONEMPTY_TEXT.schema, QUERY.schema] },
  read: at => (at.content.kind === 'scalar' ? { saved: NONEMPTY_TEXT.read(at) } : QUERY.read(at)),
};

const ROWS: Form<number | boolean> = {
  schema: { anyOf: [FLAG.schema, integer({ min: 1, max: 999_999 }).schema] },
  read(at) {
    const isFlag = at.content.kind === 'scalar' && typeof at.content.value === 'boolean';
    return isFlag ? FLAG.read(at) : integer({ min: 1, max: 999_999 }).read(at);
  },
};

const KINDS = ['text', 'query', 'why'] as const;
const OF_ROWS = ['chart', 'table', 'columns'] as const;

/** The schema of an object that has none of these settings. */
function without(...names: readonly string[]) {
  return { not: { anyOf: names.map(name => ({ required: [name] })) } };
}

const SECTION = object(
  {
    title: optional('The heading, and the name of its sheets', orEmpty(TEXT)),
    text: optional('Markdown: headings, emphasis, lists, links, tables', TEXT),
    query: optional('The flags of `bda query` without dashes, or the name of a saved query', QUERY_OR_NAME),
    why: optional('The flags of `bda why` without dashes', object(WHY_SETTINGS)),
    chart: optional('Whether the rows are drawn (default: false)', orEmpty(FLAG)),
    table: optional(
      'Rows of the table: a number, or false for none (default: 10)',
      orEmpty(orParameter(ROWS)),
    ),
    columns: optional('The columns to show, in this order (default: all)', TEXTS),
  },
  {
    called: () => 'the section',
    check(section, at) {
      const [kind, other] = KINDS.filter(each => Object.hasOwn(section, each));
      if (kind === undefined) throw at.invalid('a section requires text, query or why');
      if (other !== undefined)
        throw at.invalid(`a section cannot have ${kind} and ${other}`, {
          hints: ['split it into two sections'],
        });
      const foreign = OF_ROWS.find(each => kind === 'text' && Object.hasOwn(section, each));
      if (foreign !== undefined)
        throw at.find(foreign).invalid(`a text has no ${foreign}`, {
          hints: ['charts and tables belong to query and why'],
        });
      if (kind === 'query' && section.table === false && section.chart !== true)
        throw at.invalid('the section shows nothing', { hints: ['set chart: true, or omit table: false'] });
    },
    schema: {
      oneOf: [
        { required: ['text'], ...without('query', 'why', ...OF_ROWS) },
        {
          required: ['query'],
          ...without('text', 'why'),
          anyOf: [
            { properties: { chart: { const: true } }, required: ['chart'] },
            { not: { properties: { table: { const: false } }, required: ['table'] } },
          ],
        },
        { required: ['why'], ...without('text', 'query') },
      ],
    },
  },
);

const MAIL_TEXTS = converted(
  orEmpty(oneOrMore(converted(TEXT, (text, { place }) => ({ text, place })))),
  (texts = []) => texts,
);
const MAIL = object(
  {
    from: optional('The sender', MAIL_TEXTS),
    to: optional('The recipients', MAIL_TEXTS),
    cc: optional('The recipients of copies', MAIL_TEXTS),
    subject: optional('The subject (default: the title with the days and the first total)', MAIL_TEXTS),
  },
  {
    unknown: (setting: Located) =>
      setting.name === 'bcc'
        ? setting.invalid('bcc would be readable in the file', {
            hints: ['name the recipient when you send it: sendmail -t ADDRESS'],
          })
        : undefined,
  },
);

/** More do not fit into a row. */
const MOST_KPIS = 4;
const KPIS = converted(
  list(NONEMPTY_TEXT, { distinct: true }),
  (names, at) => {
    if (names.length > MOST_KPIS) throw at.invalid(`${at.name} has more than ${MOST_KPIS} metrics`);
    return names;
  },
  { maxItems: MOST_KPIS },
);

/** What a parameter can be named. */
export const PARAMETER_NAME = /^[A-Za-z][\w-]*$/;
const CONTROL = '[\\u0000-\\u001f\\u007f]';
const PARAMETER = converted(
  TEXT,
  (text, at) => {
    if (new RegExp(CONTROL).test(text))
      throw at.invalid(`the parameter ${at.name} contains a control character or a line break`);
    return text;
  },
  { not: { type: 'string', pattern: CONTROL } },
);

/** A report file, after its parameters have been inserted. */
export const REPORT_FORM = object(
  {
    title: required('The heading', TEXT, { hints: ['add title: TEXT'] }),
    subtitle: optional('The line below the heading', orEmpty(TEXT)),
    decimals: optional(
      'Decimal places of the numbers in tables and workbooks (default: by unit, 2 of money)',
      orEmpty(orParameter(integer({ min: 0, max: 15 }))),
    ),
    labels: optional(
      'How columns of queries are called in tables, tiles and sentences, by name',
      map(NONEMPTY_TEXT),
    ),
    kpis: optional(
      'The metrics whose totals are at the start of the report, [] for none (default: the first four)',
      orEmpty(KPIS),
    ),
    parameters: optional(
      `Values of \${name} in texts, which --set changes; one without a value requires --set`,
      map(orEmpty(PARAMETER), { names: pattern(PARAMETER_NAME, 'a word such as month') }),
    ),
    defaults: optional('Flags of every query and explanation, unless it sets them itself', DEFAULTS),
    mail: optional('The headers of an e-mail', MAIL),
    sections: required(
      'What the report shows',
      list(
        converted(SECTION, (section, { place }) => ({ ...section, place })),
        { min: 1 },
      ),
      { hints: ['add sections: a list in which each item has text, query or why'] },
    ),
  },
  { called: () => 'the report' },
);

/** The JSON Schema of a report file. */
export const REPORT_SCHEMA = documentSchema(
  'gatectl report',
  'What gatectl bda report build writes to a page, a workbook or an e-mail. The file contains no secrets.',
  REPORT_FORM,
);
