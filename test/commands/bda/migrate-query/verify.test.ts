import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../../../src/json/index.ts';
import { migrate } from '../../../../src/migrate/index.ts';
import { type Replay, verifyMigration } from '../../../../src/operations/migrate/verify-migration.ts';
import type { Query } from '../../../../src/wire/bda-v2.ts';
import { openBda } from '../../../sandbox/bda/calling.ts';
import type { Received, Reply } from '../../../support/wire-server.ts';
import { analytics } from '../analytics.ts';
import { COLUMNS, fileWith, migrateQuery, REQUEST, refs } from './requests.ts';
import { embeddedDefinitions, embeddedVersions, replayOf } from './versions.ts';

const ASKED = {
  MaxItems: 500,
  Platform: 'Orig',
  DomainId: 1001,
  SegmentIds: [202],
  StartDate: '2026-02-02',
  EndDate: '2026-02-24',
  DimensionColumns: refs('string', 'country', 'report_day'),
  MetricColumns: refs('number', 'visits', 'revenue'),
  DateGrouping: 'WEEKLY',
  UrlParams: 'exclude',
  Order: { ColumnNumber: 2, Direction: 'DESC' },
  Filters: [{ Type: 'INCLUDE', FilterKey: 'visits', OperationId: 'GREATER', FilterValue: '60' }],
};

/** Columns for answers that a test makes up. */
const SIMPLE = {
  DimensionColumns: refs('string', 'country'),
  MetricColumns: refs('number', 'visits'),
  DateGrouping: undefined,
  SegmentIds: undefined,
  Order: { ColumnNumber: 1, Direction: 'DESC' },
};

const bda = openBda();

async function migrated(fields: object = {}): Promise<Replay> {
  const request = { ...ASKED, ...fields };
  const migration = migrate({
    request,
    definitions: await embeddedDefinitions(bda),
    today: '2026-03-10',
    timeZone: 'UTC',
    brand: 'service',
    lossy: false,
  });
  return replayOf(request, migration);
}

/** The same request with another query in the place of its only one. */
function withQuery(replay: Replay, change: (query: Query) => Partial<Query>): Replay {
  const parts = replay.parts.map(part => ({
    ...part,
    queries: part.queries.map(one => ({ ...one, query: { ...one.query, ...change(one.query) } })),
  }));
  return { ...replay, parts };
}

/** Rows that nothing is wrong with. */
function complete(rows: readonly JsonRecord[], total?: number) {
  return { rows, total, flaws: [] };
}

