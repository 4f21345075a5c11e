import { type Grain, partText, periodDays, periodStart, startOf } from '../../analysis/periods.ts';
import type { Day, DayRange } from '../../apis/bda/days.ts';
import { fieldOf, isRecord, type Json, textOf } from '../../json/index.ts';
import { oneDay, type Sentence, sentence } from '../../output/sentence.ts';
import type { RowWork } from './row-progress.ts';

/** A column of times, and the days that they may be of. */
export interface TimeColumn {
  readonly column: string;
  readonly grain: Grain;
  readonly days: DayRange;
}

/** A day without a time: which hours of it have ended is not known. */
const DAY_LENGTH = 10;

/**
 * Notes partial weeks and months: those at the ends of the days. Where the rows are known, only periods that have one are noted; a column
 * that is in none of them is not known by its name.
 */
export async function notePartialPeriods(
  columns: readonly TimeColumn[],
  rows: readonly Json[] | undefined,
  work: Pick<RowWork, 'openDays' | 'report'>,
): Promise<void> {
  const open = await work.openDays();
  for (const { column, grain, days } of columns) {
    const labels = rows?.flatMap(row => (isRecord(row) ? textOf(fieldOf(row, column)) || [] : []));
    const starts = new Set(labels?.map(startOf));
    const isKnown = rows !== undefined && (rows.length === 0 || starts.size > 0);
    for (const start of new Set([periodStart(days.from, grain), periodStart(days.to, grain)])) {
      if (isKnown && !starts.has(start)) continue;
      const part = partText(periodDays(start, grain), days, open);
      if (part !== undefined)
        work.report({ kind: 'note', text: sentence`${periodName(start, grain)} is partial (${part})` });
    }
  }
}

/** `the week of 9 March 2026`, `March 2026`. */
function periodName(start: Day, grain: Grain): Sentence {
  const shown = start.slice(0, grain === 'month' ? 7 : 10);
  return sentence`${grain === 'week' ? 'the week of ' : ''}${oneDay(shown)}`;
}

/** What the period of a label in a column lacks of its days, as `partText` writes it; undefined for a complete one. */
export type PartOf = (column: string, label: string) => string | undefined;

/** Which weeks and months of some columns are partial, and which days have not ended; undefined where no label can be. */
export async function partsOf(
  columns: readonly TimeColumn[],
  work: Pick<RowWork, 'openDays'>,
): Promise<PartOf | undefined> {
  const open = await work.openDays();
  const partFrom = (start: Day, { grain, days }: TimeColumn) =>
    partText(periodDays(start, grain), days, open);
  // Open days are the last ones, and other partial periods are those at the ends.
  const arePartial = columns.some(column =>
    [column.days.from, column.days.to].some(
      day => partFrom(periodStart(day, column.grain), column) !== undefined,
    ),
  );
  if (!arePartial) return undefined;
  const byName = new Map(columns.map(column => [column.column, column]));
  return (name, label) => {
    const column = byName.get(name);
    if (column === undefined || (column.grain === 'day' && label.length > DAY_LENGTH)) return undefined;
    const start = startOf(label);
    return start === undefined ? undefined : partFrom(start, column);
  };
}

/** Marks partial weeks and months in a table with the number of their days, and days that have not ended. */
export function markPartialPeriods(rows: readonly Json[], partOf: PartOf): readonly Json[] {
  return rows.map(row => {
    if (!isRecord(row)) return row;
    const marks = Object.entries(row).flatMap(([column, value]) => {
      const label = textOf(value);
      const part = partOf(column, label);
      return part === undefined ? [] : [[column, `${label} (${part})`]];
    });
    return marks.length === 0 ? row : { ...row, ...Object.fromEntries(marks) };
  });
}
