import { addDays, type Day, weekday } from '../../src/apis/bda/days.ts';

/** The public holidays of the United States in a year, with the days around them that many people take off. */
function holidaysOf(year: number): Day[] {
  const around = (day: Day, before: number, after: number) =>
    Array.from({ length: before + after + 1 }, (_, at) => addDays(day, at - before));
  const monday = (month: string, count: number): Day => nth(`${year}-${month}-01`, 0, count);
  return [
    ...around(`${year}-01-01`, 1, 2),
    monday('01', 3),
    monday('02', 3),
    ...around(addDays(nth(`${year}-06-01`, 0, 1), -7), 2, 0),
    ...around(`${year}-07-04`, 1, 1),
    ...around(monday('09', 1), 2, 0),
    monday('10', 2),
    ...around(`${year}-11-11`, 1, 1),
    ...around(nth(`${year}-11-01`, 3, 4), 1, 3),
    ...around(`${year}-12-25`, 2, 6),
  ];
}

function nth(first: Day, day: number, count: number): Day {
  return addDays(first, ((day - weekday(first) + 7) % 7) + 7 * (count - 1));
}

/** Whether no day of a range is a holiday or next to one. */
export function isWithoutHolidays(from: Day, to: Day): boolean {
  const years = new Set([Number(from.slice(0, 4)), Number(to.slice(0, 4))]);
  return ![...years].flatMap(holidaysOf).some(day => day >= from && day <= to);
}
