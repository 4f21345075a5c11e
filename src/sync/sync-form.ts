import { type FilterExpression, parseFilter } from '../apis/bda/filter-expression.ts';
import { documentSchema } from '../documents/document.ts';
import {
  byKind,
  choice,
  converted,
  defaulting,
  FLAG,
  type Form,
  list,
  map,
  numberAbove,
  object,
  oneOrMore,
  optional,
  pattern,
  required,
} from '../documents/forms.ts';
import {
  DEFAULT_LOOKBACK,
  PARTITIONS,
  problemWithTableName,
  readLookback,
  TABLE_NAME,
  TYPE_CHANGES,
} from './config.ts';
import { TABLE_TESTS } from './contracts/test-settings.ts';
import { readType, TYPE_NAMES, TYPE_PATTERN } from './contracts/type-choices.ts';
import { DAY } from './day-form.ts';
import { DESTINATION_SCHEMES, problemWithDestination, schemeOf } from './destinations/schemes.ts';

const NAME = pattern(/\S/, 'a name');
const ANY_SCHEME = '^[A-Za-z][A-Za-z0-9+.-]+:';
const KNOWN_SCHEMES = DESTINATION_SCHEMES.filter(scheme => scheme !== '');

const DESTINATION = converted(
  NAME,
  (text, at) => {
    const found = problemWithDestination(text);
    if (found !== undefined) throw at.invalid(found.problem, { hints: [found.hint] });
    return text;
  },
  {
    anyOf: [{ not: { pattern: ANY_SCHEME } }, { pattern: `^(?:${KNOWN_SCHEMES.join('|')}):` }],
    not: { pattern: '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*:[^/?#]*@|^(?:duckdb:)?(?:~(?:[/\\\\]|$)|:memory:$)' },
  },
);

const TABLE_NAMES = converted(
  NAME,
  (text, at) => {
    const found = problemWithTableName(text);
    if (found !== undefined) throw at.invalid(found.problem, { hints: [found.hint] });
    return text;
  },
  { pattern: TABLE_NAME.source },
);

const LOOKBACK: Form<number | 'auto'> = {
  schema: {
    anyOf: [
      { type: 'string', pattern: '^(?:auto|\\d{1,4}d?)$' },
      { type: 'integer', minimum: 0, maximum: 9999 },
    ],
  },
  read(at) {
    const found = at.content.kind === 'scalar' ? readLookback(String(at.content.value)) : undefined;
    if (found !== undefined) return found;
    throw at.invalid('lookback must be a number of days such as 7d, or auto');
  },
};

