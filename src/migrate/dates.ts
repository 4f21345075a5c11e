import { addDays, isDay } from '../apis/bda/days.ts';
import { isPresent, scalarText } from '../apis/bda/fields.ts';
import type { DateBase } from '../apis/bda/report-definition.ts';
import type { JsonRecord } from '../json/index.ts';
import type { Query } from '../wire/bda-v2.ts';
import type { MigrationNotes } from './migration-notes.ts';

/**
 * The range that v2 always wants: the request's dates, else the report's default range worked out from `today`
 * (`YYYY-MM-DD` in `timeZone`).
 */
export function migrateDates(
  request: JsonRecord,
  dateBase: DateBase | undefined,
  clock: { readonly today: string; readonly timeZone: string },
  findings: MigrationNotes,
): Query['date_range'] | undefined {
  const given = ['StartDate', 'EndDate'].filter(field => isPresent(request[field]));
  if (given.length === 0) return defaultRange(dateBase, clock, findings);
  const start = readDay(request, 'StartDate', findings);
  const end = readDay(request, 'EndDate', findings);
  if (start === undefined || end === undefined) return undefined;
  if (start > end) {
    findings.refuse('StartDate', `the range ends before it starts: ${start} is after ${end}`);
    return undefined;
  }
  findings.lossless('StartDate', `${start}, as date_range.start_date`);
  findings.lossless('EndDate', `${end}, as date_range.end_date`);
  return { start_date: start, end_date: end };
}

function readDay(request: JsonRecord, field: string, findings: MigrationNotes): string | undefined {
  const value = request[field];
  if (!isPresent(value)) {
    findings.refuse(field, 'one of the two dates is missing, and v2 wants both');
    return undefined;
  }
  const text = scalarText(value);
  if (text !== undefined && isDay(text)) return text;
  findings.refuse(field, 'a date is a day of the calendar, written YYYY-MM-DD');
  return undefined;
}

function defaultRange(
  dateBase: DateBase | undefined,
  { today, timeZone }: { readonly today: string; readonly timeZone: string },
  findings: MigrationNotes,
): Query['date_range'] | undefined {
  if (dateBase === undefined) {
    findings.refuse('StartDate', 'v2 always wants dates: add StartDate and EndDate');
    return undefined;
  }
  if (dateBase.id === 'BASE_LAST_7') {
    const range = { start_date: addDays(today, -7), end_date: addDays(today, -1) };
    const days = `${range.start_date} to ${range.end_date}`;
    const text = `v2 has no default ranges: BASE_LAST_7 is now the seven days that end yesterday (${timeZone}), ${days}; they stay fixed in the query, so work them out anew for each later run`;
    findings.changed(dateBase.field, text);
    return range;
  }
  const reason =
    dateBase.id === 'BASE_NOT_SELECTED'
      ? 'the report has no default range (BASE_NOT_SELECTED): add StartDate and EndDate to the request'
      : `the days of the default range ${dateBase.id} are not documented: add StartDate and EndDate to the request`;
  findings.refuse(dateBase.field, reason);
  return undefined;
}
