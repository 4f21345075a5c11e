import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MigrationInput, migrate, queryJson } from '../../src/migrate/index.ts';
import { readJson } from '../../src/sandbox/bda/json.ts';
import { readQuery } from '../../src/sandbox/bda/v2/read-query.ts';
import { columnListing } from '../../src/sandbox/bda/v2/routes.ts';
import { brandNames } from '../../src/wire/brand.ts';
import { runs } from '../support/runs.ts';
import { INPUT } from './fixtures.ts';
import { queryProblems } from './query-rules.ts';

const KEY = 'KEY-9';

const DIMENSIONS = ['report_day', 'report_week', 'report_month', 'country', 'device', 'site', 'page_url'];
const METRICS = ['visits', 'pageviews', 'engaged_time', 'bounce_rate', 'revenue', 'epmv'];

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });
/** Mostly what v1 takes, now and then anything at all. */
const mostly = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ arbitrary: value, weight: 30 }, { arbitrary: fc.jsonValue({ maxDepth: 1 }), weight: 1 });

/** Now and then in another spelling, which v1 rejects. */
const word = (...words: string[]) =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...words), weight: 30 },
    { arbitrary: fc.constantFrom(...words.map(text => text.toLowerCase())), weight: 1 },
  );
const columns = (names: string[]) =>
  fc.uniqueArray(
    fc.record({ Data: mostly(fc.constantFrom(...names)), Type: fc.constantFrom('string', 'number') }),
    { minLength: 1, maxLength: 4, selector: ({ Data }) => Data },
  );
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.stringMatching(/^-?[1-9]\d{0,22}(\.\d{1,22})?$/),
);

const filter = fc.record({
  Type: mostly(word('INCLUDE')),
  FilterKey: mostly(fc.constantFrom(...METRICS, 'country', 'report_day')),
  OperationId: mostly(word('GREATER', 'GREATER_OR_EQUAL')),
  FilterValue: mostly(number),
});

const segment = fc.record({
  SegmentName: fc.string(),
  SegmentFilters: optional(
    fc.dictionary(
      fc.constantFrom('1', '2'),
      fc.record({
        FilterIntOperationId: mostly(word('GREATER', 'GREATER_OR_EQUAL')),
        FilterValue: mostly(number),
      }),
    ),
  ),
  SegmentMultiFilters: optional(
    fc.dictionary(
      fc.constantFrom('7', '8'),
      fc.record({ FilterValues: mostly(fc.array(fc.string(), { maxLength: 3 })) }),
    ),
  ),
});

const requestFields = {
  StartItem: optional(mostly(fc.nat())),
  MaxItems: mostly(fc.integer({ min: 1, max: 200_000 })),
  Platform: optional(mostly(word('SERVICE', 'Orig', 'ALL'))),
  DomainId: optional(mostly(fc.integer({ min: 1 }))),
  DateGrouping: optional(mostly(word('DAILY', 'WEEKLY', 'MONTHLY'))),
  SegmentIds: optional(mostly(fc.array(fc.constantFrom(0, 1, 2), { maxLength: 3 }))),
  StartDate: mostly(fc.constantFrom('2026-01-01', '2026-01-15')),
  EndDate: mostly(fc.constantFrom('2026-01-15', '2026-02-28')),
  UrlParams: optional(mostly(fc.constantFrom('include', 'exclude'))),
  UrlFragments: optional(mostly(fc.constantFrom('include', 'exclude'))),
  RevenueDecimalPlaces: optional(mostly(fc.nat({ max: 6 }))),
  DimensionColumns: mostly(columns(DIMENSIONS)),
  MetricColumns: mostly(columns(METRICS)),
  Order: optional(
    mostly(fc.record({ ColumnNumber: mostly(fc.nat({ max: 1 })), Direction: word('ASC', 'DESC') })),
  ),
  Filters: optional(mostly(fc.array(filter, { maxLength: 3 }))),
  developerKey: optional(fc.constant(KEY)),
};

const input: fc.Arbitrary<MigrationInput> = fc
  .record({
    request: fc.record(requestFields),
    segments: fc.array(segment, { minLength: 3, maxLength: 3 }),
    lossy: fc.boolean(),
    listed: fc.boolean(),
  })
  .map(({ request, segments, lossy, listed }) => ({
    ...INPUT,
    request,
    lossy,
    definitions: {
      segments: segments.map((one, id) => ({ id, ...one })),
      multifilters: [
        { FilterName: 'country', MultiFilterId: 7 },
        { FilterName: 'device', MultiFilterId: 8 },
      ],
      filters: [
        { FilterId: 1, FilterKey: 'visits' },
        { FilterId: 2, FilterKey: 'country' },
      ],
      columnsV2: listed ? columnListing() : undefined,
    },
  }));

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

