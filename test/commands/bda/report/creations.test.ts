import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import type { Received, Reply } from '../../../support/wire-server.ts';
import { analytics } from '../analytics.ts';

const SEGMENT = { SegmentName: 'Europe', SegmentMultiFilters: { 11: { FilterValues: ['DE'] } } };
const REPORT = {
  ReportTitle: 'Mine',
  ReportDateRange: { BaseSelectId: 'BASE_LAST_7' },
  Charts: [
    {
      Name: 'Mine',
      DimensionColumns: [{ Data: 'country', Type: 'string' }],
      MetricColumns: [{ Data: 'visits', Type: 'number' }],
      Segments: [],
      Order: { ColumnNumber: 1, Direction: 'DESC' },
    },
  ],
};
const COLUMNS = [
  { Data: 'country', Type: 'string' },
  { Data: 'visits', Type: 'number' },
];

interface Server {
  /** What each `getsegments` or `getcustomreports` answers, one after the other; the last one stays. */
  readonly listed: readonly Reply[];
  readonly create: Reply;
}

function serving({ listed, create }: Server) {
  let lists = 0;
  return ({ target }: Received): Reply => {
    if (/create/.test(target)) return create;
    if (target.includes('getcolumns')) return { body: JSON.stringify(COLUMNS) };
    if (target.includes('getmultifiltertypes'))
      return { body: JSON.stringify({ 1: { US: 'United States', CA: 'Canada' }, 2: ['mobile', 'desktop'] }) };
    if (target.includes('getmultifilters'))
      return {
        body: JSON.stringify([
          { FilterName: 'Country', MultiFilterId: 11, MultiFilterTypeId: 1 },
          { FilterName: 'device', MultiFilterId: 12, MultiFilterTypeId: 2 },
        ]),
      };
    if (target.includes('getfilters'))
      return { body: JSON.stringify([{ FilterId: 501, FilterKey: 'pageviews', Operations: ['GREATER'] }]) };
    const reply = listed[Math.min(lists, listed.length - 1)];
    lists += 1;
    return reply ?? { body: '[]' };
  };
}

const segments = (...names: readonly string[]): Reply => ({
  body: JSON.stringify(names.map((SegmentName, index) => ({ id: index + 1, SegmentName }))),
});

async function creating(server: Server, input: unknown = SEGMENT, kind = 'segment') {
  const { server: wire, gatectl } = await analytics(serving(server));
  const ran = await gatectl(['bda', kind, 'create', '-', '-o', 'ndjson'], { input: JSON.stringify(input) });
  const creates = wire.received.filter(({ target }) => target.includes('create'));
  return { ...ran, creates };
}

