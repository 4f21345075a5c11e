import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { RowReader } from '../../src/export/transcode/row-reader.ts';
import { RowTests } from '../../src/sync/contracts/row-tests.ts';
import { NOON } from '../support/run.ts';
import { runs } from '../support/runs.ts';
import { type Figures, figuresOf, type SourceRow, syncing } from './source.ts';
import { tableOf } from './tables.ts';

const DAYS = ['2026-03-10', '2026-03-11', '2026-03-12', '2026-03-13'];
const HOUR = 3_600_000;

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

interface Tests {
  readonly not_null?: readonly string[];
  readonly unique?: readonly string[];
  readonly range?: Readonly<Record<string, Bounds>>;
  readonly min_rows?: number;
  readonly fresh_within?: number;
  readonly day_on_day?: Readonly<Record<string, Bounds & { readonly accept?: readonly string[] }>>;
}

interface Values {
  readonly report_day: string;
  readonly page_url: string | null;
  readonly visits: number | null;
  readonly revenue: number | null;
}

const bounds = fc
  .record({ min: fc.constantFrom(-1, 0, 0.5, 1), max: fc.constantFrom(1, 2, 2.5, 9) }, { requiredKeys: [] })
  .filter(({ min, max }) => min !== undefined || max !== undefined);
const column = fc.constantFrom('report_day', 'page_url', 'visits', 'revenue');
const tests: fc.Arbitrary<Tests> = fc.record(
  {
    not_null: fc.uniqueArray(column, { minLength: 1, maxLength: 2 }),
    unique: fc.uniqueArray(column, { minLength: 1, maxLength: 3 }),
    range: fc.dictionary(fc.constantFrom('visits', 'revenue'), bounds, { minKeys: 1 }),
    min_rows: fc.integer({ min: 1, max: 4 }),
    fresh_within: fc.integer({ min: 1, max: 5 }),
    day_on_day: fc.dictionary(
      fc.constantFrom('visits', 'revenue'),
      fc
        .tuple(bounds, fc.uniqueArray(fc.constantFrom(...DAYS), { maxLength: 2 }))
        .map(([limits, accept]) => ({ ...limits, accept })),
      { minKeys: 1 },
    ),
  },
  { requiredKeys: [] },
);
const row: fc.Arbitrary<SourceRow> = fc.record({
  page: fc.constantFrom('"/a"', '"/b"', '"/\\u0061"', '"/a,b"', 'null'),
  visits: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: -1, max: 3 }).map(String) },
    fc.constant('null'),
  ),
  revenue: fc.constantFrom('0', '0.5', '1.0', '1', '2.5', '2.51', '"2.5"', 'null'),
});
// A response with the same row twice is an error in any case.
const rowsOfDay = fc.uniqueArray(row, { maxLength: 4, selector: each => JSON.stringify(each) });
const rowsOfDays = fc.tuple(...DAYS.map(() => rowsOfDay));

function valuesOf(day: string, { page, visits, revenue }: SourceRow): Values {
  const money = JSON.parse(revenue);
  return {
    report_day: day,
    page_url: JSON.parse(page),
    visits: JSON.parse(visits),
    revenue: money === null ? null : Number(money),
  };
}

function isWithin(value: number, { min, max }: Bounds): boolean {
  return value >= (min ?? value) && value <= (max ?? value);
}

/**
 * Whether the tests hold of a partition of some days, from their definitions in docs/sync.md. `accepted` are the days before it that
 * passed, or that the destination has, with their rows.
 */