/** What the request's order index points at, counted anew. */
function orderedName({ request }: MigrationInput): string | undefined {
  const { DimensionColumns, MetricColumns, Order } = request as Record<
    string,
    { Data: string }[] | undefined
  > & {
    Order: { ColumnNumber: number };
  };
  const column = [...(DimensionColumns ?? []), ...(MetricColumns ?? [])][Order.ColumnNumber];
  return typeof column === 'string' ? column : column?.Data;
}

describe('whatever the request', () => {
  test('about half of those generated here are accepted, so that the tests below see both', () => {
    const accepted = fc.sample(input, { numRuns: 300, seed: 1 }).filter(one => migrate(one).ok);
    expect(accepted.length).toBeGreaterThan(75);
    expect(accepted.length).toBeLessThan(225);
  });

  test('what is accepted keeps the rules of v2, and what is rejected has a reason', () => {
    fc.assert(
      fc.property(input, one => {
        const migration = migrate(one);
        if (migration.ok) {
          expect(migration.queries.length).toBeGreaterThan(0);
          expect(migration.queries.flatMap(({ query }) => queryProblems(queryJson(query)))).toEqual([]);
          const labels = migration.queries.map(({ label }) => label);
          expect(new Set(labels).size).toBe(labels.length);
        } else expect(migration.blockers.length).toBeGreaterThan(0);
      }),
      { numRuns: runs(500) },
    );
  });

  test("what is accepted with v2's own columns, the sandbox's v2 accepts", () => {
    fc.assert(
      fc.property(input, one => {
        const migration = migrate({
          ...one,
          definitions: { ...one.definitions, columnsV2: columnListing() },
        });
        for (const { query } of migration.ok ? migration.queries : []) {
          const body = readJson(Buffer.from(queryJson(query)));
          expect(readQuery(body?.value, brandNames('service'))).not.toHaveProperty('details');
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('the input is not changed, and the same input gives the same result', () => {
    fc.assert(
      fc.property(input, one => {
        expect(migrate(freeze(one))).toEqual(migrate(structuredClone(one)));
      }),
    );
  });

  test('the key is nowhere in the output', () => {
    fc.assert(
      fc.property(input, one => {
        const request = { ...(one.request as object), developerKey: KEY };
        expect(JSON.stringify(migrate({ ...one, request }))).not.toContain(KEY);
      }),
    );
  });

  test('a sort is by the name that the index pointed at, or by the time that took its place', () => {
    fc.assert(
      fc.property(input, one => {
        const migration = migrate(one);
        for (const { query } of migration.ok ? migration.queries : []) {
          const [sort] = query.sort ?? [];
          if (sort === undefined) continue;
          const name = orderedName(one);
          if (name?.startsWith('report_')) expect(sort.column).toMatch(/^report_(day|week|month)$/);
          else expect(sort.column).toBe(name);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('what is accepted without losses is the same when they are allowed', () => {
    fc.assert(
      fc.property(input, one => {
        const migration = migrate({ ...one, lossy: false });
        if (migration.ok) expect(migrate({ ...one, lossy: true })).toEqual(migration);
      }),
    );
  });

  test('without losses allowed, only the rounding of revenue is ever lost', () => {
    fc.assert(
      fc.property(input, one => {
        const { notes } = migrate({ ...one, lossy: false });
        const lost = notes.filter(({ kind }) => kind === 'lost').map(({ field }) => field);
        expect(lost.filter(field => field !== 'RevenueDecimalPlaces')).toEqual([]);
      }),
    );
  });

  test('definitions of any shape end in queries or blockers, never in an error', () => {
    const anything = fc.jsonValue({ maxDepth: 4 });
    const names = [
      'Charts',
      'Segments',
      'DimensionColumns',
      'MetricColumns',
      'ReportDateRange',
      'id',
      'Name',
    ];
    const report = fc.dictionary(fc.constantFrom(...names), anything);
    fc.assert(
      fc.property(
        fc.record(requestFields),
        anything,
        fc.oneof(report, anything),
        (request, listing, customReport) => {
          const { lossy: _, ...facts } = INPUT;
          const definitions = {
            reports: listing,
            customReports: listing,
            segments: listing,
            multifilters: listing,
            filters: listing,
            columnsV1: listing,
            columnsV2: listing,
          };
          for (const lossy of [true, false]) {
            expect(typeof migrate({ ...facts, lossy, request, definitions, customReport }).ok).toBe(
              'boolean',
            );
            expect(typeof migrate({ ...facts, lossy, request, definitions, reportName: 'R' }).ok).toBe(
              'boolean',
            );
          }
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
