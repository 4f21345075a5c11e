import { describe, expect, test } from 'vitest';
import type { SyncTable } from '../../src/sync/config.ts';
import { type LedgerEntry, stateOf } from '../../src/sync/ledger.ts';
import { daysOfPartition, lastDayOf, partitionsOf } from '../../src/sync/partitions.ts';
import {
  type PlannedPartition,
  type PlanOptions,
  packUnits,
  planPartitions,
  type Unit,
  unitsAfterPage,
} from '../../src/sync/plan.ts';
import { tableOf } from './tables.ts';

const TODAY = '2026-03-14';
const DOMAIN = { id: 7, name: 'site-7.example.com' };
const OPTIONS: PlanOptions = { today: TODAY, lookback: 7, queryHash: () => 'query', schemaVersion: () => 3 };
const JANUARY = { from: '2026-01-01', to: '2026-01-31' };

/** January of the table, as it is held and settled. */
function january(entry: Partial<LedgerEntry> = {}): LedgerEntry {
  const settled = { query: 'query', domain: DOMAIN.name, schema: 3, rows: 310, state: 'final' };
  return { partition: '2026-01', ...JANUARY, ...settled, ...entry } as LedgerEntry;
}

/** The plan of a table that holds January, by default of one that ends with it. */
function planOf(
  entry: Partial<LedgerEntry>,
  options: Partial<PlanOptions> = {},
  table: Partial<SyncTable> = { end: '2026-01-31' },
): PlannedPartition[] {
  return planPartitions(tableOf(table), DOMAIN, new Map([['2026-01', january(entry)]]), {
    ...OPTIONS,
    ...options,
  });
}

const reasons = (planned: readonly PlannedPartition[]) => planned.map(({ reason }) => reason);

describe('a partition that is held', () => {
  test.each<[string, Partial<LedgerEntry>, Partial<PlanOptions>]>([
    ['is current with all days, the same query, site and types, and settled days', {}, {}],
    ['of an earlier version is current without the name of its site', { domain: undefined } as never, {}],
    ['without rows is current whatever its types', { rows: 0, schema: 2 }, {}],
    [
      'is current with earlier types where the destination keeps them',
      { schema: 2 },
      { schemaVersion: undefined },
    ],
    ['is current on the day after its lookback', {}, { today: '2026-02-08', lookback: 7 }],
    [
      'is current if the latest day with data is its last',
      {},
      { latestDays: new Map([['pages', '2026-01-31']]) },
    ],
    [
      'is current if the latest day of another table is earlier',
      {},
      { latestDays: new Map([['visits', '2026-01-30']]) },
    ],
    ['is current beside the days of --refetch', {}, { refetch: { from: '2026-02-01', to: '2026-02-10' } }],
    ['is current after the days of --refetch', {}, { refetch: { from: '2025-12-01', to: '2025-12-31' } }],
    ['that has changed in no total is current', {}, { revised: () => false }],
    [
      'is left alone where only what has changed is requested',
      { state: 'provisional' },
      { onlyRevised: true },
    ],
    ['is current if the destination still matches it', {}, { isIntact: () => true }],
  ])('%s', (_, entry, options) => {
    expect(planOf(entry, options)).toEqual([]);
  });

  test.each<[string, Partial<LedgerEntry>, Partial<PlanOptions>]>([
    ['new', { from: '2026-01-02' }, {}],
    ['new', { to: '2026-01-30' }, {}],
    ['provisional', { state: 'provisional' }, {}],
    ['provisional', {}, { today: '2026-02-07', lookback: 7 }],
    ['provisional', {}, { latestDays: new Map([['pages', '2026-01-30']]) }],
    ['revised', {}, { revised: (_table, { id }, key) => id === 7 && key === '2026-01' }],
    ['revised', {}, { revised: () => true, onlyRevised: true }],
    ['refetch', {}, { refetch: { from: '2026-01-31', to: '2026-02-10' } }],
    ['refetch', {}, { refetch: { from: '2025-12-01', to: '2026-01-01' } }],
    ['query', { query: 'another' }, {}],
    ['schema', { schema: 2 }, {}],
    ['renamed', { domain: 'old.example.com' }, {}],
    ['damaged', {}, { isIntact: () => false }],
  ])('is requested as %s: %j', (reason, entry, options) => {
    expect(reasons(planOf(entry, options))).toEqual([reason]);
  });

  test('names the other query that it replaces, and none where the query is the same', () => {
    expect(planOf({ query: 'another' })[0]?.replaces).toEqual(['another']);
    expect(planOf({ state: 'provisional' })[0]).not.toHaveProperty('replaces');
  });

  test('from before another start is requested again with its query, unless the user has removed it', () => {
    const later = { start: '2026-03-01', end: '2026-03-05' };
    expect(planOf({}, {}, later).map(({ key }) => key)).toEqual(['2026-03']);
    expect(planOf({ query: 'another' }, {}, later).map(({ key, days }) => [key, days])).toEqual([
      ['2026-01', JANUARY],
      ['2026-03', { from: '2026-03-01', to: '2026-03-05' }],
    ]);
    const isIntact = () => false;
    expect(planOf({ query: 'another' }, { isIntact }, later).map(({ key }) => key)).toEqual(['2026-03']);
  });

  test.each<[string, Partial<SyncTable>, Partial<LedgerEntry>, string, string]>([
    ['earlier ones', { start: '2026-01-10' }, { from: '2026-01-05' }, '2026-01-05', '2026-01-31'],
    ['later ones', { end: '2026-01-20' }, { to: '2026-01-25' }, '2026-01-01', '2026-01-25'],
    ['fewer', {}, { from: '2026-01-10', to: '2026-01-20' }, '2026-01-01', '2026-01-31'],
  ])('keeps the days that it has beside those of the table: %s', (_, table, entry, from, to) => {
    const [planned] = planOf({ ...entry, query: 'another' }, {}, { end: '2026-01-31', ...table });
    expect(planned?.days).toEqual({ from, to });
  });
});

