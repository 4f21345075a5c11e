import { UsageError } from '../../../errors/index.ts';
import type { Remarks } from '../../../export/findings.ts';
import { grainsOf } from '../../../families/bda/buckets.ts';
import { isRecord, type Json } from '../../../json/index.ts';
import { grouped } from '../../../terminal/grouped.ts';
import type { Context } from '../../context.ts';
import type { Delivery } from './delivery.ts';
import { columnsOf, holdRows } from './hold-rows.ts';

/** More rows than this are no table that anybody reads. */
const TABLE_ROWS_MAX = 10_000;
/** What jq gets at once. */
const JQ_BYTES_MAX = 256 * 1024 * 1024;

/** Shows rows as a table, or hands them to jq: both need all of them at once. */
export async function rowsToScreen(delivery: Delivery, context: Context): Promise<Remarks> {
  const isTable = context.globals.jq === undefined;
  const capped = isTable && !delivery.plan.single;
  const plan = capped ? { ...delivery.plan, wanted: TABLE_ROWS_MAX, endsByItself: true } : delivery.plan;
  const { rows, remarks, total } = await holdRows({ ...delivery, plan }, context, (_, bytes) => {
    if (bytes > JQ_BYTES_MAX)
      throw new UsageError('these are too many rows for --jq, which needs all of them at once', {
        hints: ['write them row by row instead: -o ndjson'],
      });
  });
  const columns = columnsOf(delivery.source, delivery.figures, rows);
  const shown = isTable ? await withParts(rows, delivery, context) : rows;
  await context.answer(shown, { ...(columns.length > 0 && { columns }), empty: 'no rows match' });
  if (capped) tellCut(rows.length, delivery.plan.start, total, context);
  return remarks;
}

function tellCut(shown: number, start: number, total: number | undefined, context: Context): void {
  const isCut = total === undefined ? shown === TABLE_ROWS_MAX : start + shown < total;
  if (!isCut) return;
  const of = total === undefined ? '' : ` of ${grouped(total)}`;
  const more = total === undefined ? 'there may be more: ' : '';
  context.note(
    `the table ends after ${grouped(shown)}${of} rows; ${more}--out FILE or -o csv brings all of them`,
  );
}

/** The rows with a word behind each week and month that does not count whole. */
async function withParts(
  rows: readonly Json[],
  { question, source }: Delivery,
  context: Context,
): Promise<readonly Json[]> {
  const days = question?.days;
  const [first] = rows;
  // Where the request names no columns, the rows do.
  const own = source.columns.length === 0 && isRecord(first) ? Object.keys(first) : [];
  const columns = [...(question?.dimensions ?? []), ...source.columns, ...own];
  const stretches = grainsOf([...new Set(columns)]).filter(({ grain }) => grain !== 'day');
  if (days === undefined || stretches.length === 0) return rows;
  const { markParts } = await import('./whole-stretches.ts');
  return await markParts(rows, days, stretches, context);
}
