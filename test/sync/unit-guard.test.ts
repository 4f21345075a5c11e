import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Destination } from '../../src/sync/destinations/destination.ts';
import { jobOf } from '../../src/sync/engine/unit-job.ts';
import { UnitRunner } from '../../src/sync/engine/unit-runner.ts';
import type { WorkerOptions } from '../../src/sync/engine/worker-options.ts';
import type { Ledger, LedgerEntry } from '../../src/sync/ledger.ts';
import { packUnits, planPartitions, type Unit } from '../../src/sync/plan.ts';
import { queryHash } from '../../src/sync/table-query.ts';
import { isSuperseded, SupersededError, unitsLeft } from '../../src/sync/unit-guard.ts';
import { recordOf, unitOfRecord } from '../../src/sync/unit-record.ts';
import { runs } from '../support/runs.ts';
import { tableOf } from './tables.ts';

const TABLE = tableOf();
const DOMAIN = { id: 7, name: 'site-7.example.com' };
const kindOf = () => undefined;
const QUERY = queryHash(TABLE, kindOf);
const PLANNED_AT = '2026-03-14T12:00:00.000Z';
const MARK = { query: QUERY, plannedAt: PLANNED_AT };
const DESTINATION = {
  schema: async () => ({ version: 0, columns: [] }),
  isIntact: () => true,
  rewritesForTypes: false,
} as unknown as Destination;

function planned(ledger: Ledger = new Map()): Unit[] {
  const options = { today: '2026-03-14', lookback: 7, queryHash: () => QUERY };
  return packUnits(TABLE, DOMAIN, planPartitions(TABLE, DOMAIN, ledger, options));
}

const march = (entry: Partial<LedgerEntry>): Ledger =>
  new Map([
    ['2026-03', { from: '2026-03-01', to: '2026-03-13', query: QUERY, rows: 0, ...entry } as LedgerEntry],
  ]);

const leftOf = async (ledger: Ledger, [unit] = planned()): Promise<string[]> =>
  (await unitsLeft(unit as Unit, MARK, ledger, DESTINATION)).flatMap(({ partitions }) =>
    partitions.map(({ key }) => key),
  );

const ALL = ['2026-01', '2026-02', '2026-03'];
const SUPERSEDED = 'superseded_unit';
const BUT_MARCH = ['2026-01', '2026-02'];

