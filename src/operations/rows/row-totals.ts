import { type PeriodRows, type RowScope, totalsOf, unsummedMetrics } from '../../analysis/period-totals.ts';
import type { Conclusion } from '../../output/conclusion.ts';
import type { Sentence } from '../../output/sentence.ts';
import { type RowsQuery, unitsOfRows } from './requested-rows.ts';

/** Rows whose totals are stated. */
interface TotalledRows {
  readonly query: RowsQuery;
  readonly scope: Omit<RowScope, 'siteColumn' | 'selectsByFigures'>;
  readonly now: PeriodRows;
  readonly before?: PeriodRows;
  readonly gaps: readonly Sentence[];
  readonly reservations: readonly Sentence[];
}

/** The totals of rows; those that do not follow from the rows are requested, where the API can state them. */
export async function rowTotals({ query, now, before, ...rest }: TotalledRows): Promise<Conclusion[]> {
  const scope = {
    ...rest.scope,
    siteColumn: query.siteColumn,
    selectsByFigures: await query.selectsByFigures?.(),
  };
  const periods = before === undefined ? [now] : [now, before];
  const isAsked = unsummedMetrics(scope, periods).length > 0;
  // A total of days of which some lack data says so, as the sum of rows does; where there are no rows, none is stated.
  const own = ({ days, rows }: PeriodRows) => {
    const mayHaveValues = rest.gaps.length === 0 || rows.length > 0;
    return isAsked && mayHaveValues && days !== undefined ? query.ownValues?.(days) : undefined;
  };
  return totalsOf({
    ...rest,
    scope,
    units: await unitsOfRows(query),
    now: { ...now, own: await own(now) },
    before: before && { ...before, own: await own(before) },
  });
}