const FILTER: Form<FilterExpression> = converted(
  pattern(/^\s*[^\s:=<>!,"]+\s*[:=<>!]/, "a filter, such as 'visits>=3'"),
  (text, at) => {
    try {
      return parseFilter(text);
    } catch (error) {
      const { message, hint = [] } = error as Error & { hint?: string };
      throw at.invalid(`the filter ${JSON.stringify(text)} ${message}`, { hints: [hint].flat() });
    }
  },
);

const TYPE = converted(
  NAME,
  (text, at) => {
    const type = readType(text);
    if (type !== undefined) return type;
    const isCut = /^decimal\(\d+$/i.test(text);
    throw at.invalid(`${JSON.stringify(text)} is not a type`, {
      hints: [isCut ? 'between braces, put it in quotes: "decimal(18,2)"' : `types: ${TYPE_NAMES}`],
    });
  },
  { pattern: TYPE_PATTERN },
);

const RATIO = object(
  {
    weight: required('The metric by which the mean of the ratio is weighted', NAME, {
      hints: ['name the metric by which its mean is weighted: {weight: visits}'],
    }),
    numerator: optional('The metric that is divided by the weight', NAME),
    factor: optional('What the quotient is multiplied by', numberAbove(0)),
  },
  { called: name => `the ratio ${name}`, requires: { factor: 'numerator' } },
);
const SUMS = converted(oneOrMore(NAME), names => names.map(name => [name, 'sum'] as const));

const TABLE = object(
  {
    data_set: required('The data set; `gatectl bda data-sets` lists them', NAME),
    dimensions: defaulting(
      'The columns to group by. `report_day`, `domain_id` and `domain` are always there',
      oneOrMore(NAME, { distinct: true }),
      [],
    ),
    metrics: required('The columns with figures', oneOrMore(NAME, { distinct: true, min: 1 })),
    filters: defaulting('Conditions as in `--filter`, such as `visits>=3`', oneOrMore(FILTER), []),
    platform: optional('Whose figures', choice(['service', 'original', 'all'])),
    start: required('The first day. An earlier one adds the missing days', DAY),
    end: optional('The last day; by default, yesterday', DAY),
    partition: defaulting('The days of one file, which are requested together', choice(PARTITIONS), 'month'),
    additive: defaulting(
      'How metrics add up, besides those that gatectl knows: a list of metrics that may be summed, or for each one `sum`, `distinct` (a distinct count) or, for a ratio, `{weight: visits}`',
      byKind(
        {
          scalar: SUMS,
          list: SUMS,
          map: map(
            byKind(
              { scalar: choice(['sum', 'distinct']), map: RATIO },
              'sum, distinct or the weight of a ratio',
            ),
          ),
        },
        'metrics',
      ),
      [],
    ),
    types: defaulting(
      `The types of columns that never change, each as messages and \`ddl\` print it: ${TYPE_NAMES}`,
      map(TYPE),
      [],
    ),
    on_type_change: optional(
      'What becomes of rows for which the type of a column would have to change: `widen` changes it, `fail` writes nothing, `quarantine` keeps the rows aside. By default, a type becomes wider as long as it remains exact; rows that only a `double` could hold are kept aside',
      choice(TYPE_CHANGES),
    ),
    tests: optional(
      'What must hold of the rows of a partition before they replace earlier ones; otherwise they are kept aside',
      TABLE_TESTS,
    ),
    history: defaulting(
      'Whether superseded rows are stored, for `history --as-of`; the destination must be a folder',
      FLAG,
      false,
    ),
  },
  { called: name => `the table ${name}` },
);

/** A sync file. */
export const SYNC_FORM = object(
  {
    destination: defaulting(
      'A folder of Parquet files, relative to the file; it is created. Or a DuckDB file: `duckdb:analytics.duckdb`. Or a database: `postgres://HOST/DATABASE`, `clickhouses://HOST:8443/DATABASE`. Or a bucket: `s3://BUCKET/PREFIX`. It contains no password',
      DESTINATION,
      'lake',
    ),
    domains: defaulting(
      '`all`, or a list of sites. A new site of the account is picked up by the next run',
      byKind(
        {
          scalar: converted(NAME, name => (name === 'all' ? ('all' as const) : [name])),
          list: list(NAME, { min: 1 }),
        },
        'all, or a list of sites',
      ),
      'all',
    ),
    lookback: defaulting(
      'How many of the last days each run requests again, such as `7d`, or `auto`: learned from the changes so far',
      LOOKBACK,
      DEFAULT_LOOKBACK,
      `${DEFAULT_LOOKBACK}d`,
    ),
    tables: required('The tables by name', map(TABLE, { min: 1, names: TABLE_NAMES }), {
      hints: ['add tables: with at least one table'],
    }),
  },
  {
    called: () => 'the sync file',
    check({ destination, tables }, at) {
      const [name] = tables.find(([, { history }]) => history) ?? [];
      if (name !== undefined && schemeOf(destination) !== '')
        throw at
          .find('tables', name, 'history')
          .invalid('history requires a folder of Parquet files as the destination', {
            hints: ['remove it, or set destination: to a folder'],
          });
    },
    schema: {
      if: { properties: { destination: { type: 'string', pattern: ANY_SCHEME } }, required: ['destination'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: {
        properties: { tables: { additionalProperties: { properties: { history: { const: false } } } } },
      },
    },
  },
);

/** The JSON Schema of a sync file. */
export const SYNC_SCHEMA = documentSchema(
  'gatectl.sync.yaml',
  'What gatectl bda sync copies, and where to. The file contains no secrets.',
  SYNC_FORM,
);
