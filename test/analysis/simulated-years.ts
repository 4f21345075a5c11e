import type { DayFigure } from '../../src/analysis/metric-health.ts';
import { addDays, type Day } from '../../src/apis/bda/days.ts';

/** A metric of a made-up site, day by day. */
export interface SimulatedSite {
  readonly figures: Map<Day, DayFigure>;
  readonly holidays: ReadonlySet<Day>;
  readonly days: readonly Day[];
}

/** Numbers in [0, 1), the same ones for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Fixed dates, and one that moves like Easter. */
const HOLIDAYS = ['01-01', '05-01', '10-03', '12-24', '12-25', '12-26', '12-31'];

/**
 * Days of a site without an incident: a level, a trend of -10 to 25 % a year, a season of up to 15 %, weekdays with half to all of the
 * readers, news that keeps readers for some days, noise, and holidays.
 */
export function simulatedSite(
  seed: number,
  { years, noise }: { years: number; noise: number },
): SimulatedSite {
  const random = seeded(seed);
  const level = 10 ** (3.3 + 3 * random());
  const trend = 0.35 * random() - 0.1;
  const season = 0.15 * random();
  const phase = random();
  const weekend = 0.5 + 0.5 * random();
  const weekdays = Array.from({ length: 7 }, (_, day) => (day >= 5 ? weekend : 0.9 + 0.2 * random()));
  const figures = new Map<Day, DayFigure>();
  const holidays = new Set<Day>();
  const days: Day[] = [];
  let news = 0;
  for (let at = 0; at < 365.25 * years; at += 1) {
    const day = addDays('2014-01-06', at);
    days.push(day);
    const year = at / 365.25;
    const easter = Math.floor(90 + 20 * Math.sin(Math.floor(year) * 2.4)) === Math.floor(365.25 * (year % 1));
    const isHoliday = easter || HOLIDAYS.includes(day.slice(5));
    if (isHoliday) holidays.add(day);
    news = 0.4 * news + 0.4 * noise * normal(random);
    const factor =
      (1 + trend) ** year *
      (1 + season * Math.sin(2 * Math.PI * (year + phase))) *
      (weekdays[at % 7] ?? 1) *
      Math.exp(news + noise * normal(random)) *
      (isHoliday ? 0.4 + 0.4 * random() : 1);
    const value = Math.max(0, Math.round(level * factor + Math.sqrt(level * factor) * normal(random)));
    figures.set(day, { value, volume: value });
  }
  return { figures, holidays, days };
}