describe('the rows that a plan expects', () => {
  test('of a partition that is held are as many a day as it has', () => {
    expect(planOf({ to: '2026-01-10', rows: 95 })[0]?.rows).toBe(295);
    expect(planOf({ state: 'provisional' })[0]?.rows).toBe(310);
  });

  test('of another one are as many a day as all that are held have', () => {
    const ledger = new Map([
      ['2026-01', january({ rows: 310 })],
      ['2026-02', january({ partition: '2026-02', from: '2026-02-01', to: '2026-02-09', rows: 91 })],
    ]);
    const planned = planPartitions(tableOf({ end: '2026-03-05' }), DOMAIN, ledger, OPTIONS);
    // 401 rows in 40 days.
    expect(planned.map(({ key, rows }) => [key, rows])).toEqual([
      ['2026-02', 284],
      ['2026-03', 51],
    ]);
  });

  test('are unknown where nothing is held', () => {
    const planned = planPartitions(tableOf(), DOMAIN, new Map(), OPTIONS);
    expect(planned.map(({ rows }) => rows)).toEqual([undefined, undefined, undefined]);
    expect(packUnits(tableOf(), DOMAIN, planned)).toMatchObject([{ rows: undefined, requests: 1 }]);
  });
});

/** A planned day of March. */
const march = (day: number, rows?: number): PlannedPartition => {
  const key = `2026-03-${String(day).padStart(2, '0')}`;
  return { key, days: { from: key, to: key }, reason: 'new', rows };
};
const DAYS = tableOf({ partition: 'day' });
const pack = (...days: readonly PlannedPartition[]) => packUnits(DAYS, DOMAIN, days, 100);
const shape = (units: readonly Unit[]) =>
  units.map(({ partitions, rows, requests }) => [
    partitions.map(({ key }) => key.slice(8)).join(' '),
    rows,
    requests,
  ]);

