import { rolesOf } from '../../analysis/column-roles.ts';
import { UsageError } from '../../errors/index.ts';
import { hasWarnings, isContradictory } from '../../export/export-audit.ts';
import type { Json, JsonRecord } from '../../json/index.ts';
import type { Chart } from '../../output/chart/chart.ts';
import type { Conclusion } from '../../output/conclusion.ts';
import type { Column } from '../../output/view.ts';
import { groupDigits } from '../../terminal/numbers.ts';
import { chartOf, daysText, IN_A_FILE, MAX_CHART_ROWS } from './chart-of-rows.ts';
import { type CollectedRows, collectRows, columnsOf, recordsOf } from './collect-rows.ts';
import { type ComparedPeriod, compareRows, limitOf, unfinishedDays } from './compare-rows.ts';
import { mayLackDays, reportFlaws, warnMissingDays } from './completeness.ts';
import type { RequestedRows } from './requested-rows.ts';
import type { RowWork } from './row-progress.ts';
import { rowTotals } from './row-totals.ts';
import { countText, withPartialMarks, withUnits } from './shown-rows.ts';

/** Rows as a part of a document. */
interface DocumentRows {
  readonly rows: readonly JsonRecord[];
  readonly columns: readonly Column[];
  /** The first rows, with partial weeks and months marked. */
  readonly shown: readonly Json[];
  /** How many rows match, if these are not all. */
  readonly footnote: string | undefined;
  readonly period: string | undefined;
  /** The totals of the figures. */
  readonly conclusions: readonly Conclusion[];
  readonly chart: Chart | undefined;
  /** Whether rows or days are missing. */
  readonly isIncomplete: boolean;
  /** Whether the rows contradict the response. */
  readonly isContradictory: boolean;
}

interface DocumentRowsOptions {
  readonly hasChart: boolean;
  /** Rows in the table; 0 for none. */
  readonly tableRows: number;
  /** What the rows are compared with, if anything. */
  readonly compared: ComparedPeriod | undefined;
}

/** Fetches rows for a document, compared with another period on request. Throws UsageError for too many. */
export async function documentRows(
  requested: RequestedRows,
  { hasChart, tableRows, compared: period }: DocumentRowsOptions,
  work: RowWork,
): Promise<DocumentRows> {
  const compared = period && (await compareRows(requested, period, work));
  const shownRows = compared?.joined ?? requested;
  const { comparison, source, figures, plan, query } = shownRows;
  const { rows, stats, total } = await collectRows(shownRows, work, tooMany);
  const records = recordsOf(rows);
  if (compared === undefined) reportFlaws(stats, requested, { isCompared: false }, work);
  const mayLack = compared === undefined && mayLackDays(requested, { rows: stats.rows, isStrict: false });
  const gap = mayLack ? await warnMissingDays(requested.query, stats.rows, work) : undefined;
  const lacksDays = gap !== undefined || comparison?.isCovered === false;
  const conclusions =
    comparison === undefined
      ? await totalsOfRows({ rows: records, stats, total }, shownRows, gap, work)
      : await comparison.totals();
  const drawn = hasChart ? await chartOf(records, shownRows, { limits: IN_A_FILE }, work) : undefined;
  if (drawn !== undefined && 'nothing' in drawn) work.report({ kind: 'warning', text: drawn.nothing });
  const shown = records.slice(0, tableRows);
  const count = tableRows > 0 ? shown.length : records.length;
  const counted = countText(count, plan.start, Math.max(total ?? 0, records.length), stats);
  const allStats = compared?.stats ?? [stats];
  return {
    rows: records,
    columns: await withUnits(columnsOf(source, figures, records), shownRows),
    shown: await withPartialMarks(shown, shownRows, work),
    footnote: [counted, comparison?.footnote].filter(text => text !== undefined).join('; ') || undefined,
    conclusions,
    period: daysText(query?.days, comparison?.before),
    chart: drawn === undefined || 'nothing' in drawn ? undefined : drawn,
    isIncomplete: lacksDays || (requested.isIncomplete?.() ?? false) || allStats.some(hasWarnings),
    isContradictory: allStats.some(isContradictory),
  };
}

/** The totals of rows that are not compared. */
async function totalsOfRows(
  found: CollectedRows & { readonly rows: readonly JsonRecord[] },
  requested: RequestedRows,
  gap: string | undefined,
  work: RowWork,
): Promise<readonly Conclusion[]> {
  const { query, figures, source } = requested;
  if (query === undefined) return [];
  const { figures: metrics, dimensions } = rolesOf(
    found.rows,
    { dimensions: query.dimensions, figures },
    { mayHaveOthers: source.columns.length === 0 },
  );
  const unfinished = query.days && (await unfinishedDays(query.days, work));
  return await rowTotals({
    query,
    scope: {
      metrics,
      dimensions,
      limitedTo: limitOf(found, requested, [found.stats]),
    },
    now: { days: query.days, rows: found.rows },
    gaps: gap === undefined ? [] : [gap],
    reservations: unfinished === undefined ? [] : [unfinished],
  });
}

function tooMany(count: number): void {
  if (count <= MAX_CHART_ROWS) return;
  throw new UsageError(`more than ${groupDigits(MAX_CHART_ROWS)} rows are too many for a report`, {
    code: 'output_too_large',
    reason: 'too_many_rows_of_section',
  });
}
