import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../../src/apis/bda/days.ts';
import type { SyncTable } from '../../../src/sync/config.ts';
import { lowered, rateOf, readRate, windowOf } from '../../../src/sync/engine/rate.ts';
import {
  groupsOf,
  jobOf,
  laterVersionError,
  unitOfJob,
  unitsIn,
  unitsOfGroup,
} from '../../../src/sync/engine/unit-job.ts';
import { packUnits, planPartitions, type Unit } from '../../../src/sync/plan.ts';
import { runs } from '../../support/runs.ts';
import { tableOf } from '../tables.ts';

const TABLE = tableOf();
const kindOf = () => undefined;
const CONTEXT = {
  destination: 'lake',
  today: '2026-03-14',
  plannedAt: '2026-03-14T12:00:00.000Z',
  lookback: 7,
  latestDays: new Map(),
  kindOf,
};
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
    expect(laterVersionError(data)).toBeUndefined();
    expect(laterVersionError({ ...data, version: 3 })?.message).toContain('a later version of gatectl');
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

test('a job contains the queries that its unit replaces, and differs from that of a plan that found others', () => {
  const unit = unitOn('2026-03-14');
  const replacing = (query: string): Unit => ({
    ...unit,
    partitions: unit.partitions.map((planned, index) =>
      index === 1 ? { ...planned, replaces: [query] } : planned,
    ),
  });
  const { id, data } = jobOf(replacing('0123'), 'account', CONTEXT);
  expect(data.replaces).toEqual(['0123']);
  const back = unitOfJob(data, TABLE, kindOf);
  expect(back.partitions.map(({ replaces }) => replaces)).toEqual(back.partitions.map(() => ['0123']));
  const ids = [unit, replacing('4567')].map(other => jobOf(other, 'account', CONTEXT).id);
  expect(new Set([id, ...ids]).size).toBe(3);
});

describe('groups of units', () => {
  const sites = Array.from({ length: 1500 }, (_, index) => ({
    id: index + 1,
    name: `site-${index + 1}.example.com`,
  }));
  const groups = async (units: readonly Unit[], account = 'account') => {
    const batches = async function* () {
      for (let from = 0; from < units.length; from += 70) yield units.slice(from, from + 70);
    };
    const found = [];
    for await (const group of groupsOf(batches(), account, CONTEXT)) found.push(group);
    return found;
  };
  const plan = (without: ReadonlySet<number>, tables = [TABLE]) =>
    tables.flatMap(table =>
      sites.flatMap(site => (without.has(site.id) ? [] : unitsOn('2026-03-14', table, site))),
    );

  test('are the jobs of all units, some hundred to a request, each with the id that says how many', async () => {
    const units = plan(new Set(), [TABLE, { ...TABLE, name: 'other' }]).map((unit, index) =>
      index % 3 > 0
        ? unit
        : { ...unit, partitions: unit.partitions.map(planned => ({ ...planned, replaces: ['0123'] })) },
    );
    const all = await groups(units);
    const jobs = all.flatMap(({ id, data }) => unitsOfGroup(id, data, 'account'));
    expect(jobs).toEqual(units.map(unit => jobOf(unit, 'account', CONTEXT)));
    expect(all.map(({ id }) => unitsIn(id))).toEqual(all.map(({ data }) => data.units.length));
    expect(Math.max(...all.map(({ id }) => unitsIn(id)))).toBeLessThanOrEqual(100);
    expect(all.length).toBeLessThan(units.length / 30);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });

  test('of a plan that lacks some sites are those of before, except around these sites', async () => {
    const before = new Set((await groups(plan(new Set()))).map(({ id }) => id));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: 1500 }), { maxLength: 5 }), async without => {
        const after = await groups(plan(new Set(without)));
        expect(after.filter(({ id }) => !before.has(id)).length).toBeLessThanOrEqual(4 * without.length);
      }),
      { numRuns: runs(8) },
    );
  });

  test('of a plan with --refetch are others than those that wait already', async () => {
    const [unit] = plan(new Set());
    const refetched = {
      ...(unit as Unit),
      partitions: (unit as Unit).partitions.map(partition => ({ ...partition, reason: 'refetch' as const })),
    };
    const [[one], [other]] = await Promise.all([groups([unit as Unit]), groups([refetched])]);
    expect(other?.id).not.toBe(one?.id);
    expect(jobOf(refetched, 'a', CONTEXT).id).not.toBe(jobOf(unit as Unit, 'a', CONTEXT).id);
  });
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
