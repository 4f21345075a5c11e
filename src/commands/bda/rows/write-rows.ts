import { grainsOf } from '../../../analysis/periods.ts';
import { PartialError } from '../../../errors/index.ts';
import { type ExportStats, hasWarnings, isContradictory, warningsOf } from '../../../export/export-audit.ts';
import { exportRows } from '../../../export/export-rows.ts';
import { streamSink } from '../../../export/sink.ts';
import type { RowFormat } from '../../../export/transcode/formats.ts';
import { trackProgress } from '../../../operations/rows/row-progress.ts';
import { isForPeople } from '../../../output/view.ts';
import { isOnTerminal } from '../../../terminal/io.ts';
import { groupDigits } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import type { ComparedRows } from './compare-rows.ts';
import { exportOptions } from './export-options.ts';
import { warnMissingDays } from './missing-days.ts';
import { outFile } from './out-file.ts';
import { hasOutFile } from './row-flags.ts';
import type { RowsOutput } from './rows-output.ts';
import { rowsToFile } from './rows-to-file.ts';
import { rowsToScreen } from './rows-to-screen.ts';

/** Formats whose columns are fixed before the second row. */
const COLUMNAR = ['csv', 'tsv', 'parquet'];

/**
 * Writes the rows to a file or to stdout, in the requested format. Throws PartialError for rows that contradict the request, and
 * with `--strict` for any incomplete rows.
 */
export async function writeRows(requested: RowsOutput, context: Context): Promise<void> {
  const { flags } = requested;
  const { checkTerminalChart, chartRows } = await (flags.chart === undefined
    ? {}
    : import('./chart-rows.ts'));
  await checkTerminalChart?.(requested, context);
  const compared = await compareIfRequested(requested, context);
  let output = compared?.output ?? requested;
  let stats: readonly ExportStats[] = compared?.stats ?? [];
  if (chartRows !== undefined) {
    const drawn = await chartRows(output, context);
    if (compared === undefined) {
      printWarnings(drawn.stats, requested, context);
      stats = [drawn.stats];
    }
    output = drawn.output;
  }
  // A chart on the screen replaces the table.
  if (flags.chart !== true || hasOutFile(flags.out)) {
    await notePeriods(output, context);
    const written = await writeOutput(output, stats.some(isContradictory), context);
    if (stats.length === 0) printWarnings(written, requested, context);
    stats = [...stats, written];
  }
  // A comparison has already requested the days with data.
  const lacksDays =
    compared === undefined
      ? mayLackDays(requested, stats) &&
        (await warnMissingDays(requested.query, stats[0]?.rows, context)) !== undefined
      : compared.output.comparison?.isCovered === false;
  const isIncomplete = requested.isIncomplete?.() ?? false;
  if (flags.strict && (lacksDays || isIncomplete || stats.some(hasWarnings)))
    throw new PartialError(`the rows are not complete (--strict)${incompleteReason(stats, requested)}`, {
      code: 'rows_incomplete',
    });
  if (stats.some(isContradictory))
    throw new PartialError('the rows are not complete', { code: 'rows_incomplete' });
}

/** Whether to request the days that have data: calendar periods are often longer than the data. */
export function mayLackDays({ flags, query }: RowsOutput, [first]: readonly ExportStats[]): boolean {
  return first?.rows === 0 || flags.strict || query?.period !== undefined;
}

/** The reason for rows that the default limit omitted. */
function incompleteReason(stats: readonly ExportStats[], { plan }: RowsOutput): string {
  const short = stats.find(({ hasMoreRows }) => hasMoreRows);
  if (short === undefined || !plan.single) return '';
  const { rows, lastTotal } = short;
  const some =
    lastTotal === undefined
      ? `the first ${groupDigits(rows)}`
      : `${groupDigits(rows)} of ${groupDigits(lastTotal)}`;
  return `: ${some} were fetched, because neither --all nor --limit was given`;
}

/** The rows compared with an earlier period, with --compare. */
export async function compareIfRequested(
  output: RowsOutput,
  context: Context,
): Promise<ComparedRows | undefined> {
  if (output.flags.compare === undefined) return undefined;
  const { compareRows } = await import('./compare-rows.ts');
  const compared = await compareRows(output, output.flags.compare, context);
  const [now, before] = compared.stats;
  printWarnings(now, output, context);
  for (const flaw of warningsOf(before)) context.log.warn(`in the days before: ${flaw}`);
  return compared;
}

