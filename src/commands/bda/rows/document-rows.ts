import { rolesOf } from '../../../analysis/column-roles.ts';
import { UsageError } from '../../../errors/index.ts';
import { hasWarnings, isContradictory } from '../../../export/export-audit.ts';
import type { Json, JsonRecord } from '../../../json/index.ts';
import {
  type CollectedRows,
  collectRows,
  columnsOf,
  recordsOf,
} from '../../../operations/rows/collect-rows.ts';
import type { Chart } from '../../../output/chart/chart.ts';
import type { Conclusion } from '../../../output/conclusion.ts';
import type { Column } from '../../../output/view.ts';
import { groupDigits } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { chartOf, IN_A_FILE, MAX_CHART_ROWS, periodText } from './chart-rows.ts';
import { limitOf, unfinishedDays } from './compare-rows.ts';
import { rowWork } from './export-options.ts';
import { warnMissingDays } from './missing-days.ts';
import { rowTotals } from './row-totals.ts';
import type { RowsOutput } from './rows-output.ts';
import { countText, withPartialMarks, withUnits } from './rows-to-screen.ts';
import { compareIfRequested, mayLackDays, printWarnings } from './write-rows.ts';

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

/** Fetches rows for a document, compared with another period if their flags say so. Warns as for any other output. Throws UsageError for too many. */
export async function documentRows(
  requested: RowsOutput,
  { hasChart, tableRows }: { readonly hasChart: boolean; readonly tableRows: number },
  context: Context,
): Promise<DocumentRows> {
  const compared = await compareIfRequested(requested, context);
  const output = compared?.output ?? requested;
  const { rows, stats, total } = await collectRows(output, await rowWork(context), tooMany);
  const records = recordsOf(rows);
  if (compared === undefined) printWarnings(stats, requested, context);
  const allStats = compared?.stats ?? [stats];
  const gap =
    compared === undefined && mayLackDays(requested, allStats)
      ? await warnMissingDays(requested.query, stats.rows, context)
      : undefined;
  const lacksDays = gap !== undefined || compared?.output.comparison?.isCovered === false;
  const conclusions =
    output.comparison === undefined
      ? await totalsOfRows({ rows: records, stats, total }, output, gap, context)
      : await output.comparison.totals();
  const drawn = hasChart
    ? // The section states how many rows there are.
      await chartOf(
        records,
        stats,
        { ...output, plan: { ...output.plan, single: false } },
        IN_A_FILE,
        context,
      )
    : undefined;
  if (drawn !== undefined && 'nothing' in drawn) context.log.warn(drawn.nothing);
  const shown = records.slice(0, tableRows);
  const count = tableRows > 0 ? shown.length : records.length;
  const counted = countText(count, output.plan.start, Math.max(total ?? 0, records.length), stats);
  return {
    rows: records,
    columns: await withUnits(columnsOf(output.source, output.figures, records), output),
    shown: await withPartialMarks(shown, output, context),
    footnote:
      [counted, compared === undefined ? undefined : output.footnote]
        .filter(text => text !== undefined)
        .join('; ') || undefined,
    conclusions,
    period: periodText(output.query?.days, output.comparison?.before),
    chart: drawn === undefined || 'nothing' in drawn ? undefined : drawn,
    isIncomplete: lacksDays || (requested.isIncomplete?.() ?? false) || allStats.some(hasWarnings),
    isContradictory: allStats.some(isContradictory),
  };
}

/** The totals of rows that are not compared. */
async function totalsOfRows(
  found: CollectedRows & { readonly rows: readonly JsonRecord[] },
  output: RowsOutput,
  gap: string | undefined,
  context: Context,
): Promise<readonly Conclusion[]> {
  const { query, figures, source } = output;
  if (query === undefined) return [];
  const { figures: metrics, dimensions } = rolesOf(
    found.rows,
    { dimensions: query.dimensions, figures },
    { mayHaveOthers: source.columns.length === 0 },
  );
  const unfinished = query.days && (await unfinishedDays(query.days, context));
  return await rowTotals({
    query,
    scope: {
      metrics,
      dimensions,
      limitedTo: limitOf(found, output, [found.stats]),
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
    hints: ['reduce them with limit, filter or fewer dimensions'],
  });
}
