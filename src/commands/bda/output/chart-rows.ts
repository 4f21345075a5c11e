import type { NotChartable } from '../../../analysis/chart-model.ts';
import { cannotCombine, invalidUsage } from '../../../errors/usage.ts';
import type { ExportStats } from '../../../export/export-audit.ts';
import { skippedRows } from '../../../export/plan.ts';
import { rowsInMemory } from '../../../export/row-source.ts';
import { isList, isRecord, type Json, type JsonRecord, textOf } from '../../../json/index.ts';
import { chartOf, IN_A_FILE, MAX_CHART_ROWS, ON_SCREEN } from '../../../operations/rows/chart-of-rows.ts';
import { collectRows, columnsForPeople, recordsOf } from '../../../operations/rows/collect-rows.ts';
import type { RowWork } from '../../../operations/rows/row-progress.ts';
import { withPartialMarks } from '../../../operations/rows/shown-rows.ts';
import type { Chart } from '../../../output/chart/chart.ts';
import { drawChart } from '../../../output/chart/draw.ts';
import { groupDigits } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { filterFlag } from '../../framework/filter-flag.ts';
import { hasOutFile } from '../flags/row-flags.ts';
import type { RowsOutput } from './rows-output.ts';

interface ChartedRows {
  /** The same rows from memory, to print or write them too. */
  readonly output: RowsOutput;
  readonly stats: ExportStats;
}

/** Throws UsageError if a chart on the screen would replace the requested output format. */
export async function checkTerminalChart({ flags }: RowsOutput, context: Context): Promise<void> {
  if (flags.chart !== true) return;
  const { value, origin } = (await context.settings()).output;
  const other = context.globals.jq !== undefined ? filterFlag(context.globals) : `-o ${value}`;
  if (!origin.startsWith('flag') || value === 'table') return;
  throw cannotCombine(`--chart and ${other}`, 'drop one, or write the chart to a file: --chart FILE.svg');
}

/** Fetches the rows and draws them, on the screen or into a file. */
export async function chartRows(output: RowsOutput, work: RowWork, context: Context): Promise<ChartedRows> {
  const { rows, stats } = await collectForChart(output, work);
  const { chart: target, title, ascii = false } = output.flags;
  const conclusions = await output.comparison?.totals();
  const { locale } = await context.out.style();
  const { single, start } = output.plan;
  const total = single || start > 0 ? stats.lastTotal : undefined;
  const chartWithin = (limits: typeof IN_A_FILE) =>
    chartOf(rows, output, { limits, title, conclusions, locale, total }, work);
  const chart = await chartWithin(target === true ? ON_SCREEN : IN_A_FILE);
  if (typeof target === 'string')
    await drawInFile(
      target,
      chart,
      { rows, marked: await withPartialMarks(rows, output, work) },
      output,
      context,
    );
  else
    await context.out.draw(style =>
      'nothing' in chart
        ? `${chart.nothing}\n`
        : drawChart(chart, { ...style, unicode: style.unicode && !ascii }),
    );
  // A workbook shows as much as any other file.
  const inFile = target === true && hasOutFile(output.flags.out) ? await chartWithin(IN_A_FILE) : chart;
  return {
    output: {
      ...output,
      ...rowsInMemory(rows, output.source.columns, skippedRows(output.plan)),
      chart: 'nothing' in inFile ? undefined : inFile,
    },
    stats,
  };
}

async function drawInFile(
  path: string,
  chart: Chart | NotChartable,
  { rows, marked }: { readonly rows: readonly JsonRecord[]; readonly marked: readonly Json[] },
  output: RowsOutput,
  context: Context,
): Promise<void> {
  if ('nothing' in chart) {
    context.log.warn(`${chart.nothing}: ${path} was not written`);
    return;
  }
  const { request } = output;
  const from = sourceText(request);
  const { writeChart } = await import('../../../operations/rows/write-chart.ts');
  await writeChart({
    path,
    chart: from === undefined ? chart : { ...chart, notes: [...chart.notes, from] },
    request,
    rows: marked,
    start: skippedRows(output.plan),
    columns: (await columnsForPeople(output, rows)).columns,
    style: await context.out.style(),
    warn: text => context.log.warn(text),
  });
  context.log.note(`wrote the chart to ${path}`);
}

async function collectForChart(
  output: RowsOutput,
  work: RowWork,
): Promise<{ rows: readonly JsonRecord[]; stats: ExportStats }> {
  const { rows, stats } = await collectRows(output, work, count => {
    if (count > MAX_CHART_ROWS)
      throw invalidUsage(
        `more than ${groupDigits(MAX_CHART_ROWS)} rows are too many for a chart`,
        'reduce them with --limit, --filter or fewer dimensions, or drop --chart',
      );
  });
  return { rows: recordsOf(rows), stats };
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