function hold(
  all: readonly Values[],
  days: readonly string[],
  wanted: Tests,
  accepted: ReadonlyMap<string, readonly Values[]>,
): boolean {
  const rows = all.filter(({ report_day }) => days.includes(report_day));
  const has = (day: string) => all.some(({ report_day }) => report_day === day);
  const { not_null = [], unique = [], range = {}, min_rows = 0, fresh_within, day_on_day = {} } = wanted;
  const pick = (each: Values, name: string) => each[name as keyof Values];
  if (not_null.some(name => rows.some(each => pick(each, name) === null))) return false;
  const keys = rows.map(each => JSON.stringify(unique.map(name => pick(each, name))));
  if (unique.length > 0 && new Set(keys).size < keys.length) return false;
  for (const [name, limits] of Object.entries(range))
    if (rows.map(each => pick(each, name)).some(value => value !== null && !isWithin(Number(value), limits)))
      return false;
  if (rows.length < min_rows) return false;
  // Days before the first one of the table are not known.
  if (fresh_within !== undefined && fresh_within <= DAYS.length && days.includes('2026-03-13'))
    if (!DAYS.slice(-fresh_within).some(has)) return false;
  const isFollowed = DAYS.slice(DAYS.indexOf(days.at(-1) ?? '') + 1).some(has);
  const last = (isFollowed ? days.at(-1) : days.findLast(has)) ?? '';
  for (const [name, limits] of Object.entries(day_on_day)) {
    const sumOf = (some: readonly Values[]) => some.reduce((sum, each) => sum + Number(pick(each, name)), 0);
    const sumOn = (day: string) => sumOf(rows.filter(each => each.report_day === day));
    for (const day of days) {
      const ahead = DAYS.slice(0, DAYS.indexOf(day));
      const base = ahead.findLast(each => days.includes(each) || accepted.has(each)) ?? '';
      const before = days.includes(base) ? sumOn(base) : sumOf(accepted.get(base) ?? []);
      if (day > last || before <= 0 || limits.accept?.includes(day)) continue;
      // All figures are multiples of 1/100, and the bounds of 1/2.
      const scaled = (value: number | undefined) =>
        value === undefined ? undefined : Math.round(200 * value * before);
      const [min, max] = [scaled(limits.min), scaled(limits.max)];
      const sum = Math.round(200 * sumOn(day));
      if (sum < (min ?? sum) || sum > (max ?? sum)) return false;
    }
  }
  return true;
}

function fileWith(partition: string, wanted: Tests | undefined): string {
  return stringify({
    destination: 'lake',
    tables: {
      pages: {
        data_set: 'pageview',
        dimensions: ['page_url'],
        metrics: ['visits', 'revenue'],
        start: DAYS[0],
        partition,
        types: { revenue: 'decimal(18,2)', page_url: 'varchar' },
        ...(wanted !== undefined && { tests: wanted }),
      },
    },
  });
}

/** Whether a reason names a row, and counts, that are so. */
function isTrue(reason: string, rows: readonly Values[]): boolean {
  const cellOf = (each: Values, name: string) => each[name as keyof Values];
  const [test, rest = ''] = reason.split(/: (.*)/s);
  if (test === 'not_null') {
    const [, nulls, all, name = '', day] =
      /^(\d+) of (\d+) rows? without (\w+), the first on (\S+)$/.exec(rest) ?? [];
    const without = rows.filter(each => cellOf(each, name) === null);
    return without.length === Number(nulls) && rows.length === Number(all) && without[0]?.report_day === day;
  }
  if (test === 'range') {
    const [, name = '', value = '', day] = /^(\w+) is (\S+) on (\S+),/.exec(rest) ?? [];
    const number = Number(JSON.parse(value));
    return rows.some(each => each.report_day === day && cellOf(each, name) === number);
  }
  if (test === 'unique') {
    const [, names = '', key = '', day] =
      /^several rows have (.*) = (.*?)(?:, one of them on (\S+))?$/.exec(rest) ?? [];
    const keyOf = (each: Values) =>
      names
        .split(', ')
        .map(name => JSON.stringify(cellOf(each, name)))
        .join();
    const alike = rows.filter(each => keyOf(each) === key);
    const isNamed = names.includes('report_day')
      ? day === undefined
      : alike.some(each => each.report_day === day);
    return alike.length > 1 && isNamed;
  }
  return test === 'min_rows' || test === 'fresh_within' || test === 'day_on_day';
}

