import { UsageError } from '../../errors/index.ts';
import type { Remarks } from '../../export/findings.ts';
import { rowsInMemory } from '../../export/rows-in-memory.ts';
import { Calendar, type ComparisonWay, daysBefore } from '../../families/bda/compared-days.ts';
import { Comparison, timesOf } from '../../families/bda/comparison.ts';
import { type DayRange, dayCount } from '../../families/bda/dates.ts';
import { rolesOf } from '../../families/bda/row-roles.ts';
import { counted, grouped } from '../../terminal/grouped.ts';
import type { Context } from '../context.ts';
import type { Delivery } from './delivery.ts';
import { type Held, holdRows, recordsOf } from './hold-rows.ts';

/** Both sides have to be here at once. */
const ROWS_MAX = 100_000;

export interface Compared {
  /** The rows of both, to be printed, written or drawn. */
  readonly delivery: Delivery;
  /** Of the days asked about, and of the days before. */
  readonly remarks: readonly [Remarks, Remarks];
}

/**
 * Asks the same question about the days before, and puts the rows side by side. Where only some rows of the days asked about come,
 * those that have no counterpart there are left out: whether they are missing is not known. Throws UsageError.
 */
export async function compareRows(
  delivery: Delivery,
  way: ComparisonWay,
  context: Context,
): Promise<Compared> {
  const { question, figures, source } = delivery;
  const days = question?.days;
  if (question === undefined || days === undefined)
    throw new UsageError('--compare has to know the days', {
      hints: ['type --last 7d, --previous month, or --from DAY --to DAY'],
    });
  const now = await holdRows(delivery, context, tooMany);
  const nowRows = recordsOf(now.rows);
  const roles = rolesOf(
    nowRows,
    { dimensions: question.dimensions, figures },
    { mayHaveOthers: source.columns.length === 0 },
  );
  // Which of its columns are times, a saved report tells by its rows alone.
  const times = timesOf(nowRows, roles, days);
  const before = daysBefore(days, way, new Set(times.values()));
  context.note(`compared with ${told(before)}`);
  const comparison = new Comparison(nowRows, roles, times, new Calendar(days, before, way));
  const twice = comparison.columns.find((name, index) => comparison.columns.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UsageError(`--compare makes a column ${twice}, and there is one already`, {
      hints: ['leave that column out'],
    });
  const isWhole = cameWhole(now, delivery);
  let kept = 0;
  const earlier = await holdRows(
    question.over(before),
    context,
    () => {},
    row => {
      const [record] = recordsOf([row]);
      if (record === undefined || !(isWhole || comparison.hasPartner(record))) return false;
      kept += 1;
      tooMany(kept);
      comparison.takeBefore(record);
      return false;
    },
  );
  if (!isWhole)
    context.note(
      `only the ${grouped(nowRows.length)} rows that came are compared; --all compares all, and tells what is gone`,
    );
  return {
    delivery: {
      ...delivery,
      ...rowsInMemory(comparison.rows(), comparison.columns),
      figures: comparison.figures,
      days: { now: delivery.days, before: { from: before.from, to: before.to } },
      comparison: { roles, before },
    },
    // That not all came is told already.
    remarks: [{ ...now.remarks, lastTotal: undefined }, earlier.remarks],
  };
}

/** Whether all rows are here that match. */
function cameWhole({ rows, total }: Held, { plan }: Delivery): boolean {
  if (plan.start > 0) return false;
  if (total !== undefined) return rows.length >= total;
  return !plan.single || rows.length < plan.pageSize;
}

function tooMany(count: number): void {
  if (count > ROWS_MAX)
    throw new UsageError(`these are more than ${grouped(ROWS_MAX)} rows, too many for --compare`, {
      hints: ['ask for fewer: --limit, --filter, fewer dimensions'],
    });
}

function told(days: DayRange): string {
  return `${days.from} to ${days.to}: ${counted(dayCount(days), 'day')}`;
}
