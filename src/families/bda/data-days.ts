import { isList, isRecord, type Json } from '../../json/index.ts';
import { type Day, type DayRange, isDay } from './dates.ts';

/**
 * From the first to the last day that an answer of undocumented shape tells, whatever the fields are called: of several ranges,
 * what all of them span. Undefined where there are not two.
 */
export function dataDays(answer: Json): DayRange | undefined {
  const days = daysIn(answer).sort();
  const [from, to] = [days[0], days.at(-1)];
  return days.length < 2 || from === undefined || to === undefined ? undefined : { from, to };
}

function daysIn(value: Json | undefined): Day[] {
  if (typeof value === 'string') {
    const day = value.slice(0, 10);
    return isDay(day) && !/^\d/.test(value.slice(10)) ? [day] : [];
  }
  if (isList(value)) return value.flatMap(daysIn);
  return isRecord(value) ? Object.values(value).flatMap(daysIn) : [];
}
