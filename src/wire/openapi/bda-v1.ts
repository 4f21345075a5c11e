import { BDA_V1_PREFIX } from '../bda-v1.ts';
import { DATA_REQUEST_RULES, platformRule, type ValueRule } from '../bda-v1-rules.ts';
import type { BrandNames } from '../brand.ts';
import {
  type ApiParts,
  ASSUMED_BODY,
  closed,
  constant,
  day,
  inQuery,
  integer,
  jsonBody,
  jsonResponse,
  list,
  NO_KEY_RESPONSE,
  object,
  type Part,
  QUERY_KEY,
  ref,
  string,
} from './parts.ts';

const TAG = 'BDA v1';

/** The saved-report analytics API (spec, Endpoints C). */
export function bdaV1Parts(brand: BrandNames): ApiParts {
  return {
    tag: {
      name: TAG,
      description: 'Predefined reports, custom reports and segments saved on the server.',
    },
    schemas: schemas(brand),
    paths: {
      [at('getreports')]: listing(
        'listReports',
        'List predefined reports',
        'The names that `getreport` and `getdata` take as `reportName`.',
        list(string('Name.'), 'Names.'),
        ['Pages', 'Daily Revenue'],
      ),
      [at('getreport')]: {
        get: {
          ...head(
            'getReport',
            'Get the definition of a report',
            'The definition of a predefined report, with its default days in `DateBaseSelectId`.',
          ),
          parameters: [
            inQuery('reportName', string('Name of the report.'), {
              required: true,
              example: 'Daily Revenue',
            }),
          ],
          responses: responses(ref('ReportDefinition'), { predefined: DEFINITION }),
        },
      },
      [at('getdata')]: {
        post: {
          ...head(
            'getData',
            'Run a predefined or custom report',
            'Takes either `reportName` or `customReportId`. Days may be omitted where a custom report has a default range; without `SegmentIds`, its own segments apply.',
          ),
          parameters: [
            inQuery('reportName', string('Name of a predefined report.'), { example: 'Devices' }),
            inQuery('customReportId', integer('Id of a custom report.')),
          ],
          'x-exactly-one-of': [['reportName', 'customReportId']],
          requestBody: jsonBody(ref('DataRequest'), {
            month: {
              StartDate: '2026-03-01',
              EndDate: '2026-03-07',
              DateGrouping: 'MONTHLY',
              Platform: 'ALL',
              StartItem: 0,
              MaxItems: 100,
            },
          }),
          responses: responses(ref('DataResponse'), { rows: { Data: [{ device: 'desktop', visits: 120 }] } }),
        },
      },
      [at('getCustomData')]: {
        post: {
          ...head(
            'getCustomData',
            'Query columns named in the request',
            'A data request with `DimensionColumns`, `MetricColumns`, `Order` and `Filters`.',
          ),
          requestBody: jsonBody(ref('CustomDataRequest'), {
            devices: {
              StartDate: '2026-03-01',
              EndDate: '2026-03-07',
              DimensionColumns: [{ Data: 'device', Type: 'string' }],
              MetricColumns: [{ Data: 'visits', Type: 'number' }],
              Filters: [
                {
                  Type: 'INCLUDE',
                  FilterKey: 'visits',
                  OperationId: 'GREATER_OR_EQUAL',
                  FilterValue: '10',
                },
              ],
              Order: { ColumnNumber: 1, Direction: 'DESC' },
              StartItem: 0,
              MaxItems: 100,
            },
          }),
          responses: responses(ref('DataResponse'), { rows: { Data: [{ device: 'desktop', visits: 120 }] } }),
        },
      },
      [at('getcolumns')]: listing(
        'listColumnsV1',
        'List columns',
        'The columns that data requests can name.',
        list(ref('ColumnV1'), 'Columns.'),
        [
          { Data: 'report_day', Type: 'string', Title: 'Day', Kind: 'dimension', Description: 'Day in UTC' },
          {
            Data: 'revenue',
            Type: 'number',
            Title: 'Revenue',
            Kind: 'metric',
            Description: 'Revenue in USD',
          },
        ],
      ),
      [at('createcustomreport')]: {
        post: {
          ...head(
            'createCustomReport',
            'Create a custom report',
            'Stores a report on the server. Sent twice, it is stored twice.',
          ),
          requestBody: jsonBody(ref('CustomReport'), { byDay: CUSTOM_REPORT }),
          responses: responses(
            object({ id: integer('Id of the custom report.') }, ['id']),
            { created: { id: 105 } },
            'The documentation says that the id is returned, not in which form.',
          ),
        },
      },
      [at('getcustomreports')]: listing(
        'listCustomReports',
        'List custom reports',
        'Custom reports with the ids that `getdata` takes as `customReportId`.',
        list(ref('SavedReport'), 'Custom reports with their ids and names.'),
        [{ id: 101, ...CUSTOM_REPORT }],
      ),
      [at('getsegments')]: listing(
        'listSegments',
        'List custom and premade segments',
        'Segments with the ids that data requests take as `SegmentIds`.',
        list(ref('SavedSegment'), 'Segments.'),
        [
          { id: 1, SegmentName: 'All Users', Premade: true },
          {
            id: 201,
            SegmentName: 'North America',
            SegmentMultiFilters: { '11': { FilterValues: ['US', 'CA'] } },
          },
        ],
      ),
      [at('getmultifilters')]: listing(
        'listMultifilters',
        'List multifilters',
        'Filters on preset groups, such as countries. The option keys are those of their type.',
        list(ref('Multifilter'), 'Multifilters.'),
        [{ FilterName: 'country', MultiFilterId: 11, MultiFilterTypeId: 1 }],
      ),
      [at('getmultifiltertypes')]: listing(
        'listMultifilterTypes',
        'List multifilter types with their option keys',
        'The keys that a segment takes as `FilterValues`; two-character codes for countries.',
        {
          type: 'object',
          description: 'Multifilter type id to its option keys with their labels.',
          additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
        },
        { '1': { US: 'United States', CA: 'Canada' } },
      ),
      [at('createsegment')]: {
        post: {
          ...head(
            'createSegment',
            'Create a segment',
            'Stores a segment on the server, and returns it with its `id`. Sent twice, it is stored twice.',
          ),
          requestBody: jsonBody(ref('Segment'), { northAmerica: SEGMENT }),
          responses: responses(ref('SavedSegment'), { created: { id: 204, ...SEGMENT } }, false),
        },
      },
      [at('getdomains')]: listing(
        'listDomainsV1',
        'List domains',
        'The domains of the account, with the ids that data requests take as `DomainId`.',
        list(ref('DomainV1'), 'Domains.'),
        [{ DomainId: 1001, Domain: 'example.com' }],
      ),
      [at('getfilters')]: listing(
        'listFilters',
        'List filters',
        'The filters that a segment can use, with the ids of `SegmentFilters`.',
        list(ref('FilterListing'), 'Filters.'),
        [
          {
            FilterId: 512,
            FilterName: 'Visits',
            FilterKey: 'visits',
            Type: 'number',
            Operations: ['GREATER', 'GREATER_OR_EQUAL'],
          },
        ],
      ),
    },
  };
}

