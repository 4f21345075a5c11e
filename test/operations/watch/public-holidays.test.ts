import { expect, test } from 'vitest';
import { kindOfDay, publicHolidays } from '../../../src/operations/watch/public-holidays.ts';

const DAYS = { from: '2025-01-01', to: '2026-12-31' };

async function kindIn(place: string): Promise<ReturnType<typeof kindOfDay>> {
  const holidays = await publicHolidays(place, DAYS);
  return kindOfDay(() => false, holidays === undefined ? [] : [holidays]);
}

test('Good Friday differs from other Fridays where it is no holiday, too', async () => {
  expect((await kindIn('US-IL'))('2026-04-03')).toBe('beside');
  expect((await kindIn('US'))('2025-04-18')).toBe('beside');
  expect((await kindIn('DE'))('2026-04-03')).toBe('holiday');
});

test('two days on either side of a holiday are beside it, as are those between Christmas and New Year', async () => {
  const kindOf = await kindIn('US');
  const thanksgiving = ['11-23', '11-24', '11-25', '11-26', '11-27', '11-28', '11-29'];
  expect(thanksgiving.map(day => kindOf(`2026-${day}`))).toEqual([
    ...['plain', 'beside', 'beside', 'holiday', 'beside', 'beside', 'plain'],
  ]);
  for (let day = 26; day <= 31; day += 1) expect(kindOf(`2025-12-${day}`)).toBe('beside');
});

test('a place that is unknown has no holidays to compare with', async () => {
  expect(await publicHolidays('XX', DAYS)).toBeUndefined();
  expect(await publicHolidays('DE-XX', DAYS)).toBeUndefined();
});
