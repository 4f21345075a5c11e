import { type ChartLimits, chartModel, type NotChartable } from '../../../analysis/chart-model.ts';
import { rolesOf } from '../../../analysis/column-roles.ts';
import { beforeColumn } from '../../../analysis/compared-days.ts';
import { UsageError } from '../../../errors/index.ts';
import type { ExportStats } from '../../../export/export-audit.ts';
import { rowsInMemory } from '../../../export/rows-in-memory.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type { Chart } from '../../../output/chart/chart.ts';
import { drawChart } from '../../../output/chart/draw.ts';
import { grouped } from '../../../terminal/grouped.ts';
import type { Context } from '../../framework/context.ts';
import { todayOf } from '../day-flags.ts';
import { collectRows, columnsOf, recordsOf } from './collect-rows.ts';
import type { RowsOutput } from './rows-output.ts';

/** A picture of more rows is no picture of them. */
const ROWS_MAX = 100_000;

const ON_SCREEN: ChartLimits = { panels: 4, lines: 6, sparklines: 20, bars: 20 };
const IN_A_FILE: ChartLimits = { panels: 6, lines: 8, sparklines: 8, bars: 40 };

export interface ChartedRows {
  /** The same rows once more, to be printed or written. */
  readonly delivery: RowsOutput;
  readonly remarks: ExportStats;
}

/** Throws UsageError where the answer is to be both a chart on the screen and something else. */
export async function checkTerminalChart({ flags }: RowsOutput, context: Context): Promise<void> {
  if (flags.chart !== true) return;
  const { value, origin } = (await context.settings()).output;
  const other = context.globals.jq !== undefined ? '--jq' : `-o ${value}`;
  if (!origin.startsWith('flag') || value === 'table') return;
  throw new UsageError(`--chart draws in place of ${other}`, {
    hints: ['leave one out, or name a picture to have both: --chart FILE.svg'],
  });
}

/** Brings the rows and draws them: on the screen, or into a file. */
export async function chartRows(delivery: RowsOutput, context: Context): Promise<ChartedRows> {
  const { rows, remarks } = await holdForPicture(delivery, context);
  const { chart, ascii = false } = delivery.flags;
  const limits = chart === true ? ON_SCREEN : IN_A_FILE;
  const picture = await pictureFor(rows, remarks, delivery, limits, context);
  if (typeof chart === 'string') await drawInFile(chart, picture, rows, delivery, context);
  else
    await context.out.draw(style =>
      'nothing' in picture
        ? `${picture.nothing}\n`
        : drawChart(picture, { ...style, unicode: style.unicode && !ascii }),
    );
  return { delivery: { ...delivery, ...rowsInMemory(rows, delivery.source.columns) }, remarks };
}

async function drawInFile(
  path: string,
  picture: Chart | NotChartable,
  rows: readonly JsonRecord[],
  { request, source, figures }: RowsOutput,
  context: Context,
): Promise<void> {
  if ('nothing' in picture) {
    context.log.warn(`${picture.nothing}, and ${path} was not written`);
    return;
  }
  const { writeChart } = await import('./chart-file.ts');
  const columns = columnsOf(source, figures, rows);
  await writeChart({ path, picture, request, rows, columns, style: await context.out.style() });
  context.log.note(`the picture is in ${path}`);
}

async function holdForPicture(
  delivery: RowsOutput,
  context: Context,
): Promise<{ rows: readonly JsonRecord[]; remarks: ExportStats }> {
  const { rows, remarks } = await collectRows(delivery, context, count => {
    if (count > ROWS_MAX)
      throw new UsageError(`these are more than ${grouped(ROWS_MAX)} rows, too many for a chart`, {
        hints: ['ask for fewer: --limit, --filter, fewer dimensions; or leave --chart out'],
      });
  });
  return { rows: recordsOf(rows), remarks };
}

async function pictureFor(
  rows: readonly JsonRecord[],
  remarks: ExportStats,
  { source, figures, plan, question, comparison, footnote }: RowsOutput,
  limits: ChartLimits,
  context: Context,
): Promise<Chart | NotChartable> {
  const asked = { dimensions: question?.dimensions ?? [], figures };
  const picture = chartModel(rows, {
    roles:
      comparison?.roles ??
      rolesOf(rows, asked, { mayHaveOthers: source.columns.length === 0 || question === undefined }),
    units: (await question?.units()) ?? new Map(),
    days: question?.days,
    today: await todayOf(context),
    limits,
    isSorted: question?.isSorted === true,
    beforeOf: comparison && beforeColumn,
  });
  if ('nothing' in picture) return picture;
  if (comparison !== undefined) {
    const { from, to } = comparison.before;
    const known = footnote === undefined ? [] : [footnote];
    return { ...picture, remarks: [...picture.remarks, `before: ${from} to ${to}`, ...known] };
  }
  const { lastTotal } = remarks;
  if (!plan.single || lastTotal === undefined || plan.start + rows.length >= lastTotal) return picture;
  const cut = `drawn from ${grouped(rows.length)} of ${grouped(lastTotal)} rows; --all draws all of them`;
  return { ...picture, remarks: [...picture.remarks, cut] };
}
