import { expect, test } from 'vitest';
import { haveSameWeekdays } from '../../src/analysis/compared-days.ts';

const march = { from: '2026-03-07', to: '2026-03-13' };

test('complete weeks have the same days of the week, whichever day they begin on, unless days are compared one by one', () => {
  const yearBefore = { from: '2025-03-07', to: '2025-03-13' };
  expect(haveSameWeekdays(march, yearBefore, false)).toBe(true);
  expect(haveSameWeekdays(march, yearBefore, true)).toBe(false);
  expect(haveSameWeekdays(march, { from: '2026-02-28', to: '2026-03-06' }, true)).toBe(true);
  const quarter = { from: '2025-12-06', to: '2026-03-06' };
  expect(haveSameWeekdays(march, quarter, false)).toBe(true);
  expect(haveSameWeekdays(march, quarter, true)).toBe(false);
});

test('a February and a January have others, and three days the three before', () => {
  const months = [
    { from: '2026-02-01', to: '2026-02-28' },
    { from: '2026-01-01', to: '2026-01-31' },
  ] as const;
  expect(haveSameWeekdays(...months, false)).toBe(false);
  const days = [
    { from: '2026-03-11', to: '2026-03-13' },
    { from: '2026-03-08', to: '2026-03-10' },
  ] as const;
  expect(haveSameWeekdays(...days, false)).toBe(false);
});
