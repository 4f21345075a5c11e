import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { missingText } from '../../src/analysis/data-days.ts';
import { partText, unfinishedText } from '../../src/analysis/periods.ts';
import { addDays, dayCount } from '../../src/apis/bda/days.ts';
import { dateText, localeOf } from '../../src/output/presentation/index.ts';
import { counted, joined, oneDay, type Sentence, sentence, sentenceText } from '../../src/output/sentence.ts';

const GERMAN = { locale: localeOf('de-DE') };
const ISO = /\d{4}-\d\d-\d\d/;

const someDay = fc.integer({ min: -20_000, max: 20_000 }).map(days => addDays('2026-03-14', days));
const someDays = fc
  .tuple(someDay, fc.integer({ min: 0, max: 400 }))
  .map(([from, more]) => ({ from, to: addDays(from, more) }));
const textOf = (written: Sentence | undefined) => written && sentenceText(written);

/** The days of a range, one by one. */
const daysOf = (days: { from: string; to: string }) =>
  Array.from({ length: dayCount(days) }, (_, at) => addDays(days.from, at));

test('a sentence is written for its reader: in English, in the order and digits of a locale, and for programs', () => {
  const written = sentence`${counted(1200, 'row')} of ${{ from: '2026-03-07', to: '2026-03-13' }}, not ${oneDay('2026-03-14')}`;
  expect(sentenceText(written, {})).toBe('1,200 rows of 7 to 13 March 2026, not 14 March 2026');
  expect(sentenceText(written, GERMAN)).toBe('1.200 rows of 07.03.2026 to 13.03.2026, not 14.03.2026');
  expect(sentenceText(written)).toBe('1,200 rows of 2026-03-07 to 2026-03-13, not 2026-03-14');
  expect(joined([])).toBeUndefined();
  expect(sentenceText(joined([written, 'and more']) ?? '')).toMatch(/2026-03-14; and more$/);
});

describe('days that have not ended', () => {
  test('are exactly those from the first open day on, whatever the days are', () => {
    fc.assert(
      fc.property(someDays, someDay, fc.boolean(), (days, from, isInUtc) => {
        const text = textOf(unfinishedText(days, { from, isInUtc }));
        const open = daysOf(days).filter(day => day >= from);
        const named = [...(text?.matchAll(new RegExp(ISO, 'g')) ?? [])].map(String);
        if (open.length === 0) {
          expect(text).toBeUndefined();
          return;
        }
        // Each end once, and a single day once.
        expect(named).toEqual([...new Set([open[0], open.at(-1)])]);
        const isFuture = days.from > addDays(from, isInUtc ? 1 : 0);
        const isOne = open.length === 1;
        if (isFuture) expect(text).toContain(isOne ? ' is in the future' : ' are in the future');
        else expect(text).toContain(isOne ? ' has not ended yet' : ' have not ended yet');
        expect(text?.endsWith(' in UTC')).toBe(isInUtc && !isFuture);
      }),
    );
  });
});

describe('a period', () => {
  test('is partial exactly where a day of it is not requested, has no data or has not ended, and says how many are complete', () => {
    fc.assert(
      fc.property(someDays, someDays, someDay, (period, available, from) => {
        const known = new Set(daysOf(available));
        const complete = daysOf(period).filter(day => known.has(day) && day < from);
        const text = partText(period, available, { from, isInUtc: false });
        // A single day is marked for not having ended only: one without data has no row.
        if (dayCount(period) === 1) expect(text).toBe(period.to >= from ? 'not ended' : undefined);
        else if (complete.length === dayCount(period)) expect(text).toBeUndefined();
        else expect(text).toMatch(new RegExp(`^${complete.length} of ${dayCount(period)} days`));
      }),
    );
  });
});

describe('days without data', () => {
  test('are counted as the days are, and named only where one has none', () => {
    fc.assert(
      fc.property(someDays, someDays, (days, data) => {
        const text = textOf(missingText(days, data));
        const known = new Set(daysOf(data));
        const there = daysOf(days).filter(day => known.has(day));
        if (there.length === dayCount(days)) expect(text).toBeUndefined();
        if (there.length === 0) expect(text).toMatch(/^there is no data for /);
        if (there.length === 0 || text === undefined) return;
        expect(text).toContain(`data for ${there.length} of the ${dayCount(days)} days from `);
        const last = there.length === 1 ? there[0] : `${there[0]} to ${there.at(-1)}`;
        expect(text?.endsWith(` only (${last})`)).toBe(true);
      }),
    );
  });
});

test('no sentence for people has a day as programs write it, and each day is in it', () => {
  fc.assert(
    fc.property(someDays, someDays, someDay, (days, data, from) => {
      for (const written of [missingText(days, data), unfinishedText(days, { from, isInUtc: false })]) {
        if (written === undefined) continue;
        expect(sentenceText(written, {})).not.toMatch(ISO);
        const german = sentenceText(written, GERMAN);
        expect(german).not.toMatch(ISO);
        for (const [day] of sentenceText(written).matchAll(new RegExp(ISO, 'g')))
          expect(german).toContain(dateText(day, GERMAN));
      }
    }),
  );
});
