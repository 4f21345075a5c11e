import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { summaryOf } from '../../../../src/commands/bda/migrate-query/verify.ts';
import { compareRows } from '../../../../src/migrate/index.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { fileWith, migrateQuery, REQUEST } from './requests.ts';

const outcome = fc.constantFrom('parity' as const, 'different' as const, 'unverified' as const);
const verification = fc.record({ outcome, rows: fc.nat(3) }).map(({ outcome, rows }) => {
  const all = Array.from({ length: rows }, (_, at) => ({ country: String(at), visits: at }));
  const options = { dimensions: ['country'], metrics: ['visits'] };
  return { outcome, rows, comparison: compareRows(all, all, options) };
});

test('a verdict counts the queries that differ, and no query that was not compared', () => {
  fc.assert(
    fc.property(fc.array(verification, { minLength: 1, maxLength: 6 }), all => {
      const text = summaryOf(all);
      const stated = (what: string) => {
        if (!text.includes(what)) return 0;
        if (all.length === 1) return 1;
        const [, count, total] = new RegExp(`${what} in (\\d+) of (\\d+) queries(?:;|$)`).exec(text) ?? [];
        expect(total).toBe(String(all.length));
        return Number(count);
      };
      const unverified = all.filter(one => one.outcome === 'unverified');
      expect(stated('v1 and v2 differ')).toBe(all.filter(one => one.outcome === 'different').length);
      expect(stated('nothing to compare between v1 and v2')).toBe(
        unverified.filter(({ rows }) => rows === 0).length,
      );
      expect(stated('the rows are not complete, so it is unknown whether v1 and v2 agree')).toBe(
        unverified.filter(({ rows }) => rows > 0).length,
      );
    }),
  );
});

test.each([
  [['--verify'], true],
  [[], false],
])(
  'the notes of a conversion with %j tell whether lossless fields were verified',
  async (flags, verified) => {
    const path = join(temporaryFolder(), 'notes.json');
    const { code } = await migrateQuery([fileWith(REQUEST), '--sandbox', '-q', '--notes', path, ...flags]);
    expect(code).toBe(0);
    const { notes } = JSON.parse(readFileSync(path, 'utf8')) as {
      notes: { kind: string; verified?: boolean }[];
    };
    const lossless = notes.filter(({ kind }) => kind === 'lossless');
    expect(lossless.length).toBeGreaterThan(0);
    expect(new Set(lossless.map(note => note.verified))).toEqual(new Set([verified]));
  },
);