describe('a query is verified on both versions', () => {
  test('the right one is in parity, revenue within the rounding of v1', async () => {
    const { outcome, comparison } = await verifyMigration(await migrated(), embeddedVersions(bda));
    expect(outcome).toBe('parity');
    expect(comparison?.joined).toBeGreaterThan(3);
    expect(comparison?.metrics).toMatchObject([
      { metric: 'visits', verdict: 'same' },
      { metric: 'revenue', verdict: 'rounded', decimals: 2 },
    ]);
  });

  test.each<[string, (query: Query) => Partial<Query>]>([
    ['another metric', () => ({ metrics: ['pageviews', 'revenue'], sort: [] })],
    ['the other platform', () => ({ platform: 'service' })],
    ['every platform', () => ({ platform: 'all' })],
    ['another site', () => ({ domain_id: 1002 })],
    ['a day less', () => ({ date_range: { start_date: '2026-02-03', end_date: '2026-02-24' } })],
    ['a day more', () => ({ date_range: { start_date: '2026-02-02', end_date: '2026-02-25' } })],
    ['days instead of weeks', () => ({ dimensions: ['country', 'report_day'] })],
    ['a dimension less', () => ({ dimensions: ['report_week'] })],
    [
      'greater or equal instead of greater',
      ({ filters = [] }) => ({
        filters: filters.map(filter =>
          'column' in filter && filter.column === 'visits' ? { ...filter, operator: 'less_than' } : filter,
        ),
      }),
    ],
    ['no filter of the request', ({ filters = [] }) => ({ filters: filters.slice(1) })],
    ['no segment', ({ filters = [] }) => ({ filters: filters.slice(0, 1) })],
  ])('a wrong one is caught: %s', async (_, change) => {
    const right = await migrated();
    // Its columns stay those that the answer is read by, as they would with a wrong mapping.
    const { outcome } = await verifyMigration(withQuery(right, change), embeddedVersions(bda));
    expect(outcome).toBe('different');
  });

  test.each([3, 500])('a wrong order is caught on a page of %i rows', async MaxItems => {
    const right = await migrated({ MaxItems, Filters: [] });
    const versions = embeddedVersions(bda);
    expect((await verifyMigration(right, versions)).outcome).toBe('parity');
    for (const sort of [
      { column: 'visits', direction: 'asc' },
      { column: 'revenue', direction: 'asc' },
    ])
      expect(
        await verifyMigration(
          withQuery(right, () => ({ sort: [sort] })),
          versions,
        ),
      ).toMatchObject({
        outcome: 'different',
        note: expect.stringContaining(
          `the rows are not in the same order by ${sort.column} ${sort.direction}`,
        ),
      });
  });

  test('rows that tie at the end of a page may be others, as long as all rows agree', async () => {
    const rows = ['DE', 'AT', 'CH', 'FR'].map(country => ({ country, visits: country === 'DE' ? 9 : 5 }));
    const query = await migrated({ MaxItems: 2, ...SIMPLE });
    const versions = {
      v1: async (_: unknown, { MaxItems }: JsonRecord) => complete(rows.slice(0, Number(MaxItems))),
      v2: async ({ limit }: Query) => {
        const turned = [...rows.slice(0, 1), ...rows.slice(1).reverse()];
        return complete(turned.slice(0, Number(limit)), 4);
      },
    };
    expect(await verifyMigration(query, versions)).toMatchObject({
      outcome: 'parity',
      note: 'rows with equal sort values cross the end of the page, so all 4 rows were compared',
    });
    const missing = { ...versions, v2: async () => complete(rows.slice(0, 1), 1) };
    expect((await verifyMigration(query, missing)).outcome).toBe('different');
  });

  test('of a report with two charts, the rows of one chart are named', async () => {
    const one = await migrated(SIMPLE);
    const other = await migrated({ ...SIMPLE, MetricColumns: refs('number', 'pageviews') });
    const labelled = [one, other].map(({ parts: [part] }, place) => {
      if (part === undefined) throw new Error('there is no part');
      return { ...part, queries: part.queries.map(query => ({ ...query, label: `Chart ${place + 1}` })) };
    });
    const replay = { ...one, parts: labelled };
    const visits = [{ country: 'DE', visits: 9 }];
    const pageviews = [{ country: 'DE', pageviews: 12 }];
    const versions = (v1: readonly JsonRecord[]) => ({
      v1: async () => complete(v1),
      v2: async ({ metrics }: Query) => complete(metrics?.includes('visits') ? visits : pageviews, 1),
    });
    expect((await verifyMigration(replay, versions([...visits, ...pageviews]))).outcome).toBe('parity');
    expect(await verifyMigration(replay, versions(pageviews))).toMatchObject({
      outcome: 'different',
      note: 'v1 returned the rows of Chart 2 only; the plan also returns those of Chart 1',
    });
    expect(await verifyMigration(replay, versions([{ country: 'AT', visits: 9 }]))).toMatchObject({
      outcome: 'different',
      note: 'v1 returned other rows than the charts of the report, one or all',
    });
  });

  test.each([
    ['v1', ['received 1 row, expected 2'], [], 'v1: received 1 row, expected 2'],
    ['v2', [], ['2 duplicate rows'], 'v2: 2 duplicate rows'],
  ])('rows that agree prove nothing if those of %s are not complete', async (_, v1, v2, note) => {
    const rows = [{ country: 'DE', visits: 9 }];
    const versions = {
      v1: async () => ({ ...complete(rows), flaws: v1 }),
      v2: async () => ({ ...complete(rows, 1), flaws: v2 }),
    };
    expect(await verifyMigration(await migrated(SIMPLE), versions)).toMatchObject({
      outcome: 'unverified',
      note,
    });
  });

  test('rows that v2 lacks are what differs, not the order of those after them', async () => {
    const rows = [9, 7, 5].map((visits, place) => ({ country: `C${place}`, visits }));
    const query = await migrated(SIMPLE);
    for (const MaxItems of [3, 500]) {
      const verified = await verifyMigration(
        withQuery({ ...query, request: { ...query.request, MaxItems } }, () => ({ limit: MaxItems })),
        { v1: async () => complete(rows), v2: async () => complete(rows.slice(1), 2) },
      );
      expect(verified).toMatchObject({ outcome: 'different', comparison: { onlyV1: [{ country: 'C0' }] } });
      expect(verified.note ?? '').not.toContain('order');
    }
  });

  test('days in order are in order, however each version writes them', async () => {
    const days = ['2026-03-02', '2026-03-01'];
    const query = await migrated({
      ...SIMPLE,
      DimensionColumns: refs('string', 'report_day'),
      Order: { ColumnNumber: 0, Direction: 'DESC' },
    });
    const verified = await verifyMigration(query, {
      v1: async () => complete(days.map(day => ({ report_day: `${day}T00:00:00`, visits: 1 }))),
      v2: async () =>
        complete(
          days.map(report_day => ({ report_day, visits: 1 })),
          2,
        ),
    });
    expect(verified.outcome).toBe('parity');
  });

  test('two empty responses prove nothing', async () => {
    const query = await migrated({ Filters: [{ ...ASKED.Filters[0], FilterValue: '99999999' }] });
    expect(await verifyMigration(query, embeddedVersions(bda))).toMatchObject({
      outcome: 'unverified',
      note: 'neither version returned rows',
    });
  });

  test('a segment that v1 cannot apply is not verified', async () => {
    const replay = { ...(await migrated()), request: undefined };
    expect((await verifyMigration(replay, embeddedVersions(bda))).outcome).toBe('unverified');
  });
});

