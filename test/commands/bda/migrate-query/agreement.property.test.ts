import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type MigrationInput, migrate } from '../../../../src/migrate/index.ts';
import { verifyMigration } from '../../../../src/operations/migrate/verify-migration.ts';
import { openBda } from '../../../sandbox/bda/calling.ts';
import { runs } from '../../../support/runs.ts';
import { refs } from './requests.ts';
import { embeddedDefinitions, embeddedVersions, replayOf } from './versions.ts';

const DIMENSIONS = [
  'report_day',
  'report_week',
  'report_month',
  'country',
  'device',
  'gender',
  'site',
  'traffic_source',
  'page_url',
];
const METRICS = [
  'visits',
  'pageviews',
  'engaged_page_pageviews',
  'engaged_pageviews_per_visit',
  'engaged_time',
  'bounce_rate',
  'revenue',
  'epmv',
  'copy_paste_per_pageview',
];

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

/** Whatever v1 answers: with what v2 lacks left out, every one of these has a query. */
const request = fc
  .record({
    dimensions: fc.uniqueArray(fc.constantFrom(...DIMENSIONS), { maxLength: 3 }),
    metrics: fc.uniqueArray(fc.constantFrom(...METRICS), { minLength: 1, maxLength: 4 }),
    order: optional(fc.record({ at: fc.nat(), Direction: fc.constantFrom('ASC', 'DESC') })),
    day: fc.integer({ min: 1, max: 20 }),
    fields: fc.record({
      StartItem: optional(fc.nat(30)),
      MaxItems: fc.integer({ min: 1, max: 300 }),
      Platform: optional(fc.constantFrom('Service', 'SERVICE', 'Orig', 'ORIG', 'ALL')),
      DomainId: optional(fc.constantFrom(1001, 1002)),
      DateGrouping: optional(fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY')),
      SegmentIds: optional(fc.uniqueArray(fc.constantFrom(1, 2, 3, 201, 202), { maxLength: 3 })),
      UrlParams: optional(fc.constantFrom('include', 'exclude')),
      UrlFragments: optional(fc.constantFrom('include', 'exclude')),
      RevenueDecimalPlaces: optional(fc.constantFrom(0, 2, 3, 4, 5, 6)),
      Filters: optional(
        fc.array(
          fc.record({
            Type: fc.constant('INCLUDE'),
            FilterKey: fc.constantFrom('visits', 'pageviews', 'revenue', 'bounce_rate'),
            OperationId: fc.constantFrom('GREATER', 'GREATER_OR_EQUAL'),
            FilterValue: fc.constantFrom('0', '1', '12', '0.5', '100.25'),
          }),
          { maxLength: 2 },
        ),
      ),
    }),
  })
  .map(({ dimensions, metrics, order, day, fields }) => ({
    ...fields,
    StartDate: `2026-02-${String(day).padStart(2, '0')}`,
    EndDate: '2026-02-24',
    DimensionColumns: refs('string', ...dimensions),
    MetricColumns: refs('number', ...metrics),
    Order: order && {
      ColumnNumber: order.at % (dimensions.length + metrics.length),
      Direction: order.Direction,
    },
  }));

const TERMS: Omit<MigrationInput, 'request' | 'definitions'> = {
  today: '2026-03-10',
  timeZone: 'UTC',
  brand: 'service',
  lossy: false,
};

test('whatever v1 returns, the migrated queries are accepted by v2 and give the same rows and figures', async () => {
  const bda = openBda();
  const definitions = await embeddedDefinitions(bda);
  const versions = embeddedVersions(bda);
  let proven = 0;
  await fc.assert(
    fc.asyncProperty(request, async asked => {
      const original = JSON.parse(JSON.stringify(asked));
      expect((await bda.v1('POST', '/getCustomData/', original)).status).toBe(200);
      const migration = migrate({ ...TERMS, definitions, request: original });
      const verification = await verifyMigration(replayOf(original, migration), versions);
      const mayDiffer = original.Order === undefined;
      if (!mayDiffer) expect(verification.outcome, JSON.stringify(verification)).not.toBe('different');
      if (verification.outcome === 'parity') proven += 1;
    }),
    { numRuns: runs(60), seed: 20_260_310 },
  );
  expect(proven).toBeGreaterThan(runs(25));
});

test('the rows of several segments together are those that v1 gives under their labels', async () => {
  const bda = openBda();
  const asked = {
    MaxItems: 1000,
    SegmentIds: [2, 201, 202],
    StartDate: '2026-02-01',
    EndDate: '2026-02-24',
    DimensionColumns: refs('string', 'country', 'device'),
    MetricColumns: refs('number', 'visits', 'pageviews'),
  };
  const migration = migrate({ ...TERMS, definitions: await embeddedDefinitions(bda), request: asked });
  const queries = migration.ok ? migration.queries : [];
  const rows = await Promise.all(
    queries.map(async ({ label, query }) =>
      (await bda.v2('POST', '/query', query)).json.rows.map((row: object) => ({ segment: label, ...row })),
    ),
  );
  const before = (await bda.v1('POST', '/getCustomData/', asked)).json.Data;
  const sorted = (list: object[]) => list.map(row => JSON.stringify(row)).sort();
  expect(sorted(rows.flat())).toEqual(sorted(before));
  expect(new Set(before.map(({ segment }: { segment: string }) => segment)).size).toBe(3);
});
