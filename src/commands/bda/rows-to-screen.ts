import { UsageError } from '../../errors/index.ts';
import type { Remarks } from '../../export/findings.ts';
import { grouped } from '../../terminal/grouped.ts';
import type { Context } from '../context.ts';
import type { Delivery } from './deliver-rows.ts';
import { columnsOf, holdRows } from './hold-rows.ts';

/** More rows than this are no table that anybody reads. */
const TABLE_ROWS_MAX = 10_000;
/** What jq gets at once. */
const JQ_BYTES_MAX = 256 * 1024 * 1024;

/** Shows rows as a table, or hands them to jq: both need all of them at once. */
export async function rowsToScreen(delivery: Delivery, context: Context): Promise<Remarks> {
  const isTable = context.globals.jq === undefined;
  const capped = isTable && !delivery.plan.single;
  const plan = capped ? { ...delivery.plan, wanted: TABLE_ROWS_MAX } : delivery.plan;
  const {
    rows,
    remarks,
    total = 0,
  } = await holdRows({ ...delivery, plan }, context, (_, bytes) => {
    if (bytes > JQ_BYTES_MAX)
      throw new UsageError('these are too many rows for --jq, which needs all of them at once', {
        hints: ['write them row by row instead: -o ndjson'],
      });
  });
  const columns = columnsOf(delivery.source, delivery.figures);
  await context.answer(rows, { ...(columns.length > 0 && { columns }), empty: 'no rows match' });
  if (capped && delivery.plan.start + rows.length < total)
    context.note(
      `the table ends after ${grouped(rows.length)} of ${grouped(total)} rows; --out FILE or -o csv brings all of them`,
    );
  return remarks;
}