/** Notes partial weeks and months. */
async function notePeriods({ query, source }: RowsOutput, context: Context): Promise<void> {
  if (query?.days === undefined) return;
  const { groupedBy } = query;
  const named = grainsOf([...new Set([...query.dimensions, ...source.columns])]);
  const unnamed =
    groupedBy === undefined || named.some(({ grain }) => grain === groupedBy) ? [] : [groupedBy];
  const all = [...named, ...unnamed.map(grain => ({ column: grain, grain }))];
  const periods = all.filter(({ grain }) => grain !== 'day');
  if (periods.length === 0) return;
  const { notePartialPeriods } = await import('./complete-periods.ts');
  await notePartialPeriods(query.days, periods, context);
}

/** With `isRefused`, a file stays as it was. */
async function writeOutput(output: RowsOutput, isRefused: boolean, context: Context): Promise<ExportStats> {
  const { flags } = output;
  const settings = await context.settings();
  const format = settings.output.value;
  if (flags.out !== undefined && flags.out !== '-') {
    const out = outFile(flags.out, settings, context);
    return warnDropped(await rowsToFile(output, out, isRefused, context), output, out.format, context);
  }
  if (isForPeople(format) || context.globals.jq !== undefined) return await rowsToScreen(output, context);
  return warnDropped(await rowsToStdout(output, format, context), output, format, context);
}

/** Warns of columns that are omitted because the first row, which defines the columns, lacks them. */
function warnDropped(
  stats: ExportStats,
  { source }: RowsOutput,
  format: string,
  context: Context,
): ExportStats {
  if (source.columns.length > 0 || stats.extra.size === 0 || !COLUMNAR.includes(format)) return stats;
  context.log.warn(
    `omitted columns that the first row lacks: ${[...stats.extra.keys()].join(', ')}; -o ndjson includes them`,
  );
  return { ...stats, dropped: true };
}

/** Warns about problems of the rows, and prints how many are missing. */
export function printWarnings(
  stats: ExportStats,
  { plan, source, allCommand: allBy, flags }: RowsOutput,
  context: Context,
): void {
  for (const flaw of warningsOf(stats)) context.log.warn(flaw);
  if (source.columns.length > 0 && stats.extra.size > 0)
    context.log.note(`the rows have fields that were not requested: ${[...stats.extra.keys()].join(', ')}`);
  // A comparison reports its own row counts.
  if (flags.compare === undefined) noteRemainingRows(stats, plan, allBy, context);
}

/** Rows beyond an explicit limit are a note; rows beyond the default limit are a warning. */
function noteRemainingRows(
  { rows, lastTotal, hasMoreRows }: ExportStats,
  plan: RowsOutput['plan'],
  allBy: string | undefined,
  context: Context,
): void {
  if (!plan.single) return;
  // Who redirects a table to a file usually expects data.
  const how = isOnTerminal(context.io) ? '--all shows all' : '--all shows all, --csv prints all as CSV';
  if (lastTotal === undefined) {
    if (hasMoreRows) context.log.warn(`the first ${groupDigits(rows)} rows; there may be more, ${how}`);
    return;
  }
  if (plan.start + rows >= lastTotal) return;
  const count = `${groupDigits(rows)} of ${groupDigits(lastTotal)} rows`;
  if (hasMoreRows) context.log.warn(`${count}; ${how}`);
  else context.log.note(`${count}; ${allBy === undefined ? '--all shows all' : `${allBy} --all shows all`}`);
}

/** Streams rows to stdout. */
async function rowsToStdout(output: RowsOutput, format: RowFormat, context: Context): Promise<ExportStats> {
  // On a terminal the rows themselves show the progress.
  const line = isOnTerminal(context.io) ? undefined : trackProgress(output, context.log);
  const options = await exportOptions(output, format, context);
  const { stats } = await context.out.stream(write =>
    exportRows({
      ...options,
      openSink: async () => streamSink(write),
      onRows: (...counts) => line?.onRows(...counts),
      onPage: async progress => line?.onPage(progress),
    }),
  );
  line?.finish();
  return stats;
}
