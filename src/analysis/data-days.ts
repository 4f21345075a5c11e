import { type Day, type DayRange, isDay } from '../apis/bda/days.ts';
import { isList, isRecord, type Json } from '../json/index.ts';

/**
 * The first and the last day in a response of undocumented shape, whatever its fields are called. If parts of it name the data set,
 * only those count; otherwise the range spans all of it. Undefined where there are not two days.
 */
export function dataDays(response: Json, dataSet?: string): DayRange | undefined {
  const own = dataSet === undefined ? [] : partsOf(response, dataSet);
  return spanOf(own) ?? spanOf(response);
}

function spanOf(value: Json): DayRange | undefined {
  const days = daysIn(value).sort();
  const [from, to] = [days[0], days.at(-1)];
  return days.length < 2 || from === undefined || to === undefined ? undefined : { from, to };
}

/** The values below a field named like the data set, and the records that name it in a field. */
function partsOf(value: Json | undefined, dataSet: string): Json[] {
  if (isList(value)) return value.flatMap(item => partsOf(item, dataSet));
  if (!isRecord(value)) return [];
  if (Object.values(value).includes(dataSet)) return [value];
  return Object.entries(value).flatMap(([name, field]) =>
    name === dataSet && field !== undefined ? [field] : partsOf(field, dataSet),
  );
}

function daysIn(value: Json | undefined): Day[] {
  if (typeof value === 'string') {
    const day = value.slice(0, 10);
    return isDay(day) && !/^\d/.test(value.slice(10)) ? [day] : [];
  }
  if (isList(value)) return value.flatMap(daysIn);
  return isRecord(value) ? Object.values(value).flatMap(daysIn) : [];
}
