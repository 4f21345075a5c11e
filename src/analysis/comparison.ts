import { type Day, type DayRange, dayCount } from '../apis/bda/days.ts';
import { fieldOf, type Json, type JsonRecord, jsonNumber, stringifyJson, textOf } from '../json/index.ts';
import { type Roles, rowNumber } from './column-roles.ts';
import {
  beforeColumn,
  type Calendar,
  changeColumn,
  FOUND_COLUMN,
  IN_BOTH,
  percentColumn,
} from './compared-days.ts';
import { isCovered } from './data-days.ts';
import { periodChange } from './period-change.ts';
import { GRAINS, type Grain, grainOf, grainOfName, periodDays, startOf } from './periods.ts';

/**
 * Where a row was found. A row of days without data cannot be compared, wherever it was found, and one of unequal periods is compared per
 * day.
 */
const FOUND = {
  both: IN_BOTH,
  perDay: 'per day',
  now: 'now only',
  before: 'before only',
  incomparable: 'not comparable',
} as const;

/** How a figure of a compared row changed where that does not follow from its two values alone. */
export function unlikeChange(
  row: JsonRecord,
  figure: string,
): { readonly isComparable: false } | { readonly perDay: string } | undefined {
  const found = fieldOf(row, FOUND_COLUMN);
  if (found === FOUND.incomparable) return { isComparable: false };
  if (found !== FOUND.perDay || fieldOf(row, changeColumn(figure)) !== null) return undefined;
  const percent = textOf(fieldOf(row, percentColumn(figure)));
  return percent === '' ? { isComparable: false } : { perDay: percent };
}

/**
 * The dimensions that hold the time of the count. Documented ones are known by name; any other column of times
 * is one if all its times are within the requested days: the publication day of a page does not change between periods.
 */
export function timesOf(
  now: readonly JsonRecord[],
  { dimensions }: Roles,
  days: DayRange,
): ReadonlyMap<string, Grain> {
  return new Map(
    dimensions.flatMap(column => {
      const labels = new Set(now.map(row => textOf(fieldOf(row, column))));
      // Rows without a time do not disqualify a column.
      labels.delete('');
      const named = grainOfName(column);
      const grain = labels.size === 0 ? named : grainOf(column, labels);
      const isTime = grain !== undefined && (named !== undefined || areWithin(labels, grain, days));
      return isTime ? [[column, grain] as const] : [];
    }),
  );
}

function areWithin(labels: ReadonlySet<string>, grain: Grain, { from, to }: DayRange): boolean {
  return [...labels].every(label => {
    const start = startOf(label);
    return start !== undefined && start <= to && periodDays(start, grain).to >= from;
  });
}

/**
 * Joins the rows of two periods: rows with the same dimensions, and times at the same position, become one row with both figures
 * and their change. Rows of only one period stay and are marked.
 */
export class Comparison {
  readonly roles: Roles;
  readonly #calendar: Calendar;
  readonly #grains: ReadonlyMap<string, Grain>;
  readonly #now: readonly JsonRecord[];
  /** The dimensions that make rows belong together: a day has its place whichever month it is in. */
  readonly #keys: readonly string[];
  /** The dimension of the shortest times. */
  readonly #finest: readonly [column: string, grain: Grain] | undefined;
  readonly #nowKeys = new Set<string>();
  /** Rows with equal dimensions are joined in their order. */
  readonly #before = new Map<string, JsonRecord[]>();

  /** `now`: the rows of the requested days. `times`: the time dimensions, see timesOf. */
  constructor(
    now: readonly JsonRecord[],
    roles: Roles,
    times: ReadonlyMap<string, Grain>,
    calendar: Calendar,
  ) {
    this.roles = roles;
    this.#calendar = calendar;
    this.#now = now;
    this.#grains = times;
    const finest = GRAINS.find(grain => [...times.values()].includes(grain));
    this.#finest = [...times].find(([, grain]) => grain === finest);
    this.#keys = roles.dimensions.filter(name => [undefined, finest].includes(times.get(name)));
    for (const row of now) this.#nowKeys.add(this.#key(row, 'now'));
  }

  /** Whether an earlier row matches a row of the requested period. */
  hasMatch(before: JsonRecord): boolean {
    return this.#nowKeys.has(this.#key(before, 'before'));
  }