describe('gatectl bda segment create', () => {
  test('sends ids and option keys for names, labels and any letter case', async () => {
    const { server, gatectl } = await analytics(
      serving({ listed: [segments()], create: { body: '{"id":7,"SegmentName":"X"}' } }),
    );
    const { code, stdout } = await gatectl([
      ...['bda', 'segment', 'create', '--name', 'X', '--country', 'us,Canada,US', '-o', 'ndjson'],
      ...['--multifilter', 'device=mobile', '--filter', 'pageviews>9.50'],
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"id":7,"SegmentName":"X"}\n' });
    const body = server.received.find(({ target }) => target.includes('createsegment'))?.body ?? '';
    expect(JSON.parse(body)).toEqual({
      SegmentName: 'X',
      SegmentFilters: { 501: { FilterIntOperationId: 'GREATER', FilterValue: '9.50' } },
      SegmentMultiFilters: { 11: { FilterValues: ['US', 'CA'] }, 12: { FilterValues: ['mobile'] } },
    });
  });

  test.each([
    [
      ['--country', 'UX'],
      '"UX" is not an option of country',
      'it has 2 options; see gatectl bda multifilter types',
    ],
    [['--country', 'Untied States'], 'is not an option of country', 'did you mean US (United States)?'],
    [['--country', 'XYZ'], '"XYZ" is not an option of country', 'gatectl bda multifilter types'],
    [['--gender', 'female'], 'there is no multifilter "gender"', 'Country, device'],
    [['--multifilter', 'devise=mobile'], 'there is no multifilter "devise"', 'did you mean "device"?'],
    [['--multifilter', 'mobile'], "invalid --multifilter 'mobile'", 'NAME=KEY'],
    [
      ['--device', 'mobile', '--multifilter', 'DEVICE=desktop'],
      'duplicate filter DEVICE',
      'separated by commas',
    ],
    [['--filter', 'pageview>3'], 'there is no filter "pageview"', 'did you mean "pageviews"?'],
    [['--filter', 'pageviews:less:3'], 'has no operation LESS', 'greater'],
    [['--filter', 'pageviews=3'], 'compares with one value', 'equals'],
    [[], 'a segment requires a filter', '--country'],
  ])('%j is a usage error, and nothing is created', async (flags, message, hint) => {
    const { server, gatectl } = await analytics(serving({ listed: [segments()], create: { body: '{}' } }));
    const { code, stderr } = await gatectl(['bda', 'segment', 'create', '--name', 'X', ...flags]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect(server.received.every(({ method }) => method === 'GET')).toBe(true);
  });

  test('warns when the name is taken already', async () => {
    const { code, stderr } = await creating({ listed: [segments('Europe')], create: { body: '{"id":2}' } });
    expect(code).toBe(0);
    expect(stderr).toContain('warning: a segment "Europe" already exists (1)');
  });

  test('a response that was lost: the segment is found, and nothing is sent twice', async () => {
    const ran = await creating({
      listed: [
        segments('Europe'),
        { body: '[{"id":1,"SegmentName":"Europe"},{"id":9,"SegmentName":"Europe"}]' },
      ],
      create: { status: 502, body: '<html>bad gateway</html>' },
    });
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({
      code: 0,
      stdout: '{"id":9,"name":"Europe"}\n',
    });
    expect(ran.stderr).toContain('exists now; the request was not repeated');
    expect(ran.creates.length).toBe(1);
  });

  test('an ambiguous failure after which nothing was created is reported as such', async () => {
    const ran = await creating({ listed: [segments()], create: { status: 503, body: 'busy' } });
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain(
      'warning: the segment "Europe" does not exist yet, but may still be created; check before you create it again',
    );
    expect(ran.creates.length).toBe(1);
  });

  test('an ambiguous failure that cannot be resolved is reported as such', async () => {
    const ran = await creating({
      listed: [segments(), { status: 400, body: '{"Success":false,"Error":"no"}' }],
      create: { status: 503, body: 'busy' },
    });
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain(
      'cannot determine whether the segment "Europe" was created; check before you create it again',
    );
  });

  test.each<[string, Reply, Reply]>([
    ['a listing that can not be read', segments(), { body: '{"Segments":{"31":{"Title":1}}}' }],
    ['positional rows', segments(), { body: '[[31,"Europe"]]' }],
  ])('%s: the error does not claim whether it was created', async (_, before, after) => {
    const ran = await creating({ listed: [before, after], create: { status: 503, body: 'busy' } });
    expect(ran.stderr).toContain(
      'cannot determine whether the segment "Europe" was created; check before you create it again',
    );
  });

  test('without numbers, one more of the name is the new one', async () => {
    const list = (count: number) => ({ body: JSON.stringify(Array(count).fill({ SegmentName: ' Europe' })) });
    const ran = await creating({ listed: [list(1), list(2)], create: { status: 503, body: 'busy' } });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('exists now');
  });

  test('a listing that is rejected does not stop the creation', async () => {
    const ran = await creating({ listed: [{ status: 404, body: 'no' }], create: { body: '{"id":4}' } });
    expect({ code: ran.code, creates: ran.creates.length }).toEqual({ code: 0, creates: 1 });
  });

  test('a response without a number is completed from the listing', async () => {
    const ran = await creating({
      listed: [segments(), segments('Europe')],
      create: { body: '{"Success":true}' },
    });
    expect(ran.stdout).toBe('{"id":1,"Success":true}\n');
  });

  test('a rejection is final: nothing is looked up', async () => {
    const ran = await creating({
      listed: [segments()],
      create: { status: 400, body: '{"Success":false,"Error":"bad filter"}' },
    });
    expect(ran.code).toBe(5);
    expect(ran.stderr).toContain('bad filter');
    expect(ran.stderr).not.toContain('made');
  });
});

describe('gatectl bda report create', () => {
  test('sends the report unchanged and prints its number', async () => {
    const ran = await creating({ listed: [{ body: '[]' }], create: { body: '105' } }, REPORT, 'report');
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 0, stdout: '105\n' });
    expect(JSON.parse(ran.creates[0]?.body ?? '')).toEqual(REPORT);
  });

  test('names every mistake before anything is sent', async () => {
    const wrong = structuredClone(REPORT);
    wrong.ReportDateRange.BaseSelectId = '';
    const [chart] = wrong.Charts;
    if (chart !== undefined) {
      chart.MetricColumns = [{ Data: 'visit', Type: 'int' }];
      chart.Order = { ColumnNumber: 2, Direction: 'DOWN' };
    }
    const ran = await creating({ listed: [{ body: '[]' }], create: { body: '105' } }, wrong, 'report');
    expect(ran.code).toBe(2);
    const { details } = (JSON.parse(ran.stderr) as { error: { details: unknown } }).error;
    expect(details).toEqual(
      [
        ['ReportDateRange.BaseSelectId', 'must be a name, such as BASE_NOT_SELECTED or BASE_LAST_7'],
        ['Charts[0].MetricColumns[0].Data', 'there is no column "visit"; did you mean "visits"?'],
        ['Charts[0].MetricColumns[0].Type', 'must be string or number'],
        ['Charts[0].Order.ColumnNumber', 'must be the index of a dimension or metric, from 0 to 1'],
        ['Charts[0].Order.Direction', 'must be ASC or DESC'],
      ].map(([field, message]) => ({ field, message, origin: 'stdin' })),
    );
    expect(ran.creates).toEqual([]);
  });

  test('an undocumented date base is sent with a note', async () => {
    const report = { ...REPORT, ReportDateRange: { BaseSelectId: 'BASE_LAST_30' } };
    const { gatectl, server } = await analytics(
      serving({ listed: [{ body: '[]' }], create: { body: '105' } }),
    );
    const folder = temporaryFolder();
    const file = join(folder, 'report.json');
    writeFileSync(file, JSON.stringify(report));
    const ran = await gatectl(['bda', 'report', 'create', file]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toBe(
      'note: the date base BASE_LAST_30 is not in the documentation of the API; the gateway decides whether it is valid\n',
    );
    const sent = server.received.find(({ target }) => target.includes('createcustomreport'));
    expect(JSON.parse(sent?.body ?? '{}')).toEqual(report);
  });

  test('a file with a segment is not a report', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'segment.json');
    writeFileSync(file, JSON.stringify(SEGMENT));
    const { gatectl } = await analytics(serving({ listed: [], create: { body: '{}' } }));
    const { code, stderr } = await gatectl(['bda', 'report', 'create', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('is not a member of a report');
  });
});
