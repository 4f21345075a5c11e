import { isCovered } from '../../analysis/data-days.ts';
import { daysOf, namedDays } from '../../analysis/missing-days.ts';
import { grainOfName, startOf } from '../../analysis/periods.ts';
import { fieldOf, isRecord, textOf } from '../../json/index.ts';
import { type Sentence, sentence } from '../../output/sentence.ts';
import type { CollectedRows } from './collect-rows.ts';
import { dataDaysOf, isComplete } from './completeness.ts';
import type { RequestedRows } from './requested-rows.ts';
import type { RowWork } from './row-progress.ts';

/** Which days with data have no rows, where all rows are by day; undefined for none, for no rows at all, and of a comparison. */
export async function daysWithoutRows(
  requested: Pick<RequestedRows, 'query' | 'comparison' | 'plan'>,
  found: Pick<CollectedRows, 'rows' | 'total'>,
  work: Pick<RowWork, 'openDays'>,
): Promise<Sentence | undefined> {
  const { query, comparison } = requested;
  const column = query?.dimensions.find(name => grainOfName(name) === 'day');
  if (comparison !== undefined || query?.days === undefined || column === undefined) return undefined;
  const known = new Set(
    found.rows.flatMap(row => (isRecord(row) ? (startOf(textOf(fieldOf(row, column))) ?? []) : [])),
  );
  const empty = daysOf(query.days).filter(day => !known.has(day));
  // Filters may drop the rows of a day by their figures.
  if (
    known.size === 0 ||
    empty.length === 0 ||
    !isComplete(found, requested) ||
    (await query.selectsByFigures?.())
  )
    return undefined;
  const [open, data] = [await work.openDays(), await dataDaysOf(query)];
  const days = empty.filter(
    day => day < open.from && (data === undefined || isCovered({ from: day, to: day }, data)),
  );
  return days.length === 0 ? undefined : sentence`no rows for ${namedDays(days)}`;
}
