import { type Day, type DayRange, weekday } from '../apis/bda/days.ts';
import { fieldOf, type JsonRecord, textOf } from '../json/index.ts';
import type { Position } from '../output/chart/chart.ts';
import { type Grain, grainOf, nextStart, type OpenDays, partText, periodDays, startOf } from './periods.ts';

/** Maximum number of periods that are filled in for missing rows; a longer time is drawn without. */
const MAX_FILLED = 5_000;

interface TimeOptions {
  readonly dimensions: readonly string[];
  /** The requested days, as far as there is data; a period beyond them is partial. */
  readonly days: DayRange | undefined;
  readonly open: OpenDays;
}

/** Positions of times on the axis. */
export interface TimeAxis {
  readonly column: string;
  readonly positions: readonly Position[];
  /** The position of a label; undefined if it is not a time. */
  indexOf(label: string): number | undefined;
}

/** The first dimension that contains only times. */
export function timeAxisOf(rows: readonly JsonRecord[], options: TimeOptions): TimeAxis | undefined {
  for (const column of options.dimensions) {
    const labels = new Set<string>();
    for (const row of rows) labels.add(textOf(fieldOf(row, column)));
    // Rows without a time, such as rows of the earlier period only, do not disqualify a column.
    labels.delete('');
    const grain = grainOf(column, labels);
    if (grain !== undefined) return axisOf(column, grain, labels, options);
  }
  return undefined;
}

function axisOf(
  column: string,
  grain: Grain,
  labels: ReadonlySet<string>,
  { days, open }: TimeOptions,
): TimeAxis {
  const byStart = new Map<Day, string>();
  for (const label of [...labels].sort()) byStart.set(startOf(label) ?? label, label);
  if (byStart.size < labels.size) return hoursAxis(column, labels);
  const starts = filled([...byStart.keys()].sort(), grain);
  const isMonth = [...labels].every(label => label.length === 7);
  const indexOf = new Map<string, number>();
  const positions = starts.map((start, index) => {
    indexOf.set(start, index);
    return {
      label: isMonth ? start.slice(0, 7) : start,
      ...(grain === 'day' && weekday(start) > 4 && { isWeekend: true }),
      part: days && partText(periodDays(start, grain), days, open),
    };
  });
  return { column, positions, indexOf: label => indexOf.get(startOf(label) ?? '') };
}

/** Times less than a day apart have adjacent positions, in the order of the rows. */
function hoursAxis(column: string, labels: ReadonlySet<string>): TimeAxis {
  const sorted = [...labels].sort();
  const indexOf = new Map(sorted.map((label, index) => [label, index]));
  return { column, positions: sorted.map(label => ({ label })), indexOf: label => indexOf.get(label) };
}

/** Every period from the first to the last, so that missing ones are gaps. */
function filled(starts: readonly Day[], grain: Grain): readonly Day[] {
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined) return starts;
  const all: Day[] = [];
  for (let start = first; start <= last && all.length <= MAX_FILLED; start = nextStart(start, grain))
    all.push(start);
  const known = new Set(all);
  return starts.every(start => known.has(start)) ? all : starts;
}