describe('of a unit of an earlier plan', () => {
  test.each([
    ['what was written since is not requested again', { fetchedAt: '2026-03-14T12:00:01.000Z' }, BUT_MARCH],
    ['what was written at the same time is not either', { fetchedAt: PLANNED_AT }, BUT_MARCH],
    [
      'what was written since without its first day is',
      { fetchedAt: '2026-03-14T12:00:01.000Z', from: '2026-03-02' },
      ALL,
    ],
    ['what was written before is', { fetchedAt: '2026-03-14T11:59:59.000Z' }, ALL],
    [
      'what was written since without its last day is',
      { fetchedAt: '2026-03-14T12:00:01.000Z', to: '2026-03-12' },
      ALL,
    ],
    [
      'a partition with later days is not replaced by fewer',
      { fetchedAt: '2026-03-14T11:59:59.000Z', to: '2026-03-14' },
      BUT_MARCH,
    ],
    [
      'a partition with earlier days is not replaced by fewer',
      { fetchedAt: '2026-03-14T11:59:59.000Z', from: '2026-02-27' },
      BUT_MARCH,
    ],
  ])('%s', async (_, entry, left) => {
    expect(await leftOf(march(entry))).toEqual(left);
  });

  test('of which nothing was written since, all is left as it was planned', async () => {
    const [unit] = planned();
    const dayValues = { metrics: ['visits'], days: {} };
    const left = await unitsLeft({ ...(unit as Unit), dayValues }, MARK, new Map(), DESTINATION);
    expect(left).toEqual([{ ...unit, dayValues }]);
  });

  test.each([
    ['with earlier types', { schema: 1, rows: 5 }, true, ALL],
    ['with the types of now', { schema: 2, rows: 5 }, true, BUT_MARCH],
    ['without rows', { schema: 1, rows: 0 }, true, BUT_MARCH],
    ['with earlier types, which the destination keeps', { schema: 1, rows: 5 }, false, BUT_MARCH],
  ])('what was written since %s', async (_, entry, rewritesForTypes, keys) => {
    const destination = {
      ...DESTINATION,
      rewritesForTypes,
      schema: async () => ({ version: 2, columns: [] }),
    };
    const [unit] = planned();
    const ledger = march({ fetchedAt: '2026-03-14T12:00:01Z', ...entry });
    const left = await unitsLeft(unit as Unit, MARK, ledger, destination as unknown as Destination);
    expect(left.flatMap(({ partitions }) => partitions.map(({ key }) => key))).toEqual(keys);
  });

  test('a file that is missing is requested again', async () => {
    const [unit] = planned();
    const damaged = { ...DESTINATION, isIntact: () => false } as Destination;
    const left = await unitsLeft(unit as Unit, MARK, march({ fetchedAt: '2026-03-14T12:00:01Z' }), damaged);
    expect(left).toEqual([unit]);
  });

  test.each([
    ['of another query is superseded', { query: 'a later one' }, SUPERSEDED],
    ['of the query that the plan found is requested', { query: 'found' }, ALL],
    ['with more days is not replaced by fewer', { to: '2026-03-14' }, BUT_MARCH],
    ['with no more days is requested', {}, ALL],
    ['as an earlier version noted it is requested', undefined, ALL],
  ])('a partition %s, of which a process was killed while it replaced it', async (_, before, left) => {
    const { from, to } = { from: '2026-03-01', to: '2026-03-13' };
    const fetchedAt = '2026-03-14T11:59:59.000Z';
    const said = before === undefined ? {} : { query: QUERY, from, to, fetchedAt, ...before };
    const destination = { ...DESTINATION, unfinished: async () => new Map([['2026-03', said]]) };
    const units = planned(march({ query: 'found', fetchedAt }));
    const found = unitsLeft(units[0] as Unit, MARK, new Map(), destination as Destination).then(
      all => all.flatMap(({ partitions }) => partitions.map(({ key }) => key)),
      error => error.code,
    );
    expect(await found).toEqual(left);
  });

  test('nothing replaces a query that the plan did not find, whatever the clock of its writer said', async () => {
    const entry = fc.record({
      query: fc.constantFrom(QUERY, 'earlier', 'other'),
      fetchedAt: fc.constantFrom('2026-03-14T11:00:00.000Z', PLANNED_AT, '2026-03-14T13:00:00.000Z'),
      to: fc.constantFrom('2026-03-12', '2026-03-13', '2026-03-14'),
    });
    await fc.assert(
      fc.asyncProperty(fc.option(entry), entry, fc.boolean(), async (found, now, asRecord) => {
        const before =
          found === null ? new Map() : march({ ...found, fetchedAt: PLANNED_AT, to: '2026-03-12' });
        const context = {
          destination: 'lake',
          today: '2026-03-14',
          plannedAt: PLANNED_AT,
          lookback: 7,
          kindOf,
        };
        const units = planned(before)
          .map(unit =>
            asRecord ? unitOfRecord(JSON.parse(JSON.stringify(recordOf(unit, context)))).unit : unit,
          )
          .filter(({ partitions }) => partitions.some(({ key }) => key === '2026-03'));
        const isOther = now.query !== QUERY;
        const isNewer = isOther && (now.query !== found?.query || now.fetchedAt > PLANNED_AT);
        const left = leftOf(march(now), units);
        if (isNewer) await expect(left).rejects.toThrow(SupersededError);
        else {
          const isReplaced = (await left).includes('2026-03');
          const isDue = isOther || now.to < '2026-03-13' || now.fetchedAt < PLANNED_AT;
          expect(isReplaced).toBe(isDue && (isOther || now.to <= '2026-03-13'));
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

test('what was set aside because of newer rows is told from other failures by its message', async () => {
  const [unit] = planned();
  const superseded = unitsLeft(unit as Unit, MARK, march({ query: 'a later one' }), DESTINATION);
  const message = await superseded.catch((error: Error) => error.message);
  expect(isSuperseded(String(message))).toBe(true);
  expect(isSuperseded(`${message}, or not`)).toBe(false);
});

test('a worker refuses a unit of an earlier plan, and requests nothing', async () => {
  const [unit] = planned();
  const context = { destination: 'lake', today: '2026-03-14', plannedAt: PLANNED_AT, lookback: 7, kindOf };
  const { data } = jobOf(unit as Unit, 'account', context);
  const ledger = march({ query: 'a later one', fetchedAt: '2026-03-14T12:00:01.000Z' });
  const destination = {
    ...DESTINATION,
    lockSite: async (_table: string, _id: number, write: () => Promise<unknown>) => await write(),
    ledger: async () => ledger,
  };
  let requests = 0;
  const send = async () => {
    requests += 1;
    throw new Error('a request was sent');
  };
  const runner = new UnitRunner({
    syncs: [{ name: 'lake', destination, tables: [TABLE], kindOf }],
    sender: { capacity: () => 1, send, stream: send },
  } as unknown as WorkerOptions);
  const tally = {
    ...{ partitions: 0, rows: 0, requests: 0, rest: 0 },
    changes: { added: 0, changed: 0, unchanged: 0 },
  };
  await expect(runner.run(data, 5, new AbortController().signal, tally)).rejects.toMatchObject({
    code: 'superseded_unit',
    message:
      '2026-03 of site-7.example.com in pages was written with another query after this unit was planned',
  });
  expect(requests).toBe(0);
});