describe('--verify', () => {
  const ROWS = [
    { country: 'DE', visits: 12, revenue: 1.23 },
    { country: 'AT', visits: 7, revenue: 0.4 },
  ];
  const REVENUE = { ...REQUEST, MetricColumns: refs('number', 'visits', 'revenue') };

  /** A gateway with the same figures in both versions, but for what is changed in v2. */
  const gateway =
    (changed: (rows: typeof ROWS) => object[] = rows => rows, before: object[] = ROWS) =>
    ({ target, body }: Received): Reply => {
      if (target.endsWith('/query'))
        return { body: JSON.stringify({ rows: changed(ROWS), total_rows: ROWS.length }) };
      if (target.endsWith('/columns')) return { body: JSON.stringify(COLUMNS) };
      return { body: JSON.stringify({ Data: before.slice(JSON.parse(body).StartItem) }) };
    };
  const verifying = (...args: string[]) => ['bda', 'migrate-query', fileWith(REVENUE), '--verify', ...args];

  test('requests both versions and exits 0 if they match', async () => {
    const { server, gatectl } = await analytics(
      gateway(rows => rows.map(row => ({ ...row, revenue: row.revenue + 0.001 }))),
    );
    const { code, stdout, stderr } = await gatectl(verifying());
    expect(code).toBe(0);
    expect(stdout).toBe(`Metrics
metric   verdict  rows  differing  v1_decimals
visits   same        2          0            0
revenue  rounded     2          0            2

Differences
none
`);
    expect(stderr).toContain('note: v1 and v2 agree in 2 rows of ');
    // v1 states no total, so one more page shows that the rows are all.
    const [, v1, , v2] = server.received;
    expect(v1?.target).toMatch(/^\/bdaservices\/getCustomData\/\?developerKey=/);
    expect(JSON.parse(v1?.body ?? '')).toEqual(REVENUE);
    expect(v2?.headers['x-api-key']).toBeDefined();
    expect(JSON.parse(v2?.body ?? '')).toMatchObject({
      limit: 50,
      offset: 0,
      metrics: ['visits', 'revenue'],
    });
  });

  test('rows of a v1 that ignores StartItem prove nothing, though they agree', async () => {
    const only = JSON.stringify({ Data: ROWS });
    const { gatectl } = await analytics(request =>
      request.target.includes('getCustomData') ? { body: only } : gateway()(request),
    );
    const { code, stderr } = await gatectl(verifying());
    expect(code, stderr).toBe(7);
    expect(stderr).toContain('note: v1: the gateway returned the same page twice');
  });

  test('shows each difference and exits 7', async () => {
    const { gatectl } = await analytics(
      gateway(([first]) => [
        { ...first, revenue: 1.24 },
        { country: 'CH', visits: 7, revenue: 0.4 },
      ]),
    );
    const { code, stdout, stderr } = await gatectl(verifying());
    expect(code).toBe(7);
    expect(stdout).toContain(`Differences
row         metric        v1       v2  difference
country=AT  row      present  missing           –
country=CH  row      missing  present           –
country=DE  revenue     1.23     1.24        0.01
`);
    expect(stderr).toMatch(/error: v1 and v2 differ\n {2}more: gatectl docs migrate#4-verify\n$/);
    const json = await gatectl(verifying('--json', '-q'));
    expect(JSON.parse(json.stdout)).toMatchObject({
      parity: false,
      queries: [
        {
          outcome: 'different',
          rows: 1,
          only_v1: [{ country: 'AT' }],
          only_v2: [{ country: 'CH' }],
          metrics: [{ verdict: 'same' }, { verdict: 'different', largest: '0.01' }],
          differences: [{ row: { country: 'DE' }, metric: 'revenue', v1: '1.23', v2: '1.24' }],
        },
      ],
    });
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'results_differ', exit: 7 });
  });

  test('names the version that returned no numbers for a metric', async () => {
    const { gatectl } = await analytics(gateway(rows => rows.map(({ revenue: _, ...row }) => row)));
    const { code, stdout, stderr } = await gatectl(verifying());
    expect(code).toBe(7);
    expect(stdout).toMatch(/^revenue +absent /m);
    expect(stderr).toContain('note: v2 returned no revenue\nerror: v1 and v2 differ\n');
  });

  test('two empty responses verify nothing: exit 7', async () => {
    const { gatectl } = await analytics(gateway(() => [], []));
    const { code, stderr } = await gatectl(verifying());
    expect(code).toBe(7);
    expect(stderr).toContain(
      'note: neither version returned rows; v2: received 0 rows, expected 2\nerror: nothing to compare between v1 and v2\n  choose days with data: --last 30d, or --from DAY --to DAY\n',
    );
  });

  test.each([
    '[["DE",12,1.23],["AT",7,0.4]]',
    '{"Result":{"Rows":[["DE",12,1.23],["AT",7,0.4]],"Total":[]}}',
  ])('rows of v1 without names are read by the places of the columns: %s', async body => {
    const { gatectl } = await analytics(request =>
      request.target.includes('getCustomData')
        ? { body: JSON.parse(request.body).StartItem > 0 ? '[]' : body }
        : gateway()(request),
    );
    const { code, stderr } = await gatectl(verifying());
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('note: v1 and v2 agree in 2 rows of ');
  });

  test('a response of v1 without rows cannot be used', async () => {
    for (const body of [
      '{"Data":[[1,2]]}',
      '{"Data":[["DE",1,2],["AT"]]}',
      '"done"',
      '{"a":[{"x":1}],"b":[{"x":2}]}',
    ]) {
      const { gatectl } = await analytics(request =>
        request.target.includes('getCustomData') ? { body } : gateway()(request),
      );
      expect((await gatectl(verifying())).code).toBe(6);
    }
  });

  test('a saved report is requested as itself', async () => {
    const asked = await migrateQuery(['--report', 'Devices', '--verify', '--sandbox', '--verbose', '--csv']);
    expect(asked.code, asked.stderr).toBe(0);
    expect(asked.stdout).toBe(`query,metric,verdict,rows,differing,largest_difference,v1_decimals
Devices,visits,same,3,0,,0
Devices,bounce_rate,same,3,0,,16
Devices,epmv,rounded,3,0,,2
`);
    expect(asked.stderr).toContain('/bdaservices/getdata/?developerKey=***&reportName=Devices -> 200');
    const split = await migrateQuery([
      '--custom-report',
      '102',
      '--last',
      '40d',
      '--verify',
      '--sandbox',
      '--verbose',
    ]);
    expect(split.code, split.stderr).toBe(0);
    expect(split.stderr.match(/getdata\/\?developerKey=\*\*\*&customReportId=102 -> 200/g)).toHaveLength(2);
    expect(split.stderr).toContain('note: v1 and v2 agree in 4 rows');
  });

  test('a report without days is requested with its own, which verifies the calculated ones', async () => {
    const report = { DateBaseSelectId: 'BASE_LAST_7', MetricColumns: refs('number', 'visits') };
    const rows = (visits: number) => ({ rows: [{ visits }], total_rows: 1 });
    const { server, gatectl } = await analytics(({ target }) => {
      if (target.includes('/getreport/')) return { body: JSON.stringify(report) };
      return {
        body: JSON.stringify(
          target.endsWith('/columns') ? COLUMNS : rows(target.includes('/getdata/') ? 7 : 8),
        ),
      };
    });
    const args = ['bda', 'migrate-query', '--report', 'Weekly', '--verify'];
    const own = await gatectl(args);
    expect(own.code).toBe(7);
    expect(own.stderr).toContain(
      'note: v1 used its default days, v2 those of UTC; pass --last 7d to use the same days\n',
    );
    const said = await gatectl([...args, '--last', '7d']);
    expect(said.stderr).not.toContain('default days');
    const bodies = server.received
      .filter(({ target }) => target.includes('/getdata/'))
      .map(({ body }) => JSON.parse(body))
      .filter(({ StartItem }) => StartItem === undefined);
    expect(bodies).toEqual([
      { MaxItems: 100 },
      { MaxItems: 100, StartDate: '2026-03-07', EndDate: '2026-03-13' },
    ]);
  });

  describe('a request whose rows v1 pages over all segments', () => {
    const split = (fields: object = {}) => ({
      MaxItems: 3,
      SegmentIds: [2, 201],
      StartDate: '2026-02-02',
      EndDate: '2026-02-24',
      DimensionColumns: refs('string', 'country'),
      MetricColumns: refs('number', 'visits'),
      Order: { ColumnNumber: 1, Direction: 'DESC' },
      ...fields,
    });
    const asked = (fields?: object) =>
      migrateQuery([fileWith(split(fields)), '--verify', '--sandbox', '--json', '-q']);

    test.each([0, 1, 3, 4])('is replaced by a plan with the same rows from item %i on', async StartItem => {
      const { code, stdout, stderr } = await asked({ StartItem });
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ parity: true, queries: [{ rows: 3, outcome: 'parity' }] });
    });

    test('--run prints those rows', async () => {
      const { stdout } = await migrateQuery([fileWith(split()), '--run', '--sandbox', '--csv', '-q']);
      const rows = stdout.trimEnd().split('\n').slice(1);
      expect(rows).toHaveLength(3);
      const visits = rows.map(row => Number(row.split(',')[2]));
      expect(visits).toEqual([...visits].sort((one, other) => other - one));
    });

    test('without an order, it is not said to be the same where a page has other rows', async () => {
      const { code, stdout } = await asked({ Order: undefined, MaxItems: 6 });
      expect(code).toBe(7);
      expect(JSON.parse(stdout).queries[0].note).toMatch(
        /^the request has no order, so each version has its own/,
      );
    });
  });

  test('what --lossy omitted shows as a difference', async () => {
    const { code, stderr } = await migrateQuery([
      '--custom-report',
      '104',
      '--lossy',
      '--verify',
      '--sandbox',
    ]);
    expect(code).toBe(7);
    expect(stderr).toMatch(/error: v1 and v2 differ\n {2}more: gatectl docs migrate#4-verify\n$/);
  });

  test.each([
    [['--run'], '--verify and --run cannot be combined'],
    [['--as', 'json'], '--verify and --as cannot be combined'],
    [['--curl'], '--verify and --curl cannot be combined'],
  ])('and %j are rejected', async (args, message) => {
    const { code, stderr } = await migrateQuery(['--report', 'Devices', '--verify', '--sandbox', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
