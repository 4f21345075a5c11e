import { grainsOf } from '../../../analysis/periods.ts';
import { UsageError } from '../../../errors/index.ts';
import type { ExportStats } from '../../../export/export-audit.ts';
import { isRecord, type Json } from '../../../json/index.ts';
import { groupDigits } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { collectRows, columnsOf } from './collect-rows.ts';
import { TABLE_ROWS_MAX } from './row-flags.ts';
import type { RowsOutput } from './rows-output.ts';

/** What jq gets at once. */
const JQ_BYTES_MAX = 128 * 1024 * 1024;
const WITHOUT_TABLE = '--out FILE or -o csv brings all';

/** Shows rows as a table, md or html, or hands them to jq: all of these need them at once. */
export async function rowsToScreen(delivery: RowsOutput, context: Context): Promise<ExportStats> {
  const isTable = context.globals.jq === undefined;
  const cap = isTable ? delivery.tableRows : undefined;
  const isCapped = cap !== undefined && !delivery.plan.single;
  const plan = isCapped ? { ...delivery.plan, wanted: cap, endsByItself: true } : delivery.plan;
  const { rows, remarks, total } = await collectRows({ ...delivery, plan }, context, (_, bytes) => {
    if (bytes > JQ_BYTES_MAX)
      throw new UsageError('these are too many rows for --jq, which needs all of them at once', {
        code: 'output_too_large',
        hints: ['write them row by row instead: -o ndjson'],
      });
  });
  // Rows of a chart or a comparison are in memory already, all of them.
  const shown = rows.slice(0, cap);
  const columns = columnsOf(delivery.source, delivery.figures, shown);
  await context.out.print(isTable ? await withParts(shown, delivery, context) : shown, {
    ...(columns.length > 0 && { columns }),
    empty: 'no rows match',
    footnote: delivery.footnote ?? countText(shown.length, plan.start, total, remarks),
  });
  if (isCapped && remarks.leavesRows) warnCapped(rows.length, total, context);
  else if (shown.length < rows.length) {
    const how = cap === TABLE_ROWS_MAX ? WITHOUT_TABLE : '--all shows all';
    context.log.warn(`${groupDigits(shown.length)} of ${groupDigits(rows.length)} rows; ${how}`);
  }
  return remarks;
}

/** How many rows there are, for a page that is sent on without what stderr says; undefined if all are shown. */
function countText(
  shown: number,
  start: number,
  total: number | undefined,
  { leavesRows }: ExportStats,
): string | undefined {
  if (total === undefined) return leavesRows ? `the first ${groupDigits(shown)} rows` : undefined;
  return start + shown < total ? `${groupDigits(shown)} of ${groupDigits(total)} rows` : undefined;
}

function warnCapped(shown: number, total: number | undefined, context: Context): void {
  const of = total === undefined ? '' : ` of ${groupDigits(total)}`;
  const more = total === undefined ? 'there may be more: ' : '';
  context.log.warn(`the table ends after ${groupDigits(shown)}${of} rows; ${more}${WITHOUT_TABLE}`);
}

/** The rows with a word behind each week and month that does not count whole. */
async function withParts(
  rows: readonly Json[],
  { question, source }: RowsOutput,
  context: Context,
): Promise<readonly Json[]> {
  const days = question?.days;
  const [first] = rows;
  // Where the request names no columns, the rows do.
  const own = source.columns.length === 0 && isRecord(first) ? Object.keys(first) : [];
  const columns = [...(question?.dimensions ?? []), ...source.columns, ...own];
  const periods = grainsOf([...new Set(columns)]).filter(({ grain }) => grain !== 'day');
  if (days === undefined || periods.length === 0) return rows;
  const { markPartialPeriods } = await import('./complete-periods.ts');
  return await markPartialPeriods(rows, days, periods, context);
}
