import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Gateway } from '../../../src/client/index.ts';
import { startSandbox } from '../../../src/sandbox/library.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';
import { wireServer } from '../../support/wire-server.ts';
import { analytics } from './analytics.ts';

const REPORT = ['bda', 'report', 'run', '-d', 'country', '-m', 'visits', '--last', '7d'];
const CHART = {
  Name: 'a',
  DimensionColumns: [{ Data: 'country', Type: 'string' }],
  MetricColumns: [{ Data: 'visits', Type: 'number' }],
  Segments: [],
};

/** A document, the command that sends it, its unknown member as typed, and what was meant. */
const DOCUMENTS: readonly (readonly [string, readonly string[], string, string, string | undefined])[] = [
  [
    'a segment',
    ['bda', 'segment', 'create'],
    '{"SegmentName":"t",\n "SegmentMultifilters":{"1":{"FilterValues":["US"]}}}',
    'SegmentMultifilters (%:2:2)',
    'SegmentMultiFilters',
  ],
  [
    'a segment filter',
    ['bda', 'segment', 'create'],
    '{"SegmentName":"t","SegmentFilters":{"3":{"FilterIntOperationId":"1","FilterValue":"2","Negate":true}}}',
    'SegmentFilters.3.Negate (%:1:88)',
    undefined,
  ],
  [
    'a report',
    ['bda', 'report', 'create'],
    JSON.stringify({
      ReportTitle: 't',
      ReportDateRange: { BaseSelectId: 'BASE_LAST_7' },
      charts: [CHART],
      Charts: [CHART],
    }),
    'charts (%:1:69)',
    'Charts',
  ],
  [
    'a chart',
    ['bda', 'report', 'create'],
    JSON.stringify({ ReportTitle: 't', Charts: [{ order: { ColumnNumber: 1 }, ...CHART }] }),
    'Charts[0].order (%:1:31)',
    'Order',
  ],
  [
    'a column',
    ['bda', 'report', 'create'],
    JSON.stringify({
      ReportTitle: 't',
      Charts: [{ ...CHART, MetricColumns: [{ Data: 'visits', Type: 'number', Sort: 1 }] }],
    }),
    'Charts[0].MetricColumns[0].Sort (%:1:148)',
    undefined,
  ],
  ['a data request', [...REPORT, '--request'], '{"DomainID":7}', 'DomainID (%:1:2)', 'DomainId'],
  ['filters of a data request', [...REPORT, '--request'], '{"filters":[]}', 'filters (%:1:2)', 'Filters'],
  [
    'the platform of a data request',
    [...REPORT, '--request'],
    '{\n  "platform": "ORIG"}',
    'platform (%:2:3)',
    'Platform',
  ],
  [
    'a filter',
    [...REPORT, '--request'],
    '{"Filters":[{"FilterKey":"visits","OperationId":"GREATER","FilterValue":"1","Negate":true}]}',
    'Filters[0].Negate (%:1:77)',
    undefined,
  ],
  [
    'an order',
    [...REPORT, '--request'],
    '{"Order":{"ColumnNumber":1,"direction":"DESC"}}',
    'Order.direction (%:1:28)',
    'Direction',
  ],
];

describe('an unknown member', () => {
  test.each(DOCUMENTS)(
    'of %s is rejected with its place, and nothing is sent',
    async (_, command, text, place, meant) => {
      const { server, gatectl } = await analytics(() => ({ body: '[]' }));
      const file = join(temporaryFolder(), 'document.json');
      writeFileSync(file, text);
      const { code, stdout, stderr } = await gatectl([...command, file]);
      expect({ code, stdout, sent: server.received }).toEqual({ code: 2, stdout: '', sent: [] });
      expect(stderr).toContain(`error: ${place.replace('%', file)} is not a member of `);
      if (meant !== undefined) expect(stderr).toContain(`; did you mean "${meant}"?\n`);
      expect(stderr).toContain('--allow-unknown ');
    },
  );

  test.each(DOCUMENTS)('of %s is sent with --allow-unknown', async (_, command, text, place) => {
    const { server, gatectl } = await analytics(() => ({ body: '[]' }));
    const name = /([A-Za-z]+) \(/.exec(place)?.[1] ?? '';
    const { stderr } = await gatectl([...command, '-', '--allow-unknown', name], { input: text });
    expect(stderr).not.toContain('is not a member');
    expect(server.received.some(({ method, body }) => method === 'POST' && body.includes(`"${name}":`))).toBe(
      true,
    );
  });

  test('is rejected with all others, of stdin too', async () => {
    const ran = await run([...REPORT, '--request', '-', '--sandbox'], {
      input: '{"A":1,"Filters":[{"B":2}]}',
    });
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({
      code: 2,
      stderr: `error: invalid data request: 2 fields
  A (stdin:1:2): is not a member of a data request
  Filters[0].B (stdin:1:20): is not a member of a filter
  correct or remove them; to send them anyway, add --allow-unknown A --allow-unknown B
`,
    });
  });

  test('of a request or of its filters is not lost by migrate-query', async () => {
    const input = JSON.stringify({
      ...{ DimensionColumns: CHART.DimensionColumns, MetricColumns: CHART.MetricColumns },
      ...{ StartDate: '2026-02-01', EndDate: '2026-02-28', MaxItems: 5 },
      Filters: [
        { Type: 'INCLUDE', FilterKey: 'visits', OperationId: 'GREATER', FilterValue: '1', Negate: true },
      ],
    });
    const { code, stdout, stderr } = await run(['bda', 'migrate-query', '-', '--offline', '--sandbox'], {
      input,
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Filters[0].Negate');
  });
});

test('a segment without filters says that it covers all users', async () => {
  const { stderr } = await run(['bda', 'segment', 'create', '-', '--sandbox'], {
    input: '{"SegmentName":"t"}',
  });
  expect(stderr).toBe('note: the segment has no filters, so it covers all users\n');
});

test('the client rejects unknown members of all its documents before a request', async () => {
  const sandbox = await startSandbox();
  try {
    const { bdaV1 } = new Gateway({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });
    const segment = { SegmentName: 't', SegmentMultifilters: {} };
    const report = {
      ReportTitle: 't',
      ReportDateRange: { BaseSelectId: 'BASE_LAST_7' },
      Charts: [{ ...CHART, order: {} }],
    };
    const request = { StartDate: '2026-02-01', EndDate: '2026-02-28', DomainID: 7 };
    const rejected = { kind: 'usage', code: 'invalid_request' };
    await expect(bdaV1.createSegment(segment)).rejects.toMatchObject({
      ...rejected,
      message:
        'the segment: SegmentMultifilters is not a member of a segment; did you mean "SegmentMultiFilters"?',
    });
    await expect(bdaV1.createCustomReport(report)).rejects.toMatchObject(rejected);
    expect(() => bdaV1.data({ reportName: 'Countries' }, request)).toThrow('did you mean "DomainId"?');
    expect(sandbox.requests).toEqual([]);
  } finally {
    await sandbox.close();
  }
});

test('the client sends an unknown member that it was told of', async () => {
  const server = await wireServer(() => ({ body: '[]' }));
  try {
    const { bdaV1 } = new Gateway({ baseUrl: server.baseUrl, apiKey: 'some-key' });
    const request = { StartDate: '2026-02-01', EndDate: '2026-02-28', DomainID: 7 };
    await bdaV1.data({ reportName: 'Countries' }, request, { allowUnknown: ['DomainID'] }).toArray();
    expect(server.received.map(({ body }) => JSON.parse(body).DomainID)).toContain(7);
  } finally {
    await server.close();
  }
});