const CHART = {
  Name: 'Revenue by day',
  DimensionColumns: [{ Data: 'report_day', Type: 'string' }],
  MetricColumns: [{ Data: 'revenue', Type: 'number' }],
  Segments: [],
  Order: { ColumnNumber: 1, Direction: 'DESC' },
};
const DEFINITION = { ReportName: 'Daily Revenue', DateBaseSelectId: 'BASE_NOT_SELECTED', Charts: [CHART] };
const CUSTOM_REPORT = {
  ReportTitle: 'Revenue by day',
  ReportDateRange: { BaseSelectId: 'BASE_LAST_7' },
  Charts: [CHART],
};
const SEGMENT = {
  SegmentName: 'North America',
  SegmentMultiFilters: { '11': { FilterValues: ['US', 'CA'] } },
};

function at(endpoint: string): string {
  return `${BDA_V1_PREFIX}/${endpoint}/`;
}

function head(operationId: string, summary: string, description: string): Part {
  return { operationId, tags: [TAG], summary, description, security: QUERY_KEY };
}

function listing(
  operationId: string,
  summary: string,
  description: string,
  schema: Part,
  example: unknown,
): Part {
  return {
    get: { ...head(operationId, summary, description), responses: responses(schema, { some: example }) },
  };
}

function responses(schema: Part, examples: Part, assumed: string | false = ASSUMED_BODY): Part {
  return {
    '200': jsonResponse('Success.', schema, examples, assumed === false ? {} : { 'x-assumed': assumed }),
    '503': NO_KEY_RESPONSE,
    default: jsonResponse(
      'Rejected request.',
      ref('ErrorV1'),
      { unknownColumn: { Success: false, Error: "unknown column 'vists'" } },
      { 'x-assumed': 'Statuses and error texts are not documented; this is the form of the CDN API.' },
    ),
  };
}

