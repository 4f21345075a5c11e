import { BDA_V2_PREFIX, ERROR_CODES, QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX } from '../bda-v2.ts';
import type { BrandNames } from '../brand.ts';
import {
  type ApiParts,
  ASSUMED_BODY,
  closed,
  day,
  HEADER_KEY,
  integer,
  jsonBody,
  jsonResponse,
  list,
  NO_KEY_RESPONSE,
  object,
  type Part,
  ref,
  string,
} from './parts.ts';

const TAG = 'BDA v2';

/** The inline query API (spec, Endpoints D). */
export function bdaV2Parts(brand: BrandNames): ApiParts {
  return {
    tag: { name: TAG, description: 'One query endpoint; the report is described in the request.' },
    schemas: schemas(brand),
    paths: {
      [`${BDA_V2_PREFIX}/domains`]: listing(
        'listDomains',
        'List domains',
        'The domains of the account, with the ids that queries take as `domain_id`.',
        'Domains',
        {
          domains: [{ domain_id: 1001, domain: 'example.com' }],
        },
      ),
      [`${BDA_V2_PREFIX}/columns`]: listing(
        'listColumns',
        'List columns',
        'The columns with type, unit, description and data sets. Any column can be filtered.',
        'Columns',
        {
          columns: [
            {
              name: 'visits',
              type: 'number',
              unit: 'count',
              description: 'Visits',
              role: 'metric',
              data_sets: ['pageview', 'visit'],
            },
          ],
        },
      ),
      [`${BDA_V2_PREFIX}/data-sets`]: listing(
        'listDataSets',
        'List data sets',
        'The values of `data_set` in a query.',
        'DataSets',
        {
          data_sets: [{ name: 'pageview', description: 'Page views and visits', columns: 20 }],
        },
      ),
      [`${BDA_V2_PREFIX}/date-range`]: listing(
        'getDateRange',
        'Get the days with data',
        'The earliest and the latest day with data.',
        'DateRange',
        {
          earliest_date: '2025-02-08',
          latest_date: '2026-03-14',
        },
      ),
      [`${BDA_V2_PREFIX}/query`]: {
        post: {
          operationId: 'runQuery',
          tags: [TAG],
          summary: 'Run a report described in the request',
          description:
            'Days are always required. Returns at most `limit` rows from `offset`, and in `total_rows` how many match. Numbers have full precision.',
          security: HEADER_KEY,
          requestBody: jsonBody(ref('Query'), {
            devices: {
              data_set: 'pageview',
              date_range: { start_date: '2026-03-01', end_date: '2026-03-07' },
              dimensions: ['device'],
              metrics: ['visits'],
              filters: [
                { column: 'visits', operator: 'greater_than_or_equal', value: 10 },
                { any_of: [{ column: 'device', operator: 'in', values: ['desktop', 'tablet'] }] },
              ],
              sort: [{ column: 'visits', direction: 'desc' }],
              limit: 100,
              offset: 0,
            },
          }),
          responses: responses(
            ref('QueryResponse'),
            { rows: { rows: [{ device: 'desktop', visits: 120 }], total_rows: 1 } },
            false,
          ),
        },
      },
    },
  };
}

function listing(
  operationId: string,
  summary: string,
  description: string,
  schema: string,
  example: unknown,
): Part {
  return {
    get: {
      operationId,
      tags: [TAG],
      summary,
      description,
      security: HEADER_KEY,
      'x-assumed': 'Parameters are not documented; none are shown here.',
      responses: responses(ref(schema), { some: example }),
    },
  };
}

function responses(schema: Part, examples: Part, assumed: string | false = ASSUMED_BODY): Part {
  return {
    '200': jsonResponse('Success.', schema, examples, assumed === false ? {} : { 'x-assumed': assumed }),
    '503': NO_KEY_RESPONSE,
    default: jsonResponse(
      'Rejected request, a limit in force, or a failure of the service: `error.code` says which.',
      ref('ErrorV2'),
      {
        not_found: { error: { code: 'not_found', message: 'there is no domain 99' } },
        upstream_error: { error: { code: 'upstream_error', message: 'the data is not available' } },
      },
      {
        'x-assumed':
          'The statuses of the codes are not documented: 401 unauthorized, 403 forbidden, 404 not_found, 400 validation_error, 429 for both limits, 502 upstream_error, 500 internal_error.',
      },
    ),
  };
}

