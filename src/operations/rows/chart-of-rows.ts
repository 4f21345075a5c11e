import { type ChartLimits, chartModel, type NotChartable } from '../../analysis/chart-model.ts';
import { rolesOf } from '../../analysis/column-roles.ts';
import { beforeColumn } from '../../analysis/compared-days.ts';
import { skippedRows } from '../../export/plan.ts';
import type { JsonRecord } from '../../json/index.ts';
import type { Chart } from '../../output/chart/chart.ts';
import type { Conclusion } from '../../output/conclusion.ts';
import type { Locale } from '../../output/presentation/index.ts';
import { type Sentence, sentenceText } from '../../output/sentence.ts';
import { coverageOf } from './completeness.ts';
import { daysWithoutRows } from './days-without-rows.ts';
import { type RequestedRows, unitsOfRows } from './requested-rows.ts';
import type { RowWork } from './row-progress.ts';
import { daysText, partialPeriods, reservationsOf } from './shown-rows.ts';

/** Maximum number of rows in a chart. */
export const MAX_CHART_ROWS = 100_000;

export const ON_SCREEN: ChartLimits = { panels: 4, lines: 6, sparklines: 20, bars: 20 };
export const IN_A_FILE: ChartLimits = { panels: 6, lines: 8, sparklines: 8, bars: 40 };

/** The chart of rows that were fetched, or why there is none. */
export async function chartOf(
  rows: readonly JsonRecord[],
  shown: RequestedRows,
  {
    limits,
    title,
    conclusions,
    labels,
    locale,
    total,
  }: {
    readonly limits: ChartLimits;
    /** How numbers and dates are written. */
    readonly locale: Locale | undefined;
    /** What columns are called, by name, instead of their usual labels. */
    readonly labels?: ReadonlyMap<string, string>;
    readonly title?: string | undefined;
    readonly conclusions?: readonly Conclusion[] | undefined;
    /** How many rows match, where it is known. */
    readonly total: number | undefined;
  },
  work: Pick<RowWork, 'openDays'>,
): Promise<Chart | NotChartable> {
  const { source, figures, query, comparison, plan } = shown;
  const matching = { total: comparison === undefined ? total : comparison.total, start: skippedRows(plan) };
  const requested = { dimensions: query?.dimensions ?? [], figures };
  const chart = chartModel(rows, {
    roles:
      comparison?.roles ??
      rolesOf(rows, requested, { mayHaveOthers: source.columns.length === 0 || query === undefined }),
    units: await unitsOfRows(query),
    days: (await coverageOf(query, rows.length)).days,
    open: await work.openDays(),
    limits,
    isSorted: query?.isSorted === true,
    matching,
    beforeOf: comparison && beforeColumn,
    partOf: comparison && (await partialPeriods(shown, Object.keys(rows[0] ?? {}), work)),
    conclusions,
    labels,
    locale,
  });
  if ('nothing' in chart) return chart;
  const isMarked = chart.panels[0]?.positions.some(({ part }) => part !== undefined) === true;
  const reservations = await reservationsOf(shown, { rows: rows.length, isMarked }, work);
  const empty = await daysWithoutRows(shown, { rows, total }, work);
  return {
    ...chart,
    ...(title !== undefined && { title, isTitled: true }),
    subtitle: daysText(query?.days, comparison?.before, locale),
    notes: [
      ...chart.notes,
      ...[...reservations, ...(empty === undefined ? [] : [empty]), ...comparedNotes(comparison)].map(text =>
        sentenceText(text, { locale }),
      ),
    ],
  };
}

/** What restricts a comparison, and how many rows are compared where a chart cannot state it, because it is not known of how many. */
function comparedNotes(comparison: RequestedRows['comparison']): Sentence[] {
  const { limit, total, footnote } = comparison ?? {};
  return [total === undefined ? limit : undefined, footnote].filter(text => text !== undefined);
}