function schemas(brand: BrandNames): ApiParts['schemas'] {
  const data = dataFields(brand);
  return {
    ColumnRef: closed(
      {
        Data: string('Name of the column.', { examples: ['visits'] }),
        Type: string('Type of the column.', { examples: ['string', 'number'] }),
      },
      ['Data', 'Type'],
    ),
    Order: closed(
      {
        ColumnNumber: integer('Zero-based index over the dimensions, then the metrics.', { minimum: 0 }),
        Direction: string('Direction.', {
          examples: ['DESC'],
          'x-assumed': 'Only `DESC` is shown; `ASC` for the other direction.',
        }),
      },
      ['ColumnNumber', 'Direction'],
    ),
    Filter: closed(
      {
        Type: string('Kind of filter.', {
          examples: ['INCLUDE'],
          'x-assumed': 'Only `INCLUDE` is shown; `EXCLUDE` for its opposite.',
        }),
        FilterKey: string('Name of the column.'),
        OperationId: string('Operation.', {
          examples: ['GREATER', 'GREATER_OR_EQUAL'],
          'x-assumed': 'Other operations exist; their ids are not documented.',
        }),
        FilterValue: string('Value to compare with.'),
      },
      ['Type', 'FilterKey', 'OperationId', 'FilterValue'],
    ),
    DataRequest: closed(data, ['MaxItems'], {
      description:
        'Fields of a data request. `StartDate` and `EndDate` are required for `BASE_NOT_SELECTED`.',
    }),
    CustomDataRequest: closed(
      {
        ...data,
        DimensionColumns: list(ref('ColumnRef'), 'Dimensions.'),
        MetricColumns: list(ref('ColumnRef'), 'Metrics.'),
      },
      ['MaxItems'],
    ),
    DataResponse: object({ Data: list({ type: 'object' }, 'Rows keyed by column name.') }, ['Data'], {
      'x-assumed': ASSUMED_BODY,
    }),
    Chart: closed(
      {
        Name: string('Name of the chart.'),
        DimensionColumns: list(ref('ColumnRef'), 'Dimensions.'),
        MetricColumns: list(ref('ColumnRef'), 'Metrics.'),
        Segments: list({ type: 'integer' }, 'Ids of embedded segments; may be empty.'),
        Order: ref('Order'),
      },
      ['Name', 'DimensionColumns', 'MetricColumns'],
    ),
    CustomReport: closed(
      {
        ReportTitle: string('Title.'),
        ReportDateRange: closed(
          {
            BaseSelectId: string('Default range of the report.', {
              examples: ['BASE_NOT_SELECTED', 'BASE_LAST_7'],
            }),
          },
          ['BaseSelectId'],
        ),
        Charts: list(ref('Chart'), 'Charts.'),
      },
      ['ReportTitle', 'ReportDateRange', 'Charts'],
    ),
    SavedReport: object(
      {
        id: integer('Id of the custom report.'),
        ReportTitle: string('Name.'),
        ReportDateRange: { type: 'object' },
        Charts: list({ type: 'object' }, 'Charts, as in a custom report.'),
      },
      ['id', 'ReportTitle'],
      { 'x-assumed': ASSUMED_BODY },
    ),
    ReportDefinition: object(
      {
        ReportName: string('Name.'),
        DateBaseSelectId: string('Default range of the report.'),
        Charts: list({ type: 'object' }, 'Charts, as in a custom report.'),
      },
      ['DateBaseSelectId'],
      { 'x-assumed': 'Only `DateBaseSelectId` is documented.' },
    ),
    ColumnV1: object(
      {
        Data: string('Name of the column.'),
        Type: string('Type of the column.'),
        Title: string('Label.'),
        Kind: string('`dimension` or `metric`.'),
        Description: string('Meaning.'),
      },
      ['Data', 'Type'],
      { 'x-assumed': ASSUMED_BODY },
    ),
    DomainV1: object({ DomainId: integer('Id.'), Domain: string('Domain.') }, ['DomainId', 'Domain'], {
      'x-assumed': ASSUMED_BODY,
    }),
    FilterListing: object(
      {
        FilterId: integer('Id; segments use it as a key.'),
        FilterName: string('Label.'),
        FilterKey: string('Name of the column.'),
        Type: string('Type of the column.'),
        Operations: list(string('Operation id.'), 'Operations of the filter.'),
      },
      ['FilterId', 'FilterKey'],
      { 'x-assumed': ASSUMED_BODY },
    ),
    Multifilter: object(
      {
        FilterName: string('Name.'),
        MultiFilterId: integer('Id; segments use it as a key.'),
        MultiFilterTypeId: integer('Id of its type, which has the option keys.'),
      },
      ['FilterName', 'MultiFilterId', 'MultiFilterTypeId'],
    ),
    Segment: closed(SEGMENT_FIELDS, ['SegmentName']),
    SavedSegment: object(
      {
        id: integer('Id of the segment.'),
        ...SEGMENT_FIELDS,
        Premade: {
          type: 'boolean',
          description: 'Whether every account has the segment.',
          'x-assumed': 'How premade segments are distinguished is not documented.',
        },
      },
      ['id', 'SegmentName'],
    ),
    ErrorV1: object({ Success: constant(false), Error: string('Description.') }, ['Success', 'Error'], {
      'x-assumed': 'The error shape is not documented.',
    }),
  };
}

