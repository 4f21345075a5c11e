import { rolesOf, rowNumber } from '../../analysis/column-roles.ts';
import { beforeColumn } from '../../analysis/compared-days.ts';
import { daysOf } from '../../analysis/missing-days.ts';
import { grainOfName } from '../../analysis/periods.ts';
import type { DayRange } from '../../apis/bda/days.ts';
import { UsageError } from '../../errors/index.ts';
import { type ExportStats, hasWarnings, isContradictory } from '../../export/export-audit.ts';
import { skippedRows } from '../../export/plan.ts';
import { fieldOf, type Json, type JsonRecord, textOf } from '../../json/index.ts';
import type { Chart } from '../../output/chart/chart.ts';
import { type Conclusion, withSomeRows } from '../../output/conclusion.ts';
import type { FigureLine, StatedTotal } from '../../output/document/document.ts';
import type { Locale } from '../../output/presentation/index.ts';
import { noRows } from '../../output/row-scope.ts';
import { joined, type Sentence, sentenceText } from '../../output/sentence.ts';
import type { Column } from '../../output/view.ts';
import { groupDigits } from '../../terminal/numbers.ts';
import { chartOf, IN_A_FILE, MAX_CHART_ROWS } from './chart-of-rows.ts';
import { type CollectedRows, collectRows, columnsOf, recordsOf } from './collect-rows.ts';
import { type ComparedPeriod, compareRows, limitOf } from './compare-rows.ts';
import { isComplete, reportFlaws, warnMissingDays } from './completeness.ts';
import { daysWithoutRows } from './days-without-rows.ts';
import type { PartOf } from './partial-periods.ts';
import type { RequestedRows } from './requested-rows.ts';
import type { RowWork } from './row-progress.ts';
import { rowTotals } from './row-totals.ts';
import { namedDimensions, presentationIn, presentedColumns, withOneUnit } from './shown-columns.ts';
import { countText, daysText, partialPeriods, unfinishedDays, withPartialMarks } from './shown-rows.ts';

/** Rows as a part of a document. */
interface DocumentRows {
  readonly rows: readonly JsonRecord[];
  readonly columns: readonly Column[];
  /** The first rows, with partial weeks and months and days that have not ended marked. */
  readonly shown: readonly Json[];
  readonly partOf: PartOf | undefined;
  readonly empty: string;
  /** How many rows match, if these are not all. */
  readonly footnote: string | undefined;
  /** The same of all rows that were fetched. */
  readonly remainder: string | undefined;
  readonly period: string | undefined;
  readonly days: DayRange | undefined;
  readonly before: DayRange | undefined;
  readonly totals: readonly StatedTotal[];
  readonly lines: ReadonlyMap<string, FigureLine>;
  readonly chart: Chart | undefined;
  /** Whether rows or days are missing. */
  readonly isIncomplete: boolean;
  /** Whether the rows contradict the response. */
  readonly isContradictory: boolean;
}

interface DocumentRowsOptions {
  readonly hasChart: boolean;
  /** How a chart writes numbers and dates. */
  readonly locale: Locale | undefined;
  /** Rows in the table; 0 for none. */
  readonly tableRows: number;
  /** What columns are called, by name, instead of their usual labels. */
  readonly labels: ReadonlyMap<string, string>;
  /** What the rows are compared with, if anything. */
  readonly compared: ComparedPeriod | undefined;
}

/** Fetches rows for a document, compared with another period on request. Throws UsageError for too many. */
export async function documentRows(
  requested: RequestedRows,
  options: DocumentRowsOptions,
  work: RowWork,
): Promise<DocumentRows> {
  const compared = options.compared && (await compareRows(requested, options.compared, work));
  return await partOf(requested, compared?.joined ?? requested, compared?.stats, options, work);
}

