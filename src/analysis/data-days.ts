import { type Day, type DayRange, dayCount, isDay } from '../apis/bda/days.ts';
import { isList, isRecord, type Json } from '../json/index.ts';
import { type Sentence, sentence } from '../output/sentence.ts';

/**
 * The first and the last day in any field of a response of undocumented shape. If parts of it name the data set,
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

/** The part of some days that has data; undefined where none has. */
export function daysWithData(days: DayRange, data: DayRange): DayRange | undefined {
  const from = days.from > data.from ? days.from : data.from;
  const to = days.to < data.to ? days.to : data.to;
  return from <= to ? { from, to } : undefined;
}

/** Whether there is data for each of the days. */
export function isCovered(days: DayRange, data: DayRange): boolean {
  return days.from >= data.from && days.to <= data.to;
}

/** Which of the days have data, as a sentence; undefined where all have. */
export function missingText(days: DayRange, data: DayRange): Sentence | undefined {
  if (isCovered(days, data)) return undefined;
  const there = daysWithData(days, data);
  if (there === undefined) return sentence`there is no data for ${days} (data: ${data})`;
  return sentence`there is data for ${dayCount(there)} of the ${dayCount(days)} days from ${days} only (${there})`;
}
