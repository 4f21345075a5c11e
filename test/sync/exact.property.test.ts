import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ColumnProfile } from '../../src/export/parquet/column-profile.ts';
import type { FoundColumn } from '../../src/export/parquet/found-types.ts';
import { NO_SCHEMA, typeOf, widen } from '../../src/sync/column-types.ts';
import { plainDecimal } from '../../src/sync/destinations/duckdb/partition-rows.ts';
import { sumOf } from '../../src/sync/exact-sum.ts';
import { WorkQueue } from '../../src/sync/work-queue.ts';
import { runs } from '../support/runs.ts';

const Exact = Decimal.clone({ precision: 400 });
const number = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
  fc.tuple(fc.integer(), fc.nat()).map(([whole, part]) => `${whole}.${part}`),
  fc
    .tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: -30, max: 30 }))
    .map(([digits, power]) => `${digits}e${power}`),
);

test('a sum of any numbers is exact', () => {
  fc.assert(
    fc.property(fc.array(number, { maxLength: 40 }), numbers => {
      const exact = numbers.reduce((sum, text) => sum.plus(text), new Exact(0));
      expect(sumOf(numbers)).toBe(exact.isZero() ? '0' : exact.toFixed());
    }),
    { numRuns: runs(1000) },
  );
});

test.each([['"text"'], ['1e999999999'], ['true'], ['{}']])('%s makes a sum unknown', value => {
  expect(sumOf(['1', value])).toBe(null);
});

function found(values: readonly string[]): FoundColumn {
  const profile = new ColumnProfile();
  for (const value of values) {
    const bytes = Buffer.from(value);
    profile.addValue(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, bytes.length);
  }
  return { name: 'a', profile, ...profile.typeFound(true) };
}

test('the type of a column does not depend on the order of its files, and never becomes narrower', () => {
  const value = fc.oneof(number, fc.constantFrom('"text"', '"2026-03-14"', 'null', 'true'));
  fc.assert(
    fc.property(fc.array(fc.array(value, { maxLength: 3 }), { minLength: 1, maxLength: 6 }), files => {
      const after = (order: readonly (readonly string[])[]) =>
        order.reduce((schema, values) => widen(schema, [found(values)]).schema, NO_SCHEMA);
      const forward = after(files);
      const [type, reversed] = [forward, after([...files].reverse())].map(
        ({ columns: [column] }) => column && typeOf(column),
      );
      expect(reversed).toEqual(type);
      expect(after([...files, ...files])).toEqual(forward);
    }),
    { numRuns: runs(1000) },
  );
});

test('a queue hands out what work adds before the rest, and ends when nothing is left', async () => {
  const queue = new WorkQueue([3, 1]);
  const seen: number[] = [];
  for await (const item of queue) {
    seen.push(item);
    queue.done(item > 1 ? [item - 1] : []);
  }
  expect(seen).toEqual([3, 2, 1, 1]);
});

test.each([
  ['-.250', '-0.25'],
  ['.000', '0'],
  ['0.00', '0'],
  ['100.00', '100'],
])('a sum that DuckDB prints as %s is that of the ledger, %s', (printed, recorded) => {
  expect(plainDecimal(printed)).toBe(recorded);
});
