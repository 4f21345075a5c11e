import { UnusableAnswerError, UsageError } from '../../errors/index.ts';
import { exportRows } from '../../export/export-rows.ts';
import type { Remarks } from '../../export/findings.ts';
import { streamSink } from '../../export/sink.ts';
import { BrokenJson, type Json, parseJson } from '../../json/index.ts';
import { grouped } from '../../terminal/grouped.ts';
import type { Context } from '../context.ts';
import type { Delivery } from './deliver-rows.ts';
import { exportOptions, followed } from './export-options.ts';

/** More rows than this are no table that anybody reads. */
const TABLE_ROWS_MAX = 10_000;
/** What jq gets at once. */
const JQ_BYTES_MAX = 256 * 1024 * 1024;

/** Shows rows as a table, or hands them to jq: both need all of them at once. */
export async function rowsToScreen(delivery: Delivery, context: Context): Promise<Remarks> {
  const isTable = context.globals.jq === undefined;
  const capped = isTable && !delivery.plan.single;
  const plan = capped ? { ...delivery.plan, wanted: TABLE_ROWS_MAX } : delivery.plan;
  const line = followed({ ...delivery, plan }, context);
  const rows: Json[] = [];
  let bytes = 0;
  const take = async (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > JQ_BYTES_MAX)
      throw new UsageError('these are too many rows for --jq, which needs all of them at once', {
        hints: ['write them row by row instead: -o ndjson'],
      });
    for (const text of new TextDecoder().decode(chunk).split('\n')) if (text !== '') rows.push(rowIn(text));
  };
  const { remarks, progress } = await exportRows({
    ...(await exportOptions({ ...delivery, plan }, 'ndjson', context)),
    openSink: async () => streamSink(take),
    onRows: line.onRows,
    onPage: async reached => line.onPage(reached),
  });
  line.finish();
  const columns = delivery.source.columns.map(key =>
    delivery.figures.includes(key) ? ({ key, kind: 'number' } as const) : { key },
  );
  await context.answer(rows, { ...(columns.length > 0 && { columns }), empty: 'no rows match' });
  const { total = 0 } = progress.reached;
  if (capped && delivery.plan.start + rows.length < total)
    context.note(
      `the table ends after ${grouped(rows.length)} of ${grouped(total)} rows; --out FILE or -o csv brings all of them`,
    );
  return remarks;
}

function rowIn(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
    throw new UnusableAnswerError(`a row can't be read: ${error.message}`, {
      code: 'unusable',
      cause: error,
    });
  }
}