function schemas({ platformV2 }: BrandNames): ApiParts['schemas'] {
  const choice = (of: string) => string(`Whether ${of} distinguish pages.`, { enum: ['include', 'exclude'] });
  return {
    Domains: object(
      {
        domains: list(
          object({ domain_id: integer('Id.'), domain: string('Domain.') }, ['domain_id', 'domain']),
          'Domains of the account.',
        ),
      },
      ['domains'],
      { 'x-assumed': ASSUMED_BODY },
    ),
    Columns: object(
      {
        columns: list(
          object(
            {
              name: string('Name.'),
              type: string('Type.'),
              unit: { type: ['string', 'null'], description: 'Unit.' },
              description: string('Meaning.'),
              role: string('`dimension` or `metric`.', { 'x-assumed': 'Not documented.' }),
              data_sets: list(string('Data set.'), 'Data sets that have the column.'),
            },
            ['name', 'type', 'unit', 'description', 'data_sets'],
          ),
          'Columns; every one can be filtered.',
        ),
      },
      ['columns'],
      { 'x-assumed': 'The fields are documented, their names and the envelope are not.' },
    ),
    DataSets: object(
      {
        data_sets: list(
          object(
            {
              name: string('Name.'),
              description: string('Content.'),
              columns: integer('Number of columns.'),
            },
            ['name'],
          ),
          'Data sets that can be queried.',
        ),
      },
      ['data_sets'],
      { 'x-assumed': ASSUMED_BODY },
    ),
    DateRange: object(
      { earliest_date: day('First day with data.'), latest_date: day('Last day with data.') },
      ['earliest_date', 'latest_date'],
      { 'x-assumed': ASSUMED_BODY },
    ),
    FilterV2: {
      ...closed(
        {
          column: string('Name of the column.'),
          operator: string('Comparison.', {
            examples: ['greater_than', 'greater_than_or_equal', 'in'],
            'x-assumed': 'Other operators exist; only these three are documented.',
          }),
          value: { type: ['string', 'number', 'boolean', 'null'], description: 'One value.' },
          values: list(
            { type: ['string', 'number', 'boolean', 'null'] },
            'Several values, with the operator `in`.',
          ),
        },
        ['column', 'operator'],
      ),
      oneOf: [
        { properties: { value: {} }, required: ['value'] },
        { properties: { values: {} }, required: ['values'] },
      ],
    },
    AnyOf: closed(
      { any_of: list(ref('FilterV2'), 'One of these has to match.', { minItems: 1 }) },
      ['any_of'],
      { 'x-assumed': 'The group is named in the documentation, its shape is not.' },
    ),
    Query: closed(
      {
        data_set: string('Data set.', { examples: ['pageview'] }),
        date_range: closed({ start_date: day('First day.'), end_date: day('Last day.') }, [
          'start_date',
          'end_date',
        ]),
        dimensions: list(
          string('Name of a column.'),
          'Dimensions; `report_day`, `report_week` and `report_month` group by time.',
        ),
        metrics: list(string('Name of a column.'), 'Metrics.'),
        filters: list({ anyOf: [ref('FilterV2'), ref('AnyOf')] }, 'Filters; all must match.'),
        sort: list(
          closed(
            {
              column: string('Name of the column.'),
              direction: string('Direction.', {
                examples: ['desc'],
                'x-assumed': 'Only `desc` is shown; `asc` for the other direction.',
              }),
            },
            ['column', 'direction'],
          ),
          'Sort order.',
        ),
        limit: integer('Number of rows in a page.', {
          default: QUERY_LIMIT_DEFAULT,
          minimum: 1,
          maximum: QUERY_LIMIT_MAX,
          'x-assumed': 'The minimum is not documented.',
        }),
        offset: integer('Offset of the first row.', { minimum: 0, default: 0 }),
        domain_id: integer('Domain; all sites if absent.', { minimum: 0 }),
        platform: string('Platform.', { enum: [platformV2, 'original', 'all'] }),
        url_options: closed(
          {
            query_params: choice('query parameters'),
            fragments: choice('fragments'),
            case_normalization: {
              description: 'Case of URLs.',
              'x-assumed': 'The option exists; its values are not documented.',
            },
          },
          [],
          { description: 'How URLs are distinguished.' },
        ),
      },
      ['data_set', 'date_range'],
    ),
    QueryResponse: object(
      {
        rows: list(
          { type: 'object', additionalProperties: true },
          'Rows keyed by the requested columns; numbers have full precision.',
        ),
        total_rows: integer('Number of matching rows.', { minimum: 0 }),
      },
      ['rows', 'total_rows'],
    ),
    ErrorV2: object(
      {
        error: object(
          {
            code: string('Code.', { enum: ERROR_CODES }),
            message: string('Description.'),
            details: list(
              object(
                {
                  field: string('Path of the field.', { examples: ['metrics[0]'] }),
                  message: string('Problem; may suggest a column name.'),
                },
                ['field', 'message'],
              ),
              'Problems by field, on `validation_error`.',
            ),
          },
          ['code', 'message'],
        ),
      },
      ['error'],
    ),
  };
}
