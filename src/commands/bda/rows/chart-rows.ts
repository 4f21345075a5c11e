import { type ChartLimits, chartModel, type NotChartable } from '../../../analysis/chart-model.ts';
import { rolesOf } from '../../../analysis/column-roles.ts';
import { beforeColumn } from '../../../analysis/compared-days.ts';
import type { DayRange } from '../../../apis/bda/days.ts';
import { UsageError } from '../../../errors/index.ts';
import type { ExportStats } from '../../../export/export-audit.ts';
import { rowsInMemory } from '../../../export/row-source.ts';
import { isList, isRecord, type Json, type JsonRecord, textOf } from '../../../json/index.ts';
import { collectRows, columnsOf, recordsOf } from '../../../operations/rows/collect-rows.ts';
import type { Chart } from '../../../output/chart/chart.ts';
import { drawChart } from '../../../output/chart/draw.ts';
import type { Conclusion } from '../../../output/conclusion.ts';
import { groupDigits } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { todayOf } from '../day-flags.ts';
import { rowWork } from './export-options.ts';
import { hasOutFile } from './row-flags.ts';
import type { RowsOutput } from './rows-output.ts';

/** Maximum number of rows in a chart. */
export const MAX_CHART_ROWS = 100_000;

const ON_SCREEN: ChartLimits = { panels: 4, lines: 6, sparklines: 20, bars: 20 };
export const IN_A_FILE: ChartLimits = { panels: 6, lines: 8, sparklines: 8, bars: 40 };

interface ChartedRows {
  /** The same rows from memory, to print or write them too. */
  readonly output: RowsOutput;
  readonly stats: ExportStats;
}

/** Throws UsageError if a chart on the screen would replace the requested output format. */
export async function checkTerminalChart({ flags }: RowsOutput, context: Context): Promise<void> {
  if (flags.chart !== true) return;
  const { value, origin } = (await context.settings()).output;
  const other = context.globals.jq !== undefined ? '--jq' : `-o ${value}`;
  if (!origin.startsWith('flag') || value === 'table') return;
  throw new UsageError(`--chart and ${other} cannot be combined`, {
    code: 'conflicting_options',
    hints: ['drop one, or write the chart to a file: --chart FILE.svg'],
  });
}

/** Fetches the rows and draws them, on the screen or into a file. */
export async function chartRows(output: RowsOutput, context: Context): Promise<ChartedRows> {
  const { rows, stats } = await collectForChart(output, context);
  const { chart: target, ascii = false } = output.flags;
  const limits = target === true ? ON_SCREEN : IN_A_FILE;
  const totals = await output.comparison?.totals();
  const chart = await chartOf(rows, stats, output, limits, context, totals);
  if (typeof target === 'string') await drawInFile(target, chart, rows, output, context);
  else
    await context.out.draw(style =>
      'nothing' in chart
        ? `${chart.nothing}\n`
        : drawChart(chart, { ...style, unicode: style.unicode && !ascii }),
    );
  // A workbook shows as much as any other file.
  const inFile =
    target === true && hasOutFile(output.flags.out)
      ? await chartOf(rows, stats, output, IN_A_FILE, context, totals)
      : chart;
  return {
    output: {
      ...output,
      ...rowsInMemory(rows, output.source.columns),
      chart: 'nothing' in inFile ? undefined : inFile,
    },
    stats,
  };
}

async function drawInFile(
  path: string,
  chart: Chart | NotChartable,
  rows: readonly JsonRecord[],
  { request, source, figures }: RowsOutput,
  context: Context,
): Promise<void> {
  if ('nothing' in chart) {
    context.log.warn(`${chart.nothing}: ${path} was not written`);
    return;
  }
  const from = sourceText(request);
  const { writeChart } = await import('./chart-file.ts');
  await writeChart({
    path,
    chart: from === undefined ? chart : { ...chart, notes: [...chart.notes, from] },
    request,
    rows,
    columns: columnsOf(source, figures, rows),
    style: await context.out.style(),
    warn: text => context.log.warn(text),
  });
  context.log.note(`wrote the chart to ${path}`);
}

