import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/runs.ts';
import { openBda } from './calling.ts';

const bda = openBda({ limits: { perMinute: 1_000_000 } });

const TEXT = [
  'visits',
  'country',
  'page_url',
  "x' OR '1'='1",
  '%_\\',
  '\u0000',
  '\ud800',
  '2026-03-01',
  'in',
  'EQUALS',
];
const scalar = fc.oneof(
  fc.constantFrom(...TEXT),
  fc.string(),
  fc.double(),
  fc.bigInt().map(Number),
  fc.constant(null),
);
const anything = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }));

/** Mostly right, sometimes anything. */
function mostly(...values: unknown[]) {
  return fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: anything });
}

test('whatever is requested of v2, the response is rows or an error envelope', async () => {
  const filter = fc.oneof(
    fc.record({
      column: mostly('country', 'author', 'page_url', 'site'),
      operator: mostly('equals', 'contains', 'greater_than', 'not_equals'),
      value: scalar.map(value => String(value)),
    }),
    fc.record({
      column: mostly('visits', 'revenue', 'epmv'),
      operator: mostly('equals', 'less_than'),
      value: fc.double({ noNaN: true, noDefaultInfinity: true }),
    }),
    fc.record({
      column: mostly('author'),
      operator: mostly('in'),
      values: fc.array(fc.string(), { minLength: 1 }),
    }),
  );
  const query = fc.record(
    {
      dimensions: mostly(['country'], ['page_url', 'country'], []),
      metrics: mostly(['visits', 'revenue'], ['epmv']),
      filters: fc.array(fc.oneof(filter, fc.record({ any_of: fc.array(filter, { maxLength: 2 }) })), {
        maxLength: 2,
      }),
      sort: mostly([], [{ column: 'country', direction: 'desc' }]),
      limit: mostly(1, 100_000),
      offset: mostly(0, 7, Number.MAX_SAFE_INTEGER),
      domain_id: mostly(1001, 9001, 77),
      platform: mostly('service', 'all'),
      url_options: mostly({}, { fragments: 'exclude' }),
    },
    { requiredKeys: ['dimensions', 'metrics'] },
  );
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(query, async fields => {
      const { status, json } = await bda.query({
        date_range: { start_date: '2026-03-01', end_date: '2026-03-02' },
        ...fields,
      });
      if (status === 200) {
        answered += 1;
        expect(json).toEqual({ rows: expect.any(Array), total_rows: expect.any(Number) });
      } else expect(['validation_error', 'not_found', 'forbidden']).toContain(json.error.code);
    }),
    { numRuns: runs(400), seed: 20_260_310 },
  );
  expect(answered).toBeGreaterThan(runs(40));
});

test('whatever is requested of v1, the response is data or an error', async () => {
  const request = fc.record(
    {
      MaxItems: mostly(5, 100_000),
      StartDate: mostly('2026-03-01'),
      EndDate: mostly('2026-03-02'),
      DimensionColumns: mostly([{ Data: 'country', Type: 'string' }], []),
      MetricColumns: mostly([{ Data: 'visits', Type: 'number' }]),
      Order: mostly({ ColumnNumber: 0, Direction: 'DESC' }),
      Filters: fc.array(
        fc.record({
          Type: mostly('INCLUDE', 'EXCLUDE'),
          FilterKey: mostly('country', 'author', 'page_url'),
          OperationId: mostly('EQUALS', 'CONTAINS', 'STARTS_WITH', 'LESS'),
          FilterValue: scalar.map(value => String(value)),
        }),
        { maxLength: 2 },
      ),
      SegmentIds: mostly([1, 202], []),
      Platform: mostly('ALL', 'ORIG'),
      DomainId: mostly(1001, 1002),
      DateGrouping: mostly('WEEKLY'),
      RevenueDecimalPlaces: mostly(0, 13),
      StartItem: mostly(0, 3),
    },
    { requiredKeys: ['MaxItems', 'StartDate', 'EndDate', 'DimensionColumns', 'MetricColumns'] },
  );
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(request, async body => {
      const { status, json } = await bda.v1('POST', '/getCustomData/', body);
      if (status === 200) {
        answered += 1;
        expect(json).toEqual({ Data: expect.any(Array) });
      } else expect(json).toEqual({ Success: false, Error: expect.any(String) });
    }),
    { numRuns: runs(400), seed: 20_260_310 },
  );
  expect(answered).toBeGreaterThan(runs(40));
});
