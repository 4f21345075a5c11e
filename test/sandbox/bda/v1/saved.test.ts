import { describe, expect, test } from 'vitest';
import { openBda } from '../calling.ts';

const REPORT = {
  ReportTitle: 'Tablets',
  ReportDateRange: { BaseSelectId: 'BASE_LAST_7' },
  Charts: [
    {
      Name: 'Tablets by day',
      DimensionColumns: [{ Data: 'report_day', Type: 'string' }],
      MetricColumns: [{ Data: 'visits', Type: 'number' }],
      Segments: [],
      Order: { ColumnNumber: 0, Direction: 'DESC' },
    },
  ],
};
const [CHART] = REPORT.Charts;

async function errorOf(target: string, body: unknown): Promise<string> {
  const { status, json } = await openBda().v1('POST', target, body);
  expect([status, json.Success]).toEqual([400, false]);
  return json.Error;
}

describe('a created segment', () => {
  test('by country: from the multifilter’s type to its option keys, to an id that a report can be run with', async () => {
    const bda = openBda();
    const multifilters = (await bda.v1('GET', '/getmultifilters/')).json;
    const country = multifilters.find(({ FilterName }: { FilterName: string }) => FilterName === 'country');
    const options = (await bda.v1('GET', '/getmultifiltertypes/')).json[country.MultiFilterTypeId];
    expect(Object.keys(options)).toEqual(expect.arrayContaining(['DE', 'CH']));

    const segment = {
      SegmentName: 'Neighbours',
      SegmentMultiFilters: { [country.MultiFilterId]: { FilterValues: ['DE', 'CH'] } },
    };
    const created = await bda.v1('POST', '/createsegment/', segment);
    expect(created.json).toEqual({ id: 204, ...segment });
    expect((await bda.v1('GET', '/getsegments/')).json.at(-1)).toEqual({
      id: 204,
      ...segment,
      Premade: false,
    });

    const { json } = await bda.v1('POST', '/getdata/?reportName=Countries', {
      MaxItems: 10,
      StartDate: '2026-03-01',
      EndDate: '2026-03-09',
      SegmentIds: [created.json.id],
    });
    expect(json.Data.map((row: Record<string, string>) => [row.segment, row.country])).toEqual([
      ['Neighbours', 'DE'],
      ['Neighbours', 'CH'],
    ]);
  });

  test('stores plain filters and multifilters, and ignores unknown members', async () => {
    const bda = openBda();
    const filters = {
      SegmentFilters: { 513: { FilterIntOperationId: 'GREATER', FilterValue: '12345678901234567890' } },
      SegmentMultiFilters: { 12: { FilterValues: ['tablet'] }, 14: { FilterValues: ['example.org'] } },
    };
    const { json } = await bda.v1(
      'POST',
      '/createsegment/',
      JSON.stringify({ SegmentName: 'Both', ...filters, id: 1, Note: 7 }),
    );
    expect(json).toEqual({ id: 204, SegmentName: 'Both', ...filters });
  });

  test('may share its name with another; each has an id of its own', async () => {
    const bda = openBda();
    const ids = [];
    for (let index = 0; index < 2; index += 1) {
      ids.push((await bda.v1('POST', '/createsegment/', { SegmentName: 'Everybody' })).json.id);
    }
    expect(ids).toEqual([204, 205]);
  });

  test('is lost when the server stops', async () => {
    await openBda().v1('POST', '/createsegment/', { SegmentName: 'Everybody' });
    expect((await openBda().v1('GET', '/getsegments/')).text).not.toContain('Everybody');
  });

  test.each<[Record<string, unknown>, string]>([
    [{}, 'SegmentName is required'],
    [{ SegmentName: ' ' }, 'SegmentName is required'],
    [
      { SegmentName: 'S', SegmentMultiFilters: { 1: { FilterValues: ['US'] } } },
      'there is no multifilter 1: the ids are 11, 12, 13, 14',
    ],
    [
      { SegmentName: 'S', SegmentMultiFilters: { 12: { FilterValues: ['dekstop'] } } },
      "'dekstop' is not an option key of multifilter 12; did you mean 'desktop'?",
    ],
    [
      { SegmentName: 'S', SegmentMultiFilters: { 11: { FilterValues: ['us'] } } },
      "'us' is not an option key of multifilter 11; did you mean 'US'?",
    ],
    [
      { SegmentName: 'S', SegmentMultiFilters: { 11: { FilterValues: [] } } },
      'FilterValues of multifilter 11 must be a non-empty list of option keys',
    ],
    [{ SegmentName: 'S', SegmentMultiFilters: { 11: 'US' } }, "SegmentMultiFilters['11'] must be an object"],
    [{ SegmentName: 'S', SegmentFilters: [] }, 'SegmentFilters must be an object keyed by id'],
    [
      { SegmentName: 'S', SegmentFilters: { 12: { FilterIntOperationId: 'GREATER', FilterValue: '1' } } },
      'there is no filter 12: getfilters lists the ids',
    ],
    [
      { SegmentName: 'S', SegmentFilters: { 513: { FilterIntOperationId: 'GREATER', FilterValue: 'x' } } },
      "FilterValue 'x' is not a number, and pageviews is numeric",
    ],
  ])('must make sense: %j', async (body, message) => {
    expect(await errorOf('/createsegment/', body)).toBe(message);
  });
});

