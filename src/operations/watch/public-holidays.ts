import type { DayKind } from '../../analysis/metric-health.ts';
import { addDays, type Day, type DayRange } from '../../apis/bda/days.ts';

const DAY_MS = 86_400_000;
/** Types of holidays on which shops and offices are closed; others are days on which much differs. */
const CLOSED: ReadonlySet<string> = new Set(['public', 'bank']);
/** A day between two holidays that are no more days apart is beside them: the days after Christmas. */
const BRIDGE_DAYS = 8;
/** Days before and after a holiday on which many are away. */
const NEAR_DAYS = 2;

/** The days of a country, state or region (`US`, `DE-BY`) that a calendar names. */
interface PublicHolidays {
  readonly holidays: ReadonlySet<Day>;
  /** Observances and half holidays, such as Christmas Eve. */
  readonly others: ReadonlySet<Day>;
}

/** Public holidays from the year before to the year after the days; undefined for a place that is unknown. */
export async function publicHolidays(place: string, days: DayRange): Promise<PublicHolidays | undefined> {
  const { default: Holidays } = await import('date-holidays');
  const [country = '', state, region] = place.toUpperCase().split('-');
  const calendar = new Holidays();
  const isKnown =
    country in calendar.getCountries('en') &&
    (state === undefined || state in (calendar.getStates(country, 'en') ?? {})) &&
    (region === undefined || region in (calendar.getRegions(country, state ?? '', 'en') ?? {}));
  if (!isKnown) return undefined;
  calendar.init(country, state ?? '', region ?? '');
  const found = { holidays: new Set<Day>(), others: new Set<Day>() };
  const [first, last] = [Number(days.from.slice(0, 4)) - 1, Number(days.to.slice(0, 4)) + 1];
  for (let year = first; year <= last; year += 1)
    for (const { date, start, end, type, rule } of calendar.getHolidays(year)) {
      // Good Friday differs from other Fridays even where it is no holiday.
      if (rule === 'easter') found.others.add(addDays(date.slice(0, 10), -2));
      const length = Math.max(1, Math.round((end.getTime() - start.getTime()) / DAY_MS));
      for (let at = 0; at < length; at += 1)
        (CLOSED.has(type) ? found.holidays : found.others).add(addDays(date.slice(0, 10), at));
    }
  return found;
}

/** What a day is, by the holidays that were named one by one and those of places. */
export function kindOfDay(
  isNamed: (day: Day) => boolean,
  places: readonly PublicHolidays[],
): (day: Day) => DayKind {
  const isHoliday = (day: Day) => isNamed(day) || places.some(({ holidays }) => holidays.has(day));
  return day => {
    if (isHoliday(day)) return 'holiday';
    if (places.some(({ others }) => others.has(day))) return 'beside';
    for (let away = 1; away <= NEAR_DAYS; away += 1)
      if (isHoliday(addDays(day, -away)) || isHoliday(addDays(day, away))) return 'beside';
    for (let back = 2; back < BRIDGE_DAYS; back += 1)
      if (isHoliday(addDays(day, -back)))
        for (let ahead = 2; ahead + back <= BRIDGE_DAYS; ahead += 1)
          if (isHoliday(addDays(day, ahead))) return 'beside';
    return 'plain';
  };
}
