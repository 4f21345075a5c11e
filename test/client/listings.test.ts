import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import {
  type Columns,
  type ColumnV1,
  type CreatedReport,
  type DataSets,
  type DateRange,
  type Domains,
  type DomainV1,
  type FilterListing,
  Gateway,
  type Multifilter,
  type ReportDefinition,
  type SavedReport,
  type SavedSegment,
} from '../../src/client/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openApiDocument } from '../../src/wire/openapi/index.ts';

/** The members of a type, and which of them it requires. */
type Members<Listed> = {
  readonly [Name in keyof Listed]-?: undefined extends Listed[Name] ? 'optional' : 'required';
};

/** By the path of a schema in the OpenAPI document, the members of the type that the client returns for it; the compiler compares them. */
const LISTED = {
  Domains: { domains: 'required' } satisfies Members<Domains>,
  'Domains.domains': { domain_id: 'required', domain: 'required' } satisfies Members<Domains['domains'][0]>,
  Columns: { columns: 'required' } satisfies Members<Columns>,
  'Columns.columns': {
    name: 'required',
    type: 'required',
    unit: 'required',
    description: 'required',
    role: 'optional',
    data_sets: 'required',
  } satisfies Members<Columns['columns'][0]>,
  DataSets: { data_sets: 'required' } satisfies Members<DataSets>,
  'DataSets.data_sets': {
    name: 'required',
    description: 'optional',
    columns: 'optional',
  } satisfies Members<DataSets['data_sets'][0]>,
  DateRange: { earliest_date: 'required', latest_date: 'required' } satisfies Members<DateRange>,
  ColumnV1: {
    Data: 'required',
    Type: 'required',
    Title: 'optional',
    Kind: 'optional',
    Description: 'optional',
  } satisfies Members<ColumnV1>,
  DomainV1: { DomainId: 'required', Domain: 'required' } satisfies Members<DomainV1>,
  ReportDefinition: {
    ReportName: 'optional',
    DateBaseSelectId: 'required',
    Charts: 'optional',
  } satisfies Members<ReportDefinition>,
  SavedReport: {
    id: 'required',
    ReportTitle: 'required',
    ReportDateRange: 'optional',
    Charts: 'optional',
  } satisfies Members<SavedReport>,
  SavedSegment: {
    id: 'required',
    SegmentName: 'required',
    SegmentFilters: 'optional',
    SegmentMultiFilters: 'optional',
    Premade: 'optional',
  } satisfies Members<SavedSegment>,
  Multifilter: {
    FilterName: 'required',
    MultiFilterId: 'required',
    MultiFilterTypeId: 'required',
  } satisfies Members<Multifilter>,
  FilterListing: {
    FilterId: 'required',
    FilterName: 'optional',
    FilterKey: 'required',
    Type: 'optional',
    Operations: 'optional',
  } satisfies Members<FilterListing>,
};

interface ObjectSchema {
  readonly properties: { readonly [name: string]: { readonly items?: ObjectSchema } };
  readonly required: readonly string[];
}

function schemaAt(path: string): ObjectSchema {
  const [name = '', list] = path.split('.');
  const schema = openApiDocument().components.schemas[name] as unknown as ObjectSchema;
  return (list === undefined ? schema : schema.properties[list]?.items) ?? expect.unreachable(path);
}

describe('the types of listings', () => {
  test.each(Object.entries(LISTED))('%s has the members of the OpenAPI document', (path, members) => {
    const { properties, required } = schemaAt(path);
    expect(members).toEqual(
      Object.fromEntries(
        Object.keys(properties).map(name => [name, required.includes(name) ? 'required' : 'optional']),
      ),
    );
  });

  test('describe what a gateway of that document sends, with numbers as their digits', async () => {
    const sandbox = await startSandbox();
    const gateway = new Gateway({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, domain: 'example.com' });
    onTestFinished(async () => {
      await gateway.close();
      await sandbox.close();
    });
    const { bda, bdaV1 } = gateway;
    const [domain] = (await bda.domains()).domains;
    expect(domain).toEqual({ domain_id: expect.stringMatching(/^\d+$/), domain: 'example.com' });
    expect((await bda.columns()).columns.find(({ name }) => name === 'visits')?.data_sets).toContain(
      'pageview',
    );
    expect((await bda.dataSets()).data_sets.map(({ name }) => name)).toContain('pageview');
    expect((await bda.dateRange()).latest_date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect((await bdaV1.domains())[0]?.DomainId).toBe(domain?.domain_id);
    expect((await bdaV1.columns()).map(({ Data }) => Data)).toContain('visits');
    expect((await bdaV1.reports()).includes('Daily Revenue')).toBe(true);
    expect((await bdaV1.report('Daily Revenue')).DateBaseSelectId).toBe('BASE_NOT_SELECTED');
    const { id }: CreatedReport = await bdaV1.createCustomReport({
      ReportTitle: 'Mine',
      ReportDateRange: { BaseSelectId: 'BASE_LAST_7' },
      Charts: [
        {
          Name: 'Visits',
          DimensionColumns: [],
          MetricColumns: [{ Data: 'visits', Type: 'number' }],
          Segments: [],
        },
      ],
    });
    expect((await bdaV1.customReports()).find(report => report.id === id)?.ReportTitle).toBe('Mine');
    const segment = await bdaV1.createSegment({
      SegmentName: 'Canada',
      SegmentMultiFilters: { '11': { FilterValues: ['CA'] } },
    });
    expect((await bdaV1.segments()).find(each => each.id === segment.id)?.SegmentName).toBe('Canada');
    const [multifilter] = await bdaV1.multifilters();
    const types = await bdaV1.multifilterTypes();
    expect(Object.keys(types)).toContain(multifilter?.MultiFilterTypeId);
    expect((await bdaV1.filters())[0]?.FilterId).toMatch(/^\d+$/);
    // @ts-expect-error the member is `domain_id`
    expect(domain?.id).toBeUndefined();
    expectTypeOf(types[0]).toEqualTypeOf<{ readonly [optionKey: string]: string } | undefined>();
  });
});
