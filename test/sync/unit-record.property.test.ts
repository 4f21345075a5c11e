import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../src/apis/bda/days.ts';
import { parseFilter } from '../../src/apis/bda/filter-expression.ts';
import type { SyncTable } from '../../src/sync/config.ts';
import { packUnits, planPartitions } from '../../src/sync/plan.ts';
import { queryHash } from '../../src/sync/table-query.ts';
import { recordOf, unitOfRecord } from '../../src/sync/unit-record.ts';
import { runs } from '../support/runs.ts';

const TODAY = '2026-03-14';

const anyTable: fc.Arbitrary<SyncTable> = fc.record({
  name: fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/),
  dataSet: fc.constantFrom('pageview', 'visit'),
  dimensions: fc.constantFrom([], ['page_url'], ['page_url', 'country']),
  metrics: fc.constantFrom(['visits'], ['visits', 'revenue']),
  filters: fc
    .constantFrom([], ['visits>=3'], ['page_url:contains:"a,b"', 'country=DE,"A T"'])
    .map(list => list.map(parseFilter)),
  platform: fc.constantFrom(undefined, 'service'),
  start: fc.integer({ min: 1, max: 800 }).map(age => addDays(TODAY, -age)),
  end: fc.constantFrom(undefined, '2026-02-11'),
  partition: fc.constantFrom('month', 'day'),
  additive: fc.constantFrom([], ['visits']),
});

/** The units of a table of which the destination holds nothing. */
function unitsOf(table: SyncTable) {
  const planned = planPartitions(table, { id: 7, name: 'example.com' }, new Map(), {
    today: TODAY,
    lookback: 7,
    queryHash: () => '',
    schemaVersion: () => 0,
  });
  return packUnits(table, { id: 7, name: 'example.com' }, planned);
}

const context = {
  destination: 'lake',
  today: TODAY,
  plannedAt: '2026-03-14T12:00:00.000Z',
  lookback: 7,
  latestDays: new Map([['pages', '2026-03-12']]),
  kindOf: (column: string) => (column === 'visits' ? 'number' : undefined) as 'number' | undefined,
};

describe('the record of a unit', () => {
  test('contains all that its query and its partitions need', () => {
    fc.assert(
      fc.property(anyTable, table => {
        for (const unit of unitsOf(table)) {
          const record = recordOf(unit, context);
          const read = unitOfRecord(JSON.parse(JSON.stringify(record)));
          expect(read).toMatchObject({ id: record.unit, destination: 'lake', plannedAt: context.plannedAt });
          expect(read.plan).toMatchObject({ today: TODAY, lookback: 7 });
          expect(read.plan.latestDays?.get(table.name)).toBe(context.latestDays.get(table.name));
          expect(read.unit).toEqual({
            ...unit,
            partitions: unit.partitions.map(partition => ({ ...partition, rows: undefined })),
          });
          expect(queryHash(read.unit.table, read.plan.kindOf)).toBe(queryHash(table, context.kindOf));
        }
      }),
      { numRuns: runs(400) },
    );
  });

  test('stays small for years of days', () => {
    const table: SyncTable = {
      name: 'pages',
      dataSet: 'pageview',
      dimensions: ['page_url', 'country'],
      metrics: ['visits', 'pageviews', 'revenue'],
      filters: [parseFilter('visits>=3')],
      platform: 'service',
      start: '2023-01-01',
      end: undefined,
      partition: 'day',
      additive: [],
    };
    const [unit] = unitsOf(table);
    expect(unit?.partitions.length).toBeGreaterThan(1000);
    expect(JSON.stringify(unit && recordOf(unit, context)).length).toBeLessThan(1000);
  });

  test.each([
    ['is no unit', null],
    ['is no unit', []],
    ['has no valid definition', {}],
    ['has no valid table: "../x"', { table: '../x' }],
    ['has no valid domain_id', { domain_id: '7' }],
    ['has no valid from', { from: 'yesterday' }],
    ['names 3 partitions for 2026-03-01 to 2026-03-13', { from: '2026-03-01' }],
    ['has the days 2026-03-14 to 2026-03-13', { from: '2026-03-14', partitions: 0 }],
    ['has no valid reasons', { reasons: '3 dull' }],
  ])('that is damaged is named: %s', (message, change) => {
    const table = fc.sample(anyTable, { numRuns: 1, seed: 1 })[0] as SyncTable;
    const [unit] = unitsOf({
      ...table,
      name: 'pages',
      start: '2026-01-01',
      end: undefined,
      partition: 'month',
    });
    const record = unit && recordOf(unit, context);
    const damaged =
      change === null || Array.isArray(change)
        ? change
        : Object.keys(change).length === 0
          ? {}
          : { ...record, ...change };
    expect(() => unitOfRecord(damaged)).toThrow(message);
  });
});