/** What a rule is in a JSON Schema. */
function keywords(rule: ValueRule): Part {
  if (rule.kind === 'text') return {};
  if (rule.kind === 'word') return { enum: rule.words };
  return { minimum: rule.from, ...(rule.to !== undefined && { maximum: rule.to }) };
}

function dataFields(brand: BrandNames): Part {
  const rules = DATA_REQUEST_RULES;
  return {
    StartItem: integer('Offset of the first row.', keywords(rules.StartItem)),
    MaxItems: integer('Number of rows in a page.', keywords(rules.MaxItems)),
    Platform: string('Platform; `ALL` is both combined.', keywords(platformRule(brand))),
    DomainId: integer('Domain; all sites if absent.', keywords(rules.DomainId)),
    DateGrouping: string('Grouping of days.', keywords(rules.DateGrouping)),
    SegmentIds: list({ type: 'integer' }, 'Splits each row into these segments.'),
    StartDate: day('First day.'),
    EndDate: day('Last day.'),
    UrlParams: string('Whether query parameters distinguish pages.', keywords(rules.UrlParams)),
    UrlFragments: string('Whether fragments distinguish pages.', keywords(rules.UrlFragments)),
    RevenueDecimalPlaces: integer('Decimal places of revenue.', {
      ...keywords(rules.RevenueDecimalPlaces),
      'x-assumed': 'The limits are not documented: 0 to 6; 2 if it is absent.',
    }),
    Order: ref('Order'),
    Filters: list(ref('Filter'), 'Filters.'),
  };
}

const SEGMENT_FIELDS = {
  SegmentName: string('Name.'),
  SegmentFilters: {
    type: 'object',
    description: 'Filter id to operation and value.',
    additionalProperties: closed(
      { FilterIntOperationId: string('Operation.'), FilterValue: string('Value to compare with.') },
      ['FilterIntOperationId', 'FilterValue'],
    ),
  },
  SegmentMultiFilters: {
    type: 'object',
    description: 'Multifilter id to option keys.',
    additionalProperties: closed({ FilterValues: list(string('Option key.'), 'Option keys.') }, [
      'FilterValues',
    ]),
  },
};