describe('units', () => {
  test('are full pages of consecutive partitions', () => {
    expect(shape(pack(march(1, 60), march(2, 40), march(3, 1)))).toEqual([
      ['01 02', 100, 1],
      ['03', 1, 1],
    ]);
    expect(shape(pack(march(1, 10), march(3, 10)))).toEqual([
      ['01', 10, 1],
      ['03', 10, 1],
    ]);
    expect(shape(pack(march(1, 250), march(2, 0)))).toEqual([
      ['01', 250, 3],
      ['02', 0, 1],
    ]);
    expect(pack()).toEqual([]);
  });

  test('take a request more where no sum of rows gives the value of a day', () => {
    const unsummed = tableOf({ partition: 'day', metrics: ['visits', 'unique_visitors'] });
    expect(shape(packUnits(unsummed, DOMAIN, [march(1, 250)], 100))).toEqual([['01', 250, 4]]);
  });

  test('have unknown rows where those of any partition are', () => {
    expect(shape(pack(march(1, 60), march(2)))).toEqual([['01 02', undefined, 1]]);
  });

  const unit = (count: number): Unit =>
    packUnits(
      DAYS,
      DOMAIN,
      Array.from({ length: count }, (_, at) => march(at + 1)),
      100,
    )[0] as Unit;

  test('for what a page did not contain share the rows that are left by days', () => {
    expect(shape(unitsAfterPage(unit(5), 2, 40, 100, 100))).toEqual([['03 04 05', 60, 1]]);
    expect(shape(unitsAfterPage(unit(5), 5, 100, 100, 100))).toEqual([]);
    // The server states fewer rows than it has sent.
    expect(shape(unitsAfterPage(unit(5), 2, 40, 30, 100))).toEqual([['03 04 05', 0, 1]]);
  });

  test('for months that were not in a page expect more of a longer one', () => {
    const planned = planPartitions(tableOf(), DOMAIN, new Map(), OPTIONS);
    const [months] = packUnits(tableOf(), DOMAIN, planned, 100);
    // 41 days are left: 28 of February, and 13 of March.
    const [left] = unitsAfterPage(months as Unit, 1, 20, 61, 100);
    expect(left?.partitions.map(({ rows }) => rows)).toEqual([28, 13]);
  });

  test('for what a page did not contain are one for each partition where one is longer than a page', () => {
    const planned = planPartitions(tableOf(), DOMAIN, new Map(), OPTIONS);
    const [months] = packUnits(tableOf(), DOMAIN, planned, 100);
    const keys = (total: number) =>
      unitsAfterPage(months as Unit, 1, 20, total, 100).map(({ partitions }) =>
        partitions.map(({ key }) => key),
      );
    // February has 100 of 147 rows, or 101.
    expect(keys(20 + 146)).toEqual([['2026-02', '2026-03']]);
    expect(keys(20 + 147)).toEqual([['2026-02'], ['2026-03']]);
  });

  test('begin with a partition of its own where the first one fills the page', () => {
    expect(shape(unitsAfterPage(unit(3), 0, 0, 150, 100))).toEqual([
      ['01', 50, 1],
      ['02 03', 100, 1],
    ]);
  });

  test('of more than forty pages are four, which can be requested at once', () => {
    const fewRows = (total: number) => shape(unitsAfterPage(unit(10), 2, 10, total, 1)).length;
    const keys = (total: number) => {
      const days = Array.from({ length: 500 }, (_, at) => ({ ...march(1), key: String(at) }));
      const long = { ...unit(1), partitions: days };
      return unitsAfterPage(long, 0, 1, total, 10).map(({ partitions }) => partitions.length);
    };
    expect(fewRows(11)).toBe(1);
    expect(keys(401)).toEqual([500]);
    expect(keys(402)).toEqual([125, 125, 125, 125]);
  });
});

test('days are settled after the lookback and up to the latest day with data', () => {
  expect(stateOf('2026-03-06', TODAY, 7)).toBe('final');
  expect(stateOf('2026-03-07', TODAY, 7)).toBe('provisional');
  expect(stateOf('2026-03-13', TODAY, 0)).toBe('final');
  expect(stateOf('2026-03-06', TODAY, 7, '2026-03-06')).toBe('final');
  expect(stateOf('2026-03-06', TODAY, 7, '2026-03-05')).toBe('provisional');
  expect(stateOf('2026-03-07', TODAY, 7, '2026-03-13')).toBe('provisional');
});

test('partitions have the days of their months that the table has', () => {
  const keys = (table: Partial<SyncTable>) =>
    [...partitionsOf(tableOf(table), TODAY)].map(({ key, days }) => [key, days.from, days.to]);
  expect(keys({ start: '2026-01-15' })).toEqual([
    ['2026-01', '2026-01-15', '2026-01-31'],
    ['2026-02', '2026-02-01', '2026-02-28'],
    ['2026-03', '2026-03-01', '2026-03-13'],
  ]);
  expect(keys({ start: '2026-03-12', partition: 'day' })).toEqual([
    ['2026-03-12', '2026-03-12', '2026-03-12'],
    ['2026-03-13', '2026-03-13', '2026-03-13'],
  ]);
  expect(daysOfPartition('2024-02')).toEqual({ from: '2024-02-01', to: '2024-02-29' });
  expect(daysOfPartition('2026-03-14')).toEqual({ from: '2026-03-14', to: '2026-03-14' });
  expect(['2026-03-12', '2026-04-01', undefined].map(end => lastDayOf({ end }, TODAY))).toEqual([
    '2026-03-12',
    '2026-03-13',
    '2026-03-13',
  ]);
});