async function collectForChart(
  output: RowsOutput,
  context: Context,
): Promise<{ rows: readonly JsonRecord[]; stats: ExportStats }> {
  const { rows, stats } = await collectRows(output, await rowWork(context), count => {
    if (count > MAX_CHART_ROWS)
      throw new UsageError(`more than ${groupDigits(MAX_CHART_ROWS)} rows are too many for a chart`, {
        hints: ['reduce them with --limit, --filter or fewer dimensions, or drop --chart'],
      });
  });
  return { rows: recordsOf(rows), stats: stats };
}

/** The chart of rows that were fetched, or why there is none. */
export async function chartOf(
  rows: readonly JsonRecord[],
  stats: ExportStats,
  { source, figures, plan, query, comparison, footnote, flags }: RowsOutput,
  limits: ChartLimits,
  context: Context,
  conclusions?: readonly Conclusion[],
): Promise<Chart | NotChartable> {
  const requested = { dimensions: query?.dimensions ?? [], figures };
  const chart = chartModel(rows, {
    roles:
      comparison?.roles ??
      rolesOf(rows, requested, { mayHaveOthers: source.columns.length === 0 || query === undefined }),
    units: (await query?.units()) ?? new Map(),
    days: query?.days,
    today: await todayOf(context),
    limits,
    isSorted: query?.isSorted === true,
    beforeOf: comparison && beforeColumn,
    conclusions,
  });
  if ('nothing' in chart) return chart;
  const { lastTotal } = stats;
  const isPartial = plan.single && lastTotal !== undefined && plan.start + rows.length < lastTotal;
  const notes =
    comparison !== undefined
      ? [...chart.notes, ...(footnote === undefined ? [] : [footnote])]
      : isPartial
        ? [
            ...chart.notes,
            `${groupDigits(rows.length)} of ${groupDigits(lastTotal)} rows; --all draws all of them`,
          ]
        : chart.notes;
  return {
    ...chart,
    ...(flags.title !== undefined && { title: flags.title, isTitled: true }),
    subtitle: periodText(query?.days, comparison?.before),
    notes,
  };
}

/** `2026-02-01 to 2026-02-28, compared with 2026-01-01 to 2026-01-31`; undefined where the days are not known. */
export function periodText(days: DayRange | undefined, before: DayRange | undefined): string | undefined {
  if (days === undefined) return undefined;
  const text = ({ from, to }: DayRange) => (from === to ? from : `${from} to ${to}`);
  return before === undefined ? text(days) : `${text(days)}, compared with ${text(before)}`;
}

/**
 * The source line below a chart: `data set pageview; country in DE, AT`. Undefined for a request without data set and report.
 */
function sourceText(request: JsonRecord): string | undefined {
  const { data_set: dataSet, reportName, customReportId, filters } = request;
  const name =
    text('data set', dataSet) ?? text('report', reportName) ?? text('custom report', customReportId);
  if (name === undefined) return undefined;
  return [name, ...(isList(filters) ? filters.flatMap(filterText) : [])].join('; ');
}

function text(label: string, value: Json | undefined): string | undefined {
  return value === undefined || value === null ? undefined : `${label} ${textOf(value)}`;
}

/** `visits greater than 3`, or the conditions of an `any_of` group joined with "or". Nothing for any other shape. */
function filterText(filter: Json): string[] {
  if (!isRecord(filter)) return [];
  const { any_of: group, column, operator, value, values } = filter;
  if (isList(group)) return [group.flatMap(filterText).join(' or ')];
  if (typeof column !== 'string' || typeof operator !== 'string') return [];
  const operand = isList(values) ? values.map(textOf).join(', ') : value === undefined ? '' : textOf(value);
  return [`${column} ${operator.replaceAll('_', ' ')} ${operand}`.trim()];
}
