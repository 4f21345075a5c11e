import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/runs.ts';
import { openBda } from './calling.ts';

const bda = openBda();

const DIMENSIONS = [
  'report_day',
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
const PLATFORMS = [
  ['Service', 'service'],
  ['ORIG', 'original'],
  ['ALL', 'all'],
] as const;
const OPERATIONS = [
  ['GREATER', 'greater_than'],
  ['GREATER_OR_EQUAL', 'greater_than_or_equal'],
] as const;

const rowQuery = fc.record({
  dimensions: fc.uniqueArray(fc.constantFrom(...DIMENSIONS), { maxLength: 3 }),
  metrics: fc.uniqueArray(fc.constantFrom(...METRICS), { minLength: 1, maxLength: 4 }),
  day: fc.integer({ min: 1, max: 20 }),
  platform: fc.constantFrom(...PLATFORMS),
  operation: fc.option(fc.constantFrom(...OPERATIONS), { nil: undefined }),
  threshold: fc.integer({ min: 0, max: 500 }),
  site: fc.constantFrom(undefined, 1001, 1002),
  merged: fc.boolean(),
  order: fc.nat(6),
  descending: fc.boolean(),
  offset: fc.nat(20),
  limit: fc.integer({ min: 1, max: 200 }),
});

test('v1 and v2 return the same rows for the same query, except for the rounding of revenue', async () => {
  await fc.assert(
    fc.asyncProperty(rowQuery, async asked => {
      const { dimensions, metrics, platform, operation, threshold, merged } = asked;
      const columns = [...dimensions, ...metrics];
      const order = asked.order % columns.length;
      const [start, end] = [`2026-02-${String(asked.day).padStart(2, '0')}`, '2026-02-24'];
      const ref = (Type: string) => (Data: string) => ({ Data, Type });
      const include = merged ? 'exclude' : 'include';
      const v1 = await bda.v1('POST', '/getCustomData/', {
        StartItem: asked.offset,
        MaxItems: asked.limit,
        Platform: platform[0],
        DomainId: asked.site,
        StartDate: start,
        EndDate: end,
        UrlParams: include,
        UrlFragments: include,
        DimensionColumns: dimensions.map(ref('string')),
        MetricColumns: metrics.map(ref('number')),
        Order: { ColumnNumber: order, Direction: asked.descending ? 'DESC' : 'ASC' },
        Filters: operation
          ? [
              {
                Type: 'INCLUDE',
                FilterKey: 'visits',
                OperationId: operation[0],
                FilterValue: String(threshold),
              },
            ]
          : [],
      });
      const v2 = await bda.query({
        date_range: { start_date: start, end_date: end },
        dimensions,
        metrics,
        platform: platform[1],
        domain_id: asked.site,
        url_options: { query_params: include, fragments: include },
        filters: operation ? [{ column: 'visits', operator: operation[1], value: threshold }] : [],
        sort: [{ column: columns[order], direction: asked.descending ? 'desc' : 'asc' }],
        offset: asked.offset,
        limit: asked.limit,
      });
      expect([v1.status, v2.status], v1.text + v2.text).toEqual([200, 200]);
      expect(v1.json.Data).toHaveLength(v2.json.rows.length);
      for (const [index, row] of v2.json.rows.entries()) {
        const { revenue, epmv, ...others } = row;
        const { revenue: rounded, epmv: roundedEpmv, ...same } = v1.json.Data[index];
        expect(same).toEqual(others);
        if (revenue !== undefined) expect(Math.abs(rounded - revenue)).toBeLessThanOrEqual(0.005);
        if (epmv !== undefined) expect(Math.abs(roundedEpmv - epmv)).toBeLessThanOrEqual(0.005_000_1);
      }
    }),
    { numRuns: runs(60), seed: 20_260_310 },
  );
});