describe('a created report', () => {
  test('gets an id, is listed, shown and run', async () => {
    const bda = openBda();
    const created = await bda.v1('POST', '/createcustomreport/', REPORT);
    expect(created.json).toEqual({ id: 105 });
    expect((await bda.v1('GET', '/getcustomreports/')).json.at(-1)).toEqual({ id: 105, ...REPORT });
    expect((await bda.v1('GET', '/getreport/?reportName=Tablets')).json).toEqual({
      ReportName: 'Tablets',
      DateBaseSelectId: 'BASE_LAST_7',
      Charts: REPORT.Charts,
    });
    const { json } = await bda.v1('POST', '/getdata/?customReportId=105', { MaxItems: 2 });
    expect(json.Data.map((row: Record<string, string>) => row.report_day)).toEqual([
      '2026-03-09',
      '2026-03-08',
    ]);
  });

  test('may embed a segment that was created before it', async () => {
    const bda = openBda();
    const { id } = (await bda.v1('POST', '/createsegment/', { SegmentName: 'Everybody' })).json;
    const report = { ...REPORT, Charts: [{ ...CHART, Segments: [id] }] };
    expect((await bda.v1('POST', '/createcustomreport/', report)).json).toEqual({ id: 105 });
    const { json } = await bda.v1('POST', '/getdata/?customReportId=105', { MaxItems: 1 });
    expect(json.Data[0].segment).toBe('Everybody');
  });

  test('may have a date base of any number of days, or none', async () => {
    const bda = openBda();
    const create = async (ReportDateRange: unknown) =>
      (await bda.v1('POST', '/createcustomreport/', { ...REPORT, ReportDateRange })).json.id;
    const days = async (id: number) => {
      const body = { MaxItems: 100, DateGrouping: 'DAILY' };
      const { json } = await bda.v1('POST', `/getdata/?customReportId=${id}`, body);
      return new Set(json.Data.map((row: { report_day: string }) => row.report_day)).size;
    };
    expect(await days(await create({ BaseSelectId: 'BASE_LAST_30' }))).toBe(30);
    expect(await days(await create({ BaseSelectId: 'BASE_LAST_MONTH' }))).toBeGreaterThan(27);
    expect(await create(undefined)).toBeGreaterThan(100);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ ReportTitle: '' }, 'ReportTitle is required'],
    [
      { ReportDateRange: { BaseSelectId: 'BASE_FOREVER' } },
      'ReportDateRange.BaseSelectId must be BASE_LAST_N or one of BASE_NOT_SELECTED, BASE_THIS_MONTH, BASE_LAST_MONTH, BASE_YESTERDAY',
    ],
    [
      { ReportDateRange: 7 },
      'ReportDateRange.BaseSelectId must be BASE_LAST_N or one of BASE_NOT_SELECTED, BASE_THIS_MONTH, BASE_LAST_MONTH, BASE_YESTERDAY',
    ],
    [{ Charts: [] }, 'Charts must be a non-empty list'],
    [{ Charts: ['x'] }, 'Charts[0] must be an object'],
    [{ Charts: [{ ...CHART, Name: undefined }] }, 'Charts[0].Name is required'],
    [{ Charts: [{ ...CHART, Segments: [1, 999] }] }, 'Charts[0].Segments: there is no segment 999'],
    [
      { Charts: [{ ...CHART, Segments: ['All Users'] }] },
      'Charts[0].Segments: there is no segment with this id',
    ],
    [
      { Charts: [{ ...CHART, Order: { ColumnNumber: 2, Direction: 'ASC' } }] },
      'Charts[0].Order.ColumnNumber must be an integer from 0 to 1',
    ],
    [
      { Charts: [{ ...CHART, MetricColumns: [{ Data: 'visit', Type: 'number' }] }] },
      "Charts[0].MetricColumns[0].Data: unknown column 'visit'; did you mean 'visits'?",
    ],
  ])('must make sense: %j', async (change, message) => {
    expect(await errorOf('/createcustomreport/', { ...REPORT, ...change })).toBe(message);
  });
});
