import { type ChartLimits, chartModel, type NotChartable } from '../../analysis/chart-model.ts';
import { rolesOf } from '../../analysis/column-roles.ts';
import { beforeColumn, haveSameWeekdays } from '../../analysis/compared-days.ts';
import { grainOfName } from '../../analysis/periods.ts';
import type { DayRange } from '../../apis/bda/days.ts';
import type { JsonRecord } from '../../json/index.ts';
import type { Chart } from '../../output/chart/chart.ts';
import type { Conclusion } from '../../output/conclusion.ts';
import type { RequestedRows } from './requested-rows.ts';
import type { RowWork } from './row-progress.ts';

/** Maximum number of rows in a chart. */
export const MAX_CHART_ROWS = 100_000;

export const ON_SCREEN: ChartLimits = { panels: 4, lines: 6, sparklines: 20, bars: 20 };
export const IN_A_FILE: ChartLimits = { panels: 6, lines: 8, sparklines: 8, bars: 40 };

/** The chart of rows that were fetched, or why there is none. */
export async function chartOf(
  rows: readonly JsonRecord[],
  { source, figures, query, comparison }: RequestedRows,
  {
    limits,
    title,
    conclusions,
  }: {
    readonly limits: ChartLimits;
    readonly title?: string | undefined;
    readonly conclusions?: readonly Conclusion[] | undefined;
  },
  { today }: Pick<RowWork, 'today'>,
): Promise<Chart | NotChartable> {
  const requested = { dimensions: query?.dimensions ?? [], figures };
  const chart = chartModel(rows, {
    roles:
      comparison?.roles ??
      rolesOf(rows, requested, { mayHaveOthers: source.columns.length === 0 || query === undefined }),
    units: (await query?.units()) ?? new Map(),
    days: query?.days,
    today: await today(),
    limits,
    isSorted: query?.isSorted === true,
    beforeOf: comparison && beforeColumn,
    conclusions,
  });
  if ('nothing' in chart) return chart;
  return {
    ...chart,
    ...(title !== undefined && { title, isTitled: true }),
    subtitle: periodText(query?.days, comparison?.before),
    notes: [
      ...chart.notes,
      ...weekdayNotes(query?.days, comparison?.before, chart),
      ...(comparison?.footnote === undefined ? [] : [comparison.footnote]),
    ],
  };
}

/** Notes that the days of a comparison are not aligned by their days of the week, where the axis shows days. */
function weekdayNotes(days: DayRange | undefined, before: DayRange | undefined, { panels }: Chart): string[] {
  const showsDays = panels.some(({ axis, shape }) => shape === 'line' && grainOfName(axis) === 'day');
  if (days === undefined || before === undefined || !showsDays || haveSameWeekdays(days, before, true))
    return [];
  return ['each day is compared with another day of the week'];
}

/** `2026-02-01 to 2026-02-28, compared with 2026-01-01 to 2026-01-31`; undefined where the days are not known. */
export function periodText(days: DayRange | undefined, before: DayRange | undefined): string | undefined {
  if (days === undefined) return undefined;
  const text = ({ from, to }: DayRange) => (from === to ? from : `${from} to ${to}`);
  return before === undefined ? text(days) : `${text(days)}, compared with ${text(before)}`;
}
