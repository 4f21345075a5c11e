import { grainsOf } from '../../../analysis/periods.ts';
import { PartialError } from '../../../errors/index.ts';
import { type ExportStats, hasWarnings, isContradictory, warningsOf } from '../../../export/export-audit.ts';
import { isForPeople } from '../../../output/view.ts';
import { groupDigits } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import type { Compared } from './compare-rows.ts';
import { outFile } from './out-file.ts';
import { warnOutsideData } from './outside-data.ts';
import { hasOutFile } from './row-flags.ts';
import type { RowsOutput } from './rows-output.ts';
import { rowsToFile } from './rows-to-file.ts';
import { rowsToScreen } from './rows-to-screen.ts';
import { rowsToStdout } from './rows-to-stdout.ts';

/** Formats whose columns are fixed before the second row. */
const COLUMNAR = ['csv', 'tsv', 'parquet'];

/**
 * Brings the rows to a file, to stdout or, as a table, to people. Throws PartialError for rows that contradict the
 * request, and with `--strict` for any flaw.
 */
export async function writeRows(asked: RowsOutput, context: Context): Promise<void> {
  const { flags } = asked;
  const { checkTerminalChart, chartRows } = await (flags.chart === undefined
    ? {}
    : import('./chart-rows.ts'));
  await checkTerminalChart?.(asked, context);
  const compared = await comparedRows(asked, context);
  let delivery = compared?.delivery ?? asked;
  let remarks: readonly ExportStats[] = compared?.remarks ?? [];
  if (chartRows !== undefined) {
    const drawn = await chartRows(delivery, context);
    if (compared === undefined) {
      tellRemarks(drawn.stats, asked, context);
      remarks = [drawn.stats];
    }
    delivery = drawn.output;
  }
  // On the screen a chart stands for the rows.
  if (flags.chart !== true || hasOutFile(flags.out)) {
    await tellDays(delivery, context);
    const delivered = await deliver(delivery, context);
    if (remarks.length === 0) tellRemarks(delivered, asked, context);
    remarks = [...remarks, delivered];
  }
  // A comparison has asked which days have data.
  const isOutside =
    compared === undefined
      ? remarks[0]?.rows === 0 && (await warnOutsideData(asked.question, context))
      : compared.delivery.comparison?.isCovered === false;
  const isIncomplete = asked.isIncomplete?.() ?? false;
  if (flags.strict && (isOutside || isIncomplete || remarks.some(hasWarnings)))
    throw new PartialError(`the rows are not complete (--strict)${whyLeft(remarks, asked)}`, {
      code: 'rows_incomplete',
    });
  if (remarks.some(isContradictory))
    throw new PartialError('the rows are not complete', { code: 'rows_incomplete' });
}

/** Why rows stayed behind that nobody meant to leave; that a table ended is told already. */
function whyLeft(remarks: readonly ExportStats[], { plan }: RowsOutput): string {
  const short = remarks.find(({ leavesRows }) => leavesRows);
  if (short === undefined || !plan.single) return '';
  const { rows, lastTotal } = short;
  const some =
    lastTotal === undefined
      ? `the first ${groupDigits(rows)}`
      : `${groupDigits(rows)} of ${groupDigits(lastTotal)}`;
  return `: ${some} came, as neither --all nor --limit was given`;
}

/** The rows beside those of the days before, where that is asked for. */
async function comparedRows(asked: RowsOutput, context: Context): Promise<Compared | undefined> {
  if (asked.flags.compare === undefined) return undefined;
  const { compareRows } = await import('./compare-rows.ts');
  const compared = await compareRows(asked, asked.flags.compare, context);
  const [now, before] = compared.remarks;
  tellRemarks(now, asked, context);
  for (const flaw of warningsOf(before)) context.log.warn(`in the days before: ${flaw}`);
  return compared;
}

/** Which weeks and months the days asked about cut. */
async function tellDays({ question, source }: RowsOutput, context: Context): Promise<void> {
  if (question?.days === undefined) return;
  const { groupedBy } = question;
  const named = grainsOf([...new Set([...question.dimensions, ...source.columns])]);
  const unnamed =
    groupedBy === undefined || named.some(({ grain }) => grain === groupedBy) ? [] : [groupedBy];
  const all = [...named, ...unnamed.map(grain => ({ column: grain, grain }))];
  const periods = all.filter(({ grain }) => grain !== 'day');
  if (periods.length === 0) return;
  const { notePartialPeriods } = await import('./complete-periods.ts');
  await notePartialPeriods(question.days, periods, context);
}

async function deliver(delivery: RowsOutput, context: Context): Promise<ExportStats> {
  const { flags } = delivery;
  const settings = await context.settings();
  const format = settings.output.value;
  if (flags.out !== undefined && flags.out !== '-') {
    const out = outFile(flags.out, settings, context);
    return tellDropped(await rowsToFile(delivery, out, context), delivery, out.format, context);
  }
  if (isForPeople(format) || context.globals.jq !== undefined) return await rowsToScreen(delivery, context);
  return tellDropped(await rowsToStdout(delivery, format, context), delivery, format, context);
}

/** Values are lost where the columns are those of the first row, and a later one has more: a flaw. */
function tellDropped(
  remarks: ExportStats,
  { source }: RowsOutput,
  format: string,
  context: Context,
): ExportStats {
  if (source.columns.length > 0 || remarks.extra.size === 0 || !COLUMNAR.includes(format)) return remarks;
  context.log.warn(
    `columns that the first row lacks are left out: ${[...remarks.extra.keys()].join(', ')}; -o ndjson keeps them`,
  );
  return { ...remarks, dropped: true };
}

function tellRemarks(
  remarks: ExportStats,
  { plan, source, allBy, flags }: RowsOutput,
  context: Context,
): void {
  for (const flaw of warningsOf(remarks)) context.log.warn(flaw);
  if (source.columns.length > 0 && remarks.extra.size > 0)
    context.log.note(`the rows have fields that were not asked for: ${[...remarks.extra.keys()].join(', ')}`);
  // A comparison has said which rows it compares.
  if (flags.compare === undefined) tellRowsLeft(remarks, plan, allBy, context);
}

/** Rows that a limit left out are a note; rows that the default left out are a warning. */
function tellRowsLeft(
  { rows, lastTotal, leavesRows }: ExportStats,
  plan: RowsOutput['plan'],
  allBy: string | undefined,
  context: Context,
): void {
  if (!plan.single) return;
  if (lastTotal === undefined) {
    if (leavesRows)
      context.log.warn(`the first ${groupDigits(rows)} rows; there may be more, --all shows all`);
    return;
  }
  if (plan.start + rows >= lastTotal) return;
  const count = `${groupDigits(rows)} of ${groupDigits(lastTotal)} rows`;
  if (leavesRows) context.log.warn(`${count}; --all shows all`);
  else context.log.note(`${count}; ${allBy === undefined ? '--all shows all' : `${allBy} --all shows all`}`);
}
