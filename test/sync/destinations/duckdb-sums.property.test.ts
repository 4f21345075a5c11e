import fc from 'fast-check';
import { expect, test } from 'vitest';
import { needsOfPin, sqlType } from '../../../src/sync/column-types.ts';
import { differenceInRows } from '../../../src/sync/destinations/duckdb/partition-rows.ts';
import { DuckDbSession } from '../../../src/sync/destinations/duckdb/session.ts';
import type { LedgerEntry } from '../../../src/sync/ledger.ts';
import { runs } from '../../support/runs.ts';

const DAY = '2026-03-10';

/** A number of some units, each 10^-scale, without needless zeros. */
function decimal(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - scale), digits.slice(digits.length - scale)];
  const bare = fraction.replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${bare === '' ? '' : `.${bare}`}`;
}

/** A type of decimals, and values of it in their smallest units. */
const column = fc
  .oneof(fc.constantFrom(4, 18, 26, 27, 38), fc.integer({ min: 1, max: 38 }))
  .chain(precision => fc.tuple(fc.constant(precision), fc.integer({ min: 0, max: precision })))
  .chain(([precision, scale]) => {
    const most = 10n ** BigInt(precision) - 1n;
    const units = fc.oneof(
      fc.constantFrom(0n, most, -most),
      fc.bigInt({ min: -most, max: most }),
      fc
        .integer({ min: 0, max: precision })
        .map(digits => (10n ** BigInt(digits) > most ? most : 10n ** BigInt(digits))),
    );
    return fc.record({
      pin: fc.constant({ kind: 'decimal' as const, precision, scale }),
      values: fc.array(fc.option(units), { minLength: 1, maxLength: 6 }),
    });
  });

test('the rows of a day differ from the ledger if and only if another sum is recorded', async () => {
  const session = await DuckDbSession.open(':memory:', 'memory', { config: { threads: '1' } });
  try {
    await fc.assert(
      fc.asyncProperty(column, fc.boolean(), async ({ pin, values }, isChanged) => {
        const needs = needsOfPin('revenue', pin);
        const cells = values.map(units => (units === null ? 'NULL' : `'${decimal(units, pin.scale)}'`));
        await session.run(
          `CREATE OR REPLACE TABLE main.pages (domain_id BIGINT, report_day DATE, revenue ${sqlType(needs)});
           INSERT INTO main.pages VALUES ${cells.map(cell => `(7, '${DAY}', ${cell})`).join(', ')}`,
        );
        const sum = values.reduce<bigint>((all, units) => all + (units ?? 0n), 0n);
        const recorded = decimal(sum + (isChanged ? 1n : 0n), pin.scale);
        const entry: LedgerEntry = {
          partition: '2026-03',
          from: '2026-03-01',
          to: '2026-03-13',
          query: 'q',
          schema: 1,
          rows: values.length,
          metrics: ['revenue'],
          sums: [recorded],
          days: { [DAY]: [values.length, recorded] },
          sha256: null,
          bytes: 0,
          fetchedAt: '2026-03-14T12:00:00.000Z',
          state: 'provisional',
          revisions: 0,
        };
        const key = { table: 'pages', domainId: 7, partition: '2026-03' };
        const schema = { version: 1, columns: [needs] };
        expect(await differenceInRows(session, key, schema, { entry, checksum: undefined })).toBe(
          isChanged
            ? `revenue on ${DAY}: ${decimal(sum, pin.scale)} here, ${recorded} in the ledger`
            : undefined,
        );
      }),
      { numRuns: runs(200) },
    );
  } finally {
    session.close();
  }
});
