import type { DayKind } from '../../../analysis/metric-health.ts';
import { addDays, type Day, type DayRange, isDay } from '../../../apis/bda/days.ts';
import type { UsageError } from '../../../errors/index.ts';
import { invalidValue } from '../../../errors/usage.ts';
import { list, type Option } from '../../framework/define-command.ts';

/** The longest range of holidays: a longer one is likely a mistake. */
const MOST_DAYS = 60;
/** A leap year, so that 29 February exists. */
const ANY_YEAR = '2024';

/** `--holiday`: `2026-12-25`, `12-25` for every year, `2026-12-24..2026-12-26`, comma-separated or repeated. */
export const HOLIDAY_FLAG: Option<readonly string[]> = {
  ...list('--holiday <days>', 'days that are not comparable: 2026-04-06, 12-25 (every year), FROM..TO'),
  read(text) {
    holidaysIn([text]);
    return text;
  },
};

/** Whether a day is one of the holidays. Throws UsageError. */
function holidaysIn(texts: readonly string[]): (day: Day) => boolean {
  const days = new Set<Day>();
  const yearly = new Set<string>();
  for (const text of texts.flatMap(each => each.split(',')).map(each => each.trim())) {
    const [from = '', to = from, ...more] = text.split('..');
    if (/^\d\d-\d\d$/.test(text) && isDay(`${ANY_YEAR}-${text}`)) yearly.add(text);
    else if (isDay(from) && isDay(to) && more.length === 0 && from <= to && to <= addDays(from, MOST_DAYS))
      for (let day = from; day <= to; day = addDays(day, 1)) days.add(day);
    else
      throw invalidValue(
        `invalid --holiday '${text}'`,
        `pass a day such as 2026-04-06, 12-25 for every year, or a range of at most ${MOST_DAYS} days such as 2026-12-24..2027-01-01`,
      );
  }
  return day => days.has(day) || yearly.has(day.slice(5));
}

/** `--holidays`: `US`, `DE-BY`: a country, or a state or region of it. */
export const HOLIDAYS_FLAG: Option<readonly string[]> = {
  ...list('--holidays <places>', 'public holidays of a country, state or region: US, DE-BY'),
  read(text) {
    for (const place of text.split(',').map(each => each.trim()))
      if (!/^[a-z]{2}(?:-[a-z\d]+){0,2}$/i.test(place)) throw unknownPlace(place);
    return text;
  },
};

/** What each day is, by `--holiday` and `--holidays`. Throws UsageError. */
export async function dayKinds(
  { holiday, holidays }: { readonly holiday: readonly string[]; readonly holidays: readonly string[] },
  days: DayRange,
): Promise<(day: Day) => DayKind> {
  const { kindOfDay, publicHolidays } = await import('../../../operations/watch/public-holidays.ts');
  const places = holidays.flatMap(each => each.split(',')).map(each => each.trim());
  const known = await Promise.all(
    places.map(async place => {
      const found = await publicHolidays(place, days);
      if (found === undefined) throw unknownPlace(place);
      return found;
    }),
  );
  return kindOfDay(holidaysIn(holiday), known);
}

function unknownPlace(place: string): UsageError {
  return invalidValue(
    `invalid --holidays '${place}'`,
    'pass a country, such as US, or a state or region, such as DE-BY',
  );
}