/** The rows that are shown, which are joined with those of other days if these have `stats`, too. */
async function partOf(
  requested: RequestedRows,
  shownRows: RequestedRows,
  comparedStats: readonly ExportStats[] | undefined,
  { hasChart, locale, tableRows, labels }: DocumentRowsOptions,
  work: RowWork,
): Promise<DocumentRows> {
  const { comparison, source, figures, plan, query } = shownRows;
  const { rows, stats, total } = await collectRows(shownRows, work, tooMany);
  const records = recordsOf(rows);
  if (comparison === undefined) reportFlaws(stats, requested, { isCompared: false }, work);
  const gap = comparison === undefined ? await warnMissingDays(requested.query, stats.rows, work) : undefined;
  const lacksDays = gap !== undefined || comparison?.isCovered === false;
  const conclusions =
    comparison === undefined
      ? await totalsOfRows({ rows: records, stats, total }, shownRows, gap, work)
      : await comparison.totals();
  // A picture has the rows of the table below it.
  const limits = { ...IN_A_FILE, bars: Math.min(IN_A_FILE.bars, tableRows || IN_A_FILE.bars) };
  const drawn = hasChart
    ? await chartOf(records, shownRows, { limits, locale, labels, total }, work)
    : undefined;
  if (drawn !== undefined && 'nothing' in drawn) work.report({ kind: 'warning', text: drawn.nothing });
  const shown = records.slice(0, tableRows);
  const isTableCut = tableRows > 0 && shown.length < records.length;
  const matching = comparison === undefined ? total : comparison.total;
  const start = skippedRows(plan);
  const written = (texts: readonly (Sentence | undefined)[]) => {
    const all = joined(texts.filter(text => text !== undefined));
    return all && sentenceText(all, { locale });
  };
  const countOf = (count: number) => [
    countText(count, start, start === 0 ? Math.max(matching ?? 0, records.length) : matching, stats),
    matching === undefined ? comparison?.limit : undefined,
  ];
  const isAll =
    comparison === undefined ? isComplete({ rows, total }, shownRows) : comparison.limit === undefined;
  const empty = await daysWithoutRows(shownRows, { rows, total }, work);
  const restriction = written([comparison?.footnote ?? empty]);
  const allStats = comparedStats ?? [stats];
  const columns = withOneUnit(
    presentedColumns(namedDimensions(columnsOf(source, figures, records)), await query?.facts(), labels),
    records,
    conclusions,
  );
  return {
    rows: records,
    columns,
    shown: await withPartialMarks(shown, shownRows, work),
    partOf: await partialPeriods(shownRows, Object.keys(records[0] ?? {}), work),
    empty: sentenceText(noRows({ start, total: matching }), { locale }),
    footnote: written([...countOf(tableRows > 0 ? shown.length : records.length), restriction]),
    remainder: written([...countOf(records.length), restriction]),
    totals: conclusions.map(conclusion => ({
      conclusion: isTableCut ? withSomeRows(conclusion) : conclusion,
      presentation: presentationIn(columns, conclusion),
    })),
    // A line of some days would stand beside a total of all.
    lines: isAll ? linesOf(records, shownRows) : new Map(),
    period: daysText(query?.days, comparison?.before),
    days: query?.days,
    before: comparison?.before,
    chart:
      drawn === undefined || 'nothing' in drawn
        ? undefined
        : { ...drawn, notes: drawn.notes.filter(note => tableRows === 0 || note !== restriction) },
    isIncomplete: lacksDays || (requested.isIncomplete?.() ?? false) || allStats.some(hasWarnings),
    isContradictory: allStats.some(isContradictory),
  };
}

/** Each figure over time, where rows differ by their time only. */
function linesOf(
  rows: readonly JsonRecord[],
  { query, figures, comparison }: RequestedRows,
): ReadonlyMap<string, FigureLine> {
  const [time, ...others] = query?.dimensions ?? [];
  if (time === undefined || others.length > 0 || grainOfName(time) === undefined) return new Map();
  const timeOf = (row: JsonRecord) => textOf(fieldOf(row, time) ?? null);
  const inOrder: (JsonRecord | undefined)[] = rows
    .filter(row => timeOf(row) !== '')
    .sort((one, other) => (timeOf(one) < timeOf(other) ? -1 : 1));
  // A day without rows is a gap.
  const byDay = new Map(inOrder.map(row => [row && timeOf(row), row]));
  const days = query?.days === undefined || grainOfName(time) !== 'day' ? [] : daysOf(query.days);
  const places = [...byDay.keys()].every(day => day !== undefined && days.includes(day))
    ? days.map(day => byDay.get(day))
    : inOrder;
  const figuresOf = (name: string) => places.map(row => row && rowNumber(fieldOf(row, name)));
  return new Map(
    figures.map(name => [
      name,
      { now: figuresOf(name), before: comparison === undefined ? [] : figuresOf(beforeColumn(name)) },
    ]),
  );
}

/** The totals of rows that are not compared. */
async function totalsOfRows(
  found: CollectedRows & { readonly rows: readonly JsonRecord[] },
  requested: RequestedRows,
  gap: Sentence | undefined,
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
