import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../../src/apis/bda/days.ts';
import type { SyncTable } from '../../../src/sync/config.ts';
import { lowered, rateOf, readRate, windowOf } from '../../../src/sync/engine/rate.ts';
import { isOfLaterVersion, jobOf, unitOfJob, withoutSuperseded } from '../../../src/sync/engine/unit-job.ts';
import type { LedgerEntry } from '../../../src/sync/ledger.ts';
import { packUnits, planPartitions, type Unit } from '../../../src/sync/plan.ts';
import { queryHash } from '../../../src/sync/table-query.ts';
import { runs } from '../../support/runs.ts';

const TABLE: SyncTable = {
  name: 'pages',
  dataSet: 'pageview',
  dimensions: ['page_url'],
  metrics: ['visits'],
  filters: [],
  platform: undefined,
  start: '2026-01-01',
  end: undefined,
  partition: 'month',
  additive: [],
};
const kindOf = () => undefined;
const CONTEXT = { destination: 'lake', today: '2026-03-14', lookback: 7, latestDays: new Map(), kindOf };
const DOMAIN = { id: 7, name: 'site-7.example.com' };

function unitsOn(today: string, table: SyncTable = TABLE, domain = DOMAIN): Unit[] {
  const planned = planPartitions(table, domain, new Map(), {
    today,
    lookback: 7,
    queryHash: () => '',
    schemaVersion: undefined,
  });
  return packUnits(table, domain, planned);
}

function unitOn(today: string, table: SyncTable = TABLE, domain = DOMAIN): Unit {
  const [unit] = unitsOn(today, table, domain);
  if (unit === undefined) throw new Error('no unit');
  return unit;
}

describe('a job', () => {
  test('of a later gatectl is recognised', () => {
    const { data } = jobOf(unitOn('2026-03-14'), 'account', CONTEXT);
    expect([isOfLaterVersion(data), isOfLaterVersion({ ...data, version: 2 })]).toEqual([false, true]);
  });

  test('contains the unit that it was made of', () => {
    const shape = ({ days, domain, partitions }: Unit) => ({
      days,
      domain,
      partitions: partitions.map(({ key, days }) => ({ key, days })),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1200 }),
        fc.constantFrom('month' as const, 'day' as const),
        fc.integer({ min: 1, max: 1_000_000_000 }),
        (days, partition, id) => {
          const table = { ...TABLE, partition };
          for (const unit of unitsOn(addDays('2026-01-01', days), table, { ...DOMAIN, id })) {
            const { data } = jobOf(unit, 'account', CONTEXT);
            const back = unitOfJob(JSON.parse(JSON.stringify(data)), table, kindOf);
            expect(shape(back)).toEqual(shape(unit));
          }
        },
      ),
      { numRuns: runs(200) },
    );
  });

  test('has the same id for the same work, and another one for other work', () => {
    const id = (unit: Unit, account = 'a', destination = 'lake') =>
      jobOf(unit, account, { ...CONTEXT, destination }).id;
    const unit = unitOn('2026-03-14');
    const others = [
      id(unitOn('2026-03-15')),
      id(unitOn('2026-03-14', TABLE, { id: 8, name: 'site-8.example.com' })),
      id(unitOn('2026-03-14', { ...TABLE, metrics: ['visits', 'revenue'] })),
      id(unitOn('2026-03-14', { ...TABLE, name: 'other' })),
      id(unit, 'b'),
      id(unit, 'a', 'other'),
    ];
    expect(id(unit)).toBe(id(unitOn('2026-03-14')));
    expect(id(unit)).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set([id(unit), ...others]).size).toBe(7);
  });

  test('is shorter than a kilobyte, even with the longest names', () => {
    const table = { ...TABLE, name: 't'.repeat(63) };
    const unit = unitOn('2026-03-14', table, {
      id: Number.MAX_SAFE_INTEGER,
      name: `${'d'.repeat(249)}.com`,
    });
    const destination = `s3://${'b'.repeat(63)}/${'p'.repeat(200)}`;
    const { data } = jobOf(unit, 'account', { ...CONTEXT, destination });
    expect(JSON.stringify(data).length).toBeLessThan(1000);
  });

  test('fails at a worker whose sync file lacks the table, or has another query for it', () => {
    const { data } = jobOf(unitOn('2026-03-14'), 'account', CONTEXT);
    expect(() => unitOfJob(data, undefined, kindOf)).toThrow(
      'this worker has no sync file with the table pages in lake',
    );
    expect(() => unitOfJob(data, { ...TABLE, metrics: ['revenue'] }, kindOf)).toThrow(
      'the sync file of this worker has another query for pages than that of the submitted unit',
    );
  });
});

test('a unit of an earlier plan does not replace a partition that has later days by now', () => {
  const unit = unitOn('2026-03-14');
  const query = queryHash(TABLE, kindOf);
  const left = (of: Unit, to: string, hash = query) =>
    withoutSuperseded(of, new Map([['2026-03', { to, query: hash } as LedgerEntry]]), query)?.days.to;
  expect(left(unit, '2026-03-13')).toBe('2026-03-13');
  expect(left(unit, '2026-03-14')).toBe('2026-02-28');
  expect(left(unit, '2026-03-14', 'an earlier query')).toBe('2026-03-13');
  const [single] = packUnits(TABLE, DOMAIN, unit.partitions.slice(-1));
  expect(left(single as Unit, '2026-03-20')).toBeUndefined();
});

describe('a rate', () => {
  test.each([
    ['20', 20],
    ['0.5', 0.5],
    ['20/s', 20],
    ['300/m', 5],
    ['1800/h', 0.5],
  ])('of %s is %d units a second', (text, rate) => expect(readRate(text)).toBe(rate));

  test.each(['', '0', '-1', '5/d', 'fast', '1e3', '5 /s'])('cannot be %j', text =>
    expect(readRate(text)).toBeUndefined(),
  );

  test('is met within 2 % by its window, which lets 85 % of a hard limit of a second never exceed it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), thousandths => {
        const rate = thousandths / 1000;
        const window = windowOf(rate);
        expect(Number.isInteger(window.max) && Number.isInteger(window.ms)).toBe(true);
        expect(Math.abs(rateOf(window) / rate - 1)).toBeLessThan(0.02);
        expect(window.max === 1 || rate + window.max <= rate / 0.85).toBe(true);
      }),
    );
  });

  test('becomes lower with each refusal, and never zero', () => {
    let window = windowOf(20);
    for (let times = 0; times < 60; times++) {
      const before = rateOf(window);
      window = lowered(window);
      expect(rateOf(window)).toBeLessThan(before);
    }
    expect(window.max).toBe(1);
  });
});