  addEarlier(row: JsonRecord): void {
    const key = this.#key(row, 'before');
    const alike = this.#before.get(key);
    if (alike === undefined) this.#before.set(key, [row]);
    else alike.push(row);
  }

  /** The dimension of days; undefined without one. */
  get dayColumn(): string | undefined {
    return this.#finest?.[1] === 'day' ? this.#finest[0] : undefined;
  }

  get rowsOfNow(): readonly JsonRecord[] {
    return this.#now;
  }

  /** The rows of the days before that were added. */
  get earlierRows(): readonly JsonRecord[] {
    return [...this.#before.values()].flat();
  }

  /** All columns, in order: dimensions, figures with what belongs to them, and where the row was found. */
  get columns(): readonly string[] {
    return [
      ...this.roles.dimensions.flatMap(name =>
        this.#grains.has(name) ? [name, beforeColumn(name)] : [name],
      ),
      ...this.figures,
      FOUND_COLUMN,
    ];
  }

  /** The numeric columns. */
  get figures(): readonly string[] {
    return this.roles.figures.flatMap(name => [
      name,
      beforeColumn(name),
      changeColumn(name),
      percentColumn(name),
    ]);
  }

  /**
   * The rows of now in their order, then those of the days before that have no partner; in the order of time where the rows of now are, and
   * have no other dimension. Rows that count days outside of `data`, where that is known, or days that are `missing` are marked as not
   * comparable and have no change.
   */
  rows(data?: DayRange, missing: readonly Day[] = []): JsonRecord[] {
    const hasAll = (days: DayRange) =>
      (data === undefined || isCovered(days, data)) &&
      !missing.some(day => days.from <= day && day <= days.to);
    const taken = new Map<string, number>();
    const rows = this.#now.map(row => {
      const key = this.#key(row, 'now');
      const place = taken.get(key) ?? 0;
      taken.set(key, place + 1);
      return this.#joined(row, this.#before.get(key)?.[place], hasAll);
    });
    for (const [key, before] of this.#before)
      for (const row of before.slice(taken.get(key) ?? 0)) rows.push(this.#joined(undefined, row, hasAll));
    return rows.length > this.#now.length ? this.#inTime(rows) : rows;
  }

  #inTime(rows: JsonRecord[]): JsonRecord[] {
    const [column, ...others] = this.roles.dimensions;
    if (column === undefined || others.length > 0 || column !== this.#finest?.[0]) return rows;
    const timeOf = (row: JsonRecord) => textOf(fieldOf(row, column));
    const times = this.#now.map(timeOf);
    const isSorted = times.every((time, at) => at === 0 || (times[at - 1] ?? '') <= time);
    if (!isSorted) return rows;
    // A day that only one year has is last.
    const [timed, undated] = [rows.filter(row => timeOf(row) !== ''), rows.filter(row => timeOf(row) === '')];
    return [...timed.sort((one, other) => (timeOf(one) < timeOf(other) ? -1 : 1)), ...undated];
  }

  #joined(
    now: JsonRecord | undefined,
    before: JsonRecord | undefined,
    hasAll: (days: DayRange) => boolean,
  ): JsonRecord {
    const place = now === undefined ? FOUND.before : before === undefined ? FOUND.now : FOUND.both;
    const counted = this.#daysOf(now, before);
    const isCounted = counted.every(hasAll);
    const [own, other = own] = counted;
    const days = { now: lengthOf(own), before: lengthOf(other) };
    const figures = this.roles.figures.map(name =>
      comparedFigure(name, now, before, isCounted ? days : undefined),
    );
    return {
      ...Object.fromEntries(this.roles.dimensions.flatMap(name => this.#dimension(name, now, before))),
      ...Object.fromEntries(figures.flatMap(({ fields }) => fields)),
      [FOUND_COLUMN]: isCounted ? foundOf(place, days, figures) : FOUND.incomparable,
    };
  }

  /** The days that a row counts, of either side: those of its finest time, or all. */
  #daysOf(now: JsonRecord | undefined, before: JsonRecord | undefined): DayRange[] {
    const ranges = this.#calendar;
    const all = [ranges.now, ranges.before];
    const [column, grain] = this.#finest ?? [];
    if (column === undefined || grain === undefined) return all;
    const startIn = (row: JsonRecord | undefined) => row && startOf(textOf(fieldOf(row, column)));
    const [nowStart, beforeStart] = [startIn(now), startIn(before)];
    const own = nowStart ?? (beforeStart && ranges.counterpart(beforeStart, grain));
    const other = beforeStart ?? (nowStart && ranges.earlier(nowStart, grain));
    if (own === undefined && other === undefined) return all;
    return [
      ...(own === undefined ? [] : [within(own, grain, ranges.now)]),
      ...(other === undefined ? [] : [within(other, grain, ranges.before)]),
    ];
  }

  #dimension(name: string, now: JsonRecord | undefined, before: JsonRecord | undefined): [string, Json][] {
    const grain = this.#grains.get(name);
    const own = now && (fieldOf(now, name) ?? null);
    const other = before && (fieldOf(before, name) ?? null);
    if (grain === undefined) return [[name, own ?? other ?? null]];
    return [
      [name, own ?? this.#counterpart(other, grain)],
      [beforeColumn(name), other ?? null],
    ];
  }

  /** The time in the requested period that an earlier time is compared with, in the same format. */
  #counterpart(before: Json | undefined, grain: Grain): Json {
    const label = textOf(before);
    const start = startOf(label);
    const found = start === undefined ? undefined : this.#calendar.counterpart(start, grain);
    return found === undefined ? null : found.slice(0, label.length) + hourOf(label);
  }

