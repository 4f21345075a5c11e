import { addDays, isDay } from '../apis/bda/days.ts';
import { isPresent, scalarText } from '../apis/bda/fields.ts';
import type { DateBase } from '../apis/bda/report-definition.ts';
import type { JsonRecord } from '../json/index.ts';
import type { Query } from '../wire/bda-v2.ts';
import type { MigrationNotes } from './migration-notes.ts';

/**
 * The date range, which v2 always requires: the dates of the request, else the default range of the report, counted from
 * `today` (`YYYY-MM-DD` in `timeZone`).
 */
export function migrateDates(
  request: JsonRecord,
  dateBase: DateBase | undefined,
  clock: { readonly today: string; readonly timeZone: string },
  notes: MigrationNotes,
): Query['date_range'] | undefined {
  const given = ['StartDate', 'EndDate'].filter(field => isPresent(request[field]));
  if (given.length === 0) return defaultRange(dateBase, clock, notes);
  const start = readDay(request, 'StartDate', notes);
  const end = readDay(request, 'EndDate', notes);
  if (start === undefined || end === undefined) return undefined;
  if (start > end) {
    notes.block('StartDate', `the range ends before it starts: ${start} is after ${end}`);
    return undefined;
  }
  notes.lossless('StartDate', `${start}, as date_range.start_date`);
  notes.lossless('EndDate', `${end}, as date_range.end_date`);
  return { start_date: start, end_date: end };
}

function readDay(request: JsonRecord, field: string, notes: MigrationNotes): string | undefined {
  const value = request[field];
  if (!isPresent(value)) {
    notes.block(field, 'v2 requires both dates, and one is missing');
    return undefined;
  }
  const text = scalarText(value);
  if (text !== undefined && isDay(text)) return text;
  notes.block(field, 'a date must be a valid day, YYYY-MM-DD');
  return undefined;
}

function defaultRange(
  dateBase: DateBase | undefined,
  { today, timeZone }: { readonly today: string; readonly timeZone: string },
  notes: MigrationNotes,
): Query['date_range'] | undefined {
  if (dateBase === undefined) {
    notes.block('StartDate', 'v2 always requires dates: add StartDate and EndDate');
    return undefined;
  }
  if (dateBase.id === 'BASE_LAST_7') {
    const range = { start_date: addDays(today, -7), end_date: addDays(today, -1) };
    const days = `${range.start_date} to ${range.end_date}`;
    const text = `v2 has no default ranges: BASE_LAST_7 becomes the seven days up to yesterday (${timeZone}), ${days}; they are fixed in the query, so update them for each later run`;
    notes.changed(dateBase.field, text);
    return range;
  }
  const reason =
    dateBase.id === 'BASE_NOT_SELECTED'
      ? 'the report has no default range (BASE_NOT_SELECTED): add StartDate and EndDate to the request'
      : `the default range ${dateBase.id} is not documented: add StartDate and EndDate to the request`;
  notes.block(dateBase.field, reason);
  return undefined;
}
