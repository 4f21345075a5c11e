import type { FieldProblem } from '../../errors/index.ts';
import { integerOf, isList, isRecord, type Json, type JsonRecord } from '../../json/index.ts';
import { QUERY_LIMIT_MAX } from '../../wire/bda-v2.ts';
import { isDay } from '../bda/days.ts';

/** The message for a missing field. */
export const REQUIRED = 'is required';

/** Validates a query before it is sent. The API may still reject a query without problems. */
export function problemsOf(query: JsonRecord): FieldProblem[] {
  return [
    ...dataSetProblems(query.data_set),
    ...dateProblems(query.date_range),
    ...listProblems(query),
    ...columnProblems(query),
    ...rangeProblems('limit', query.limit, 1, QUERY_LIMIT_MAX),
    ...rangeProblems('offset', query.offset, 0, Number.MAX_SAFE_INTEGER),
  ];
}

function dataSetProblems(value: Json | undefined): FieldProblem[] {
  if (typeof value === 'string' && value !== '') return [];
  return [{ field: 'data_set', message: value === undefined ? REQUIRED : 'must be the name of a data set' }];
}

function dateProblems(value: Json | undefined): FieldProblem[] {
  if (value === undefined || value === null) return [{ field: 'date_range', message: REQUIRED }];
  if (!isRecord(value)) return [{ field: 'date_range', message: 'must contain start_date and end_date' }];
  const problems = ['start_date', 'end_date'].flatMap(name => {
    const day = value[name];
    if (typeof day === 'string' && isDay(day)) return [];
    return [{ field: `date_range.${name}`, message: dayProblem(day) }];
  });
  if (problems.length > 0 || String(value.start_date) <= String(value.end_date)) return problems;
  return [
    { field: 'date_range', message: `starts on ${value.start_date}, after its end on ${value.end_date}` },
  ];
}

function dayProblem(value: Json | undefined): string {
  if (value === undefined) return REQUIRED;
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)) return `is not a valid day: ${value}`;
  return 'must be a day, YYYY-MM-DD';
}

function listProblems(query: JsonRecord): FieldProblem[] {
  return ['dimensions', 'metrics', 'filters', 'sort'].flatMap(field => {
    const value = query[field];
    return value === undefined || isList(value) ? [] : [{ field, message: 'must be a list' }];
  });
}

function columnProblems(query: JsonRecord): FieldProblem[] {
  const seen = new Set<Json>();
  return ['dimensions', 'metrics'].flatMap(field => {
    const list = query[field];
    if (!isList(list)) return [];
    return list.flatMap((name, index) => {
      const repeated = seen.has(name);
      seen.add(name);
      if (typeof name !== 'string')
        return [{ field: `${field}[${index}]`, message: 'must be a column name' }];
      return repeated ? [{ field: `${field}[${index}]`, message: `is a duplicate of '${name}'` }] : [];
    });
  });
}

function rangeProblems(field: string, value: Json | undefined, min: number, max: number): FieldProblem[] {
  if (value === undefined) return [];
  const number = integerOf(value);
  if (number !== undefined && number >= min && number <= max) return [];
  const allowed = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
  return [{ field, message: `must be an integer ${allowed}` }];
}