/** The partitions that pass, judged in the order of their days. `stored` are the rows of the days that the destination has. */
function passingOf(
  partitions: readonly (readonly string[])[],
  all: readonly Values[],
  wanted: Tests,
  stored: ReadonlyMap<string, readonly Values[]>,
): readonly (readonly string[])[] {
  const accepted = new Map(stored);
  return partitions.filter(days => {
    const holds = hold(all, days, wanted, accepted);
    if (holds)
      for (const day of days)
        accepted.set(
          day,
          all.filter(each => each.report_day === day),
        );
    return holds;
  });
}

test('a partition is replaced if and only if the tests hold on its rows, in each run', async () => {
  const partition = fc.constantFrom('day', 'month');
  await fc.assert(
    fc.asyncProperty(partition, fc.boolean(), rowsOfDays, tests, async (size, hasEarlier, rows, wanted) => {
      const figures: Figures = figuresOf([7], '2026-03-10', 4);
      const { sync, folder, lake } = await syncing(figures, fileWith(size, undefined));
      const stored = new Map<string, Values[]>();
      if (hasEarlier) {
        expect((await sync(['run'])).code).toBe(0);
        for (const [day, each] of figures.get(7) ?? [])
          stored.set(
            day,
            each.map(row => valuesOf(day, row)),
          );
      }
      for (const [index, day] of DAYS.entries()) figures.get(7)?.set(day, rows[index] ?? []);
      writeFileSync(join(folder, 'gatectl.sync.yaml'), fileWith(size, wanted));
      const all = DAYS.flatMap((day, index) => (rows[index] ?? []).map(each => valuesOf(day, each)));
      const partitions = size === 'day' ? DAYS.map(day => [day]) : [DAYS];
      const passing = passingOf(partitions, all, wanted, stored);
      const keyOf = (days: readonly string[]) => (size === 'day' ? days[0] : '2026-03');
      for (const hours of [1, 2]) {
        const { code } = await sync(['run'], { now: NOON + hours * HOUR });
        const path = join(lake, '_gatectl/ledger/pages/7.ndjson');
        const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
        const replaced = lines
          .map(line => JSON.parse(line))
          .filter(({ fetchedAt, rows: count }) => count !== undefined && Date.parse(fetchedAt) > NOON);
        expect([...new Set(replaced.map(each => each.partition))]).toEqual(passing.map(keyOf));
        expect(code).toBe(passing.length === partitions.length ? 0 : 7);
        const [table] = JSON.parse((await sync(['status', '-o', 'json'])).stdout);
        expect(table.quarantined.map((each: { partition: string }) => each.partition)).toEqual(
          partitions.filter(days => !passing.includes(days)).map(keyOf),
        );
        for (const { from, to, problems } of table.quarantined) {
          const own = all.filter(({ report_day }) => report_day >= from && report_day <= to);
          for (const problem of problems) expect([problem, isTrue(problem, own)]).toEqual([problem, true]);
        }
      }
    }),
    { numRuns: runs(300) },
  );
});

test('rows that are equal are found on whichever pages they are', () => {
  const rows = fc.array(fc.tuple(fc.constantFrom(...DAYS), fc.nat({ max: 5 })), { maxLength: 12 });
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 4 }), fc.boolean(), (all, pageRows, isByDay) => {
      const sorted = all.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
      const unique = isByDay ? ['report_day', 'visits'] : ['visits'];
      const none = { not_null: [], range: [], day_on_day: [] };
      const table = tableOf({ dimensions: [], metrics: ['visits'], tests: { ...none, unique } });
      const complete = new RowTests(table);
      for (let from = 0; from < sorted.length; from += pageRows) {
        const page = new RowTests(table);
        for (const [day, visits] of sorted.slice(from, from + pageRows)) {
          const reader = new RowReader(['report_day', 'visits'], (each, layout) =>
            page.take(each, layout, day),
          );
          reader.write(Buffer.from(JSON.stringify([{ report_day: day, visits }])));
          reader.end();
        }
        complete.add(page);
      }
      const keys = sorted.map(([day, visits]) => (isByDay ? `${day} ${visits}` : `${visits}`));
      expect(complete.problems().length).toBe(new Set(keys).size < keys.length ? 1 : 0);
    }),
    { numRuns: runs(500) },
  );
});
