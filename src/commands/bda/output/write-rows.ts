import { type ExportStats, isContradictory } from '../../../export/export-audit.ts';
import { exportRows } from '../../../export/export-rows.ts';
import { streamSink } from '../../../export/sink.ts';
import type { RowFormat } from '../../../export/transcode/formats.ts';
import {
  incompleteRows,
  lacksRows,
  mayLackDays,
  reportFlaws,
  warnMissingDays,
} from '../../../operations/rows/completeness.ts';
import { type RowWork, trackProgress } from '../../../operations/rows/row-progress.ts';
import { notePeriods, noteUnfinished } from '../../../operations/rows/shown-rows.ts';
import { isForPeople } from '../../../output/view.ts';
import { isOnTerminal } from '../../../terminal/io.ts';
import { groupDigits } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { comparedWith } from '../flags/day-flags.ts';
import { outFile } from '../flags/out-file.ts';
import { hasOutFile } from '../flags/row-flags.ts';
import { rowWork } from './row-work.ts';
import type { RowsOutput } from './rows-output.ts';
import { rowsToFile } from './rows-to-file.ts';

/** Formats whose columns are fixed before the second row. */
const COLUMNAR = ['csv', 'tsv', 'parquet'];

/**
 * Writes the rows to a file or to stdout, in the requested format. Throws PartialError for rows that contradict the request, and
 * with `--strict` for any incomplete rows.
 */
export async function writeRows(requested: RowsOutput, context: Context): Promise<void> {
  const { flags } = requested;
  const work = await rowWork(context, requested.allCommand);
  const { checkTerminalChart, chartRows } = await (flags.chart === undefined
    ? {}
    : import('./chart-rows.ts'));
  await checkTerminalChart?.(requested, context);
  const { compare, matchWeekdays = false } = flags;
  const kind = compare === undefined ? undefined : await comparedWith(compare, context);
  const { compareRows } = await (kind === undefined
    ? {}
    : import('../../../operations/rows/compare-rows.ts'));
  const compared = kind && (await compareRows?.(requested, { kind, matchWeekdays }, work));
  let output = { ...requested, ...compared?.joined };
  let stats: readonly ExportStats[] = compared?.stats ?? [];
  if (chartRows !== undefined) {
    const drawn = await chartRows(output, work, context);
    if (compared === undefined) {
      reportFlaws(drawn.stats, requested, { isCompared: false }, work);
      stats = [drawn.stats];
    }
    output = drawn.output;
  }
  // A chart on the screen replaces the table.
  if (flags.chart !== true || hasOutFile(flags.out)) {
    await noteUnfinished(output, work);
    const written = await writeOutput(output, stats.some(isContradictory), work, context);
    if (stats.length === 0) reportFlaws(written, requested, { isCompared: false }, work);
    stats = [...stats, written];
  }
  // A comparison has already requested the days with data.
  const rows = stats[0]?.rows;
  const isForPrograms = flags.chart === undefined && (await isStreamed(flags, context));
  const lacksDays =
    compared === undefined
      ? mayLackDays(requested, { rows, isStrict: flags.strict, isForPrograms }) &&
        (await warnMissingDays(requested.query, rows, work)) !== undefined
      : compared.joined.comparison?.isCovered === false;
  if (flags.strict && (lacksDays || lacksRows(stats, requested)))
    throw incompleteRows(` (--strict)${incompleteReason(stats, requested)}`);
  if (stats.some(isContradictory)) throw incompleteRows();
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

/** Whether the rows go to stdout as they come, in a format for programs. */
async function isStreamed({ out }: Pick<RowsOutput['flags'], 'out'>, context: Context): Promise<boolean> {
  if (hasOutFile(out)) return false;
  return context.globals.jq !== undefined || !isForPeople((await context.settings()).output.value);
}

/** With `isRefused`, a file stays as it was. */
async function writeOutput(
  output: RowsOutput,
  isRefused: boolean,
  work: RowWork,
  context: Context,
): Promise<ExportStats> {
  const { flags } = output;
  const settings = await context.settings();
  const format = settings.output.value;
  if (flags.out !== undefined && flags.out !== '-') {
    const out = outFile(flags.out, settings, context);
    const stats = await rowsToFile(output, out, isRefused, work, context);
    await notePeriods(output, stats.rows === 0 ? [] : undefined, work);
    return warnDropped(stats, output, out.format, context);
  }
  if (isForPeople(format) || context.globals.jq !== undefined) {
    const { rowsToScreen } = await import('./rows-to-screen.ts');
    return await rowsToScreen(output, work, context);
  }
  const stats = await rowsToStdout(output, format, work, context);
  await notePeriods(output, stats.rows === 0 ? [] : undefined, work);
  return warnDropped(stats, output, format, context);
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

/** Streams rows to stdout. */
async function rowsToStdout(
  output: RowsOutput,
  format: RowFormat,
  { clock, signal, retries, progress }: RowWork,
  context: Context,
): Promise<ExportStats> {
  // On a terminal the rows themselves show the progress.
  const line = isOnTerminal(context.io) ? undefined : trackProgress(output, { progress });
  const { source, plan } = output;
  const encoding = { format, dialect: context.globals.csvDialect };
  const { stats } = await context.out.stream(write =>
    exportRows({
      ...{ source, plan, encoding, clock, signal, retries },
      openSink: async () => streamSink(write),
      onRows: (...counts) => line?.onRows(...counts),
      onPage: async progress => line?.onPage(progress),
    }),
  );
  line?.finish();
  return stats;
}
