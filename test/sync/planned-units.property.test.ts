import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FileError } from '../../src/errors/index.ts';
import type { Destination } from '../../src/sync/destinations/destination.ts';
import type { Ledger, LedgerEntry } from '../../src/sync/ledger.ts';
import { type PlanOptions, packUnits, planPartitions, type Unit } from '../../src/sync/plan.ts';
import { plannedBatches, plannedUnits } from '../../src/sync/planned-units.ts';
import { runs } from '../support/runs.ts';
import { tableOf } from './tables.ts';

const TABLE = tableOf();
const OPTIONS: PlanOptions = { today: '2026-04-14', lookback: 7, queryHash: () => 'query' };
const sitesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `site-${index + 1}.example.com` }));

/** A ledger with the months of a site that are done. */
function ledgerOf(months: readonly boolean[]): Ledger {
  const entries = months.flatMap((isDone, index): [string, LedgerEntry][] => {
    const key = `2026-0${index + 1}`;
    const [from, to] = [`${key}-01`, `${key}-${['31', '28', '31'][index]}`];
    const entry = { partition: key, from, to, query: 'query', state: 'final', rows: 10 * index };
    return isDone ? [[key, entry as unknown as LedgerEntry]] : [];
  });
  return new Map(entries);
}

/** A destination that counts the ledgers that it holds. */
function destinationOf(ledgers: ReadonlyMap<number, Ledger>, fail: (id: number) => Error | undefined) {
  let [held, most, read] = [0, 0, 0];
  const destination = {
    isIntact: () => true,
    domainIds: async () => [...ledgers.keys()],
    ledger: async (_: string, id: number) => {
      const failure = fail(id);
      read += 1;
      if (failure !== undefined) throw failure;
      held += 1;
      most = Math.max(most, held);
      for (let turn = id % 3; turn >= 0; turn--) await setImmediate();
      return ledgers.get(id) ?? new Map();
    },
    release: async () => {
      held -= 1;
    },
  };
  return {
    destination: destination as unknown as Destination,
    counts: () => ({ held, most, read }),
  };
}

const LEDGERS = fc
  .array(fc.option(fc.array(fc.boolean(), { minLength: 3, maxLength: 3 })), { maxLength: 250 })
  .map(
    all => new Map(all.flatMap((months, index) => (months === null ? [] : [[index + 1, months] as const]))),
  );

const shown = ({ domain, days, partitions, rows }: Unit) => [domain.name, days, partitions, rows];

test('a plan has the units of each site in order, reads only ledgers that are there, and holds a few of them', async () => {
  await fc.assert(
    fc.asyncProperty(LEDGERS, async months => {
      const ledgers = new Map([...months].map(([id, done]) => [id, ledgerOf(done)]));
      const sites = sitesOf(250);
      const { destination, counts } = destinationOf(ledgers, () => undefined);
      const units: Unit[] = [];
      for await (const unit of plannedUnits([TABLE], sites, destination, OPTIONS)) units.push(unit);
      const expected = sites.flatMap(site => {
        const planned = planPartitions(TABLE, site, ledgers.get(site.id) ?? new Map(), OPTIONS);
        return packUnits(TABLE, site, planned);
      });
      expect(units.map(shown)).toEqual(expected.map(shown));
      const { held, most, read } = counts();
      expect([held, read]).toEqual([0, ledgers.size]);
      expect(most).toBeLessThanOrEqual(10);
    }),
    { numRuns: runs(60) },
  );
});

test('a plan reads several ledgers ahead, and holds few of them', async () => {
  const ledgers = new Map(sitesOf(40).map(({ id }) => [id, ledgerOf([false, true, true])]));
  const { destination, counts } = destinationOf(ledgers, () => undefined);
  for await (const unit of plannedUnits([TABLE], sitesOf(40), destination, OPTIONS)) shown(unit);
  const { held, most, read } = counts();
  expect([held, read]).toEqual([0, 40]);
  expect(most).toBeGreaterThan(2);
  expect(most).toBeLessThanOrEqual(10);
});

test('a plan of sites without a ledger has about a hundred units at a time', async () => {
  const { destination } = destinationOf(new Map(), () => undefined);
  const options = { ...OPTIONS, today: '2026-01-14' };
  const sizes: number[] = [];
  const names: string[] = [];
  for await (const units of plannedBatches([TABLE], sitesOf(250), destination, options)) {
    sizes.push(units.length);
    names.push(...units.map(({ domain }) => domain.name));
  }
  expect(sizes).toEqual([100, 100, 50]);
  expect(names).toEqual(sitesOf(250).map(({ name }) => name));
});

test('a plan has only the partitions that are asked for', async () => {
  const ledgers = new Map([[2, ledgerOf([true, false, false])]]);
  const { destination } = destinationOf(ledgers, () => undefined);
  const only = ({ key }: { readonly key: string }) => key === '2026-02';
  const found: string[] = [];
  for await (const { domain, partitions } of plannedUnits([TABLE], sitesOf(3), destination, OPTIONS, only))
    found.push(`${domain.id} ${partitions.map(({ key }) => key)}`);
  expect(found).toEqual(['1 2026-02', '2 2026-02', '3 2026-02']);
});

test('a plan of what has changed asks for each site, also where none has a ledger', async () => {
  const { destination } = destinationOf(new Map(), () => undefined);
  const options: PlanOptions = {
    ...OPTIONS,
    revised: (_table, { id }, key) => id === 2 && key === '2026-01',
    onlyRevised: true,
  };
  const found: string[] = [];
  for await (const { domain, partitions } of plannedUnits([TABLE], sitesOf(3), destination, options))
    found.push(`${domain.id} ${partitions.map(({ key }) => key)}`);
  expect(found).toEqual(['2 2026-01']);
});

test('a plan ends with the error of a ledger that cannot be read', async () => {
  const ledgers = new Map(sitesOf(30).map(({ id }) => [id, ledgerOf([true, true, true])]));
  const failure = new FileError('the ledger is damaged', { path: '7.ndjson', code: 'invalid_file' });
  const { destination } = destinationOf(ledgers, id => (id === 7 ? failure : undefined));
  const read = async () => {
    for await (const unit of plannedUnits([TABLE], sitesOf(30), destination, OPTIONS)) shown(unit);
  };
  await expect(read()).rejects.toBe(failure);
});
