import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LedgerFile } from '../../src/sync/destinations/lake/ledger-file.ts';
import type { LedgerEntry } from '../../src/sync/ledger.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runs } from '../support/runs.ts';

function entry(month: number, rows: number): LedgerEntry {
  const partition = `2026-${String(month).padStart(2, '0')}`;
  return {
    partition,
    from: `${partition}-01`,
    to: `${partition}-28`,
    query: 'q',
    schema: 1,
    rows,
    metrics: ['visits'],
    sums: [String(rows)],
    days: {},
    sha256: String(rows),
    bytes: rows,
    fetchedAt: '2026-03-14T12:00:00.000Z',
    state: 'final',
    revisions: 0,
  };
}

test('a ledger that is long, or was cut off, loses no line when several units of a site are written at once', async () => {
  const change = fc.record({
    month: fc.integer({ min: 1, max: 6 }),
    rows: fc.nat({ max: 99 }),
    turns: fc.nat({ max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 30 }),
      fc.boolean(),
      fc.uniqueArray(change, { minLength: 2, maxLength: 6, selector: ({ month }) => month }),
      async (before, isTorn, units) => {
        const path = join(temporaryFolder(), 'ledger.ndjson');
        const lines = before.map(({ month, rows }) => `${JSON.stringify(entry(month, rows))}\n`);
        writeFileSync(path, lines.join(''));
        if (isTorn) appendFileSync(path, '{"partition":"2026-0');
        const ledger = await LedgerFile.open(path);
        const expected = new Map(ledger.entries);
        await Promise.all(
          units.map(async ({ month, rows, turns }) => {
            for (let turn = 0; turn < turns; turn++) await setImmediate();
            const written = entry(month, rows);
            await ledger.beginReplacing(written);
            await ledger.set(written);
            expected.set(written.partition, written);
          }),
        );
        const { entries } = await LedgerFile.open(path);
        expect(Object.fromEntries(entries)).toEqual(Object.fromEntries(expected));
        expect(Object.fromEntries(ledger.entries)).toEqual(Object.fromEntries(expected));
      },
    ),
    { numRuns: runs(40) },
  );
});