  /** The same for rows that belong together. */
  #key(row: JsonRecord, side: 'now' | 'before'): string {
    const parts = this.#keys.map(name => {
      const value = fieldOf(row, name) ?? null;
      const grain = this.#grains.get(name);
      const start = grain === undefined ? undefined : startOf(textOf(value));
      if (grain === undefined || start === undefined) return value;
      const place =
        side === 'now' ? this.#calendar.position(start, grain) : this.#calendar.positionBefore(start, grain);
      return place + hourOf(textOf(value));
    });
    return stringifyJson(parts);
  }
}

/** The days of a period that lie in a range. */
function within(start: Day, grain: Grain, range: DayRange): DayRange {
  const days = periodDays(start, grain);
  return {
    from: days.from > range.from ? days.from : range.from,
    to: days.to < range.to ? days.to : range.to,
  };
}

/** The part of a label after its day. */
function hourOf(label: string): string {
  return label.slice('YYYY-MM-DD'.length);
}

/** Unequal periods are compared per day, or not at all. */
function foundOf(
  place: string,
  days: { readonly now: number; readonly before: number },
  figures: readonly Pick<ComparedFigure, 'isComparable' | 'isPerDay'>[],
): string {
  if (place !== FOUND.both || days.now === days.before) return place;
  if (figures.some(({ isPerDay }) => isPerDay)) return FOUND.perDay;
  return figures.some(({ isComparable }) => isComparable) ? place : FOUND.incomparable;
}

interface ComparedFigure {
  readonly fields: readonly [column: string, value: Json][];
  readonly isComparable: boolean;
  readonly isPerDay: boolean;
}

function lengthOf(days: DayRange | undefined): number {
  return days === undefined ? 0 : dayCount(days);
}

/** A figure with that before and its change; `days`: how many it counts, undefined where it cannot be compared. */
function comparedFigure(
  name: string,
  now: JsonRecord | undefined,
  before: JsonRecord | undefined,
  days: { readonly now: number; readonly before: number } | undefined,
): ComparedFigure {
  const own = (now && fieldOf(now, name)) ?? null;
  const other = (before && fieldOf(before, name)) ?? null;
  const [from, to] = [rowNumber(other), rowNumber(own)];
  const change =
    days && from !== undefined && to !== undefined
      ? periodChange(name, { before: from, now: to }, days)
      : undefined;
  const numberOrNull = (digits: string | undefined) => (digits === undefined ? null : jsonNumber(digits));
  return {
    fields: [
      [name, own],
      [beforeColumn(name), other],
      [changeColumn(name), numberOrNull(change?.absolute)],
      [percentColumn(name), numberOrNull(change?.relative)],
    ],
    isComparable: change !== undefined,
    isPerDay: change?.perDay !== undefined,
  };
}
